#pragma once

#include <nlohmann/json.hpp>

#include "mapper/advise/barrier.h"
#include "mapper/advise/rails.h"
#include "mapper/advise/shape.h"
#include "mapper/advise/spread.h"

namespace haichi {

/// Writes haichi-advice/1 with keys in a fixed order. The text does not depend on the computer.
nlohmann::ordered_json advice_json(const ShapeAdviceReport& report);
nlohmann::ordered_json advice_json(const BarrierAdviceReport& report);
nlohmann::ordered_json advice_json(const RailAdviceReport& report);
nlohmann::ordered_json advice_json(const SpreadAdviceReport& report);

/// An entry of `answers` for rails, and of reports on logs.
nlohmann::ordered_json rail_advice_json(const RailAdvice& advice);

}  // namespace haichi
