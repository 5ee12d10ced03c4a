#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi::cli {

/// The compressed call logs of a rank: events, and indented loops with their number of iterations. Long logs are cut.
std::string outline_text(const JobLog& log, const RankLog& rank);

}  // namespace haichi::cli
