#pragma once

#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi::cli {

/// Reads the log of a job. Throws InputError with file and offset.
JobLog load_log(const std::string& path);

/// The files to load for logs named on the command line: of the parts of one job (NAME.RANK.part), which are read
/// together, only the first. Throws OptionError when there are none.
std::vector<std::string> distinct_logs(const std::vector<std::string>& paths);

}  // namespace haichi::cli
