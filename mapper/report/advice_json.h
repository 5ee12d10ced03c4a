#pragma once

#include <nlohmann/json.hpp>

#include "mapper/advise/barrier.h"
#include "mapper/advise/rails.h"
#include "mapper/advise/shape.h"
#include "mapper/advise/spread.h"

namespace haichi {

/// haichi-advice/1, keys in a fixed order. Nothing in it depends on the computer it ran on.
nlohmann::ordered_json advice_json(const ShapeAdviceReport& report);
nlohmann::ordered_json advice_json(const BarrierAdviceReport& report);
nlohmann::ordered_json advice_json(const RailAdviceReport& report);
nlohmann::ordered_json advice_json(const SpreadAdviceReport& report);

/// An entry of its `answers` on rails, and of the reports on logs.
nlohmann::ordered_json rail_advice_json(const RailAdvice& advice);

}  // namespace haichi
