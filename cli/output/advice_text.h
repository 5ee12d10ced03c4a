#pragma once

#include <string>

#include "mapper/job/advise_barrier.h"
#include "mapper/job/advise_shape.h"
#include "mapper/job/advise_spread.h"

namespace haichi::cli {

/// A table, and what follows from it in the last line.
std::string shape_advice_text(const ShapeAdviceReport& report);
std::string barrier_advice_text(const BarrierAdviceReport& report);
std::string spread_advice_text(const SpreadAdviceReport& report);

}  // namespace haichi::cli
