#pragma once

#include <string>

#include "mapper/judge/simulate.h"

namespace haichi::cli {

/// What `simulate` prints.
std::string simulation_text(const Simulation& simulation, bool with_timing);

}  // namespace haichi::cli
