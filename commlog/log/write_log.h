#pragma once

#include <functional>
#include <string_view>

#include "commlog/log/job_log.h"

namespace haichi {

/// Writes a job file for read_own_log() with the profile and calls of all ranks. Schedules (GOAL) are not written,
/// because the file format has none.
void write_own_log(const JobLog& log, const std::function<void(std::string_view)>& write);

}  // namespace haichi
