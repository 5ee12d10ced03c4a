#pragma once

#include <functional>
#include <string_view>

#include "commlog/log/job_log.h"

namespace haichi {

/// Writes a job file as read_own_log() reads it: all ranks, profile and calls; schedules (GOAL) have no place in it.
void write_own_log(const JobLog& log, const std::function<void(std::string_view)>& write);

}  // namespace haichi
