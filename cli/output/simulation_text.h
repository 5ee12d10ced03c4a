#pragma once

#include <string>

#include "mapper/judge/simulate.h"

namespace haichi::cli {

/// Describes an imbalance. Examples are "up to 5.0 % longer or shorter", "up to 20 us longer", and "up to 50 us longer,
/// every 200 ms on average".
std::string imbalance_text(const ComputeImbalance& imbalance);

/// Describes a variation of computation times, including its random seed.
std::string spread_text(const ComputeImbalance& spread);

/// The output of `simulate`.
std::string simulation_text(const Simulation& simulation, bool with_timing);

}  // namespace haichi::cli
