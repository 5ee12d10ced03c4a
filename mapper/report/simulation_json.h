#pragma once

#include <nlohmann/json.hpp>

#include "mapper/judge/simulate.h"

namespace haichi {

/// haichi-simulation/1, keys in a fixed order. `with_timing` false leaves out what depends on the computer it ran on.
nlohmann::ordered_json simulation_json(const Simulation& simulation, bool with_timing);

/// An entry of its `runs`.
nlohmann::ordered_json run_json(const SimulatedRun& run, const Network& network, bool with_timing);

/// What a report says of one run: times, iterations, and whether they were extrapolated.
nlohmann::ordered_json simulated_times(const SimulatedRun& run);

}  // namespace haichi
