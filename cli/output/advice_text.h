#pragma once

#include <string>

#include "mapper/advise/barrier.h"
#include "mapper/advise/shape.h"
#include "mapper/advise/spread.h"

namespace haichi::cli {

/// Each text has a table, and ends with the conclusion.
std::string shape_advice_text(const ShapeAdviceReport& report);
std::string barrier_advice_text(const BarrierAdviceReport& report);
std::string spread_advice_text(const SpreadAdviceReport& report);

}  // namespace haichi::cli
