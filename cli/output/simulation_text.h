#pragma once

#include <string>

#include "mapper/judge/simulate.h"

namespace haichi::cli {

/// The output of `simulate`.
std::string simulation_text(const Simulation& simulation, bool with_timing);

}  // namespace haichi::cli
