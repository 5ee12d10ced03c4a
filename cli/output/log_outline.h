#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi::cli {

/// The compressed call logs of a rank as text: events, and indented loops with their numbers of iterations. Long logs
/// are cut.
std::string outline_text(const JobLog& log, const RankLog& rank);

}  // namespace haichi::cli
