#pragma once

#include <nlohmann/json.hpp>

#include "mapper/judge/simulate.h"

namespace haichi {

/// Writes haichi-simulation/1 with keys in a fixed order. Without `with_timing` it omits values that depend on the
/// computer.
nlohmann::ordered_json simulation_json(const Simulation& simulation, bool with_timing);

/// The entry `computing` for a spread of computation times.
nlohmann::ordered_json spread_json(const ComputeImbalance& spread);

/// An entry of `runs`.
nlohmann::ordered_json run_json(const SimulatedRun& run, const Network& network, bool with_timing);

/// A report's entry for one run: times, iterations, and whether they were extrapolated.
nlohmann::ordered_json simulated_times(const SimulatedRun& run);

}  // namespace haichi
