#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi::cli {

/// The compressed call logs of a rank: events, and loops with their repetitions, indented; long ones are cut.
std::string outline_text(const JobLog& log, const RankLog& rank);

}  // namespace haichi::cli
