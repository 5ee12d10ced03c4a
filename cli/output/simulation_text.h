#pragma once

#include <string>

#include "mapper/job/simulate_job.h"

namespace haichi::cli {

/// What `simulate` prints.
std::string simulation_text(const SimulateReport& report, bool with_timing);

}  // namespace haichi::cli
