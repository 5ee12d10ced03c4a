#pragma once

#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// The page that shows a log; "HAICHI_LOG_DATA" in it stands for the JSON that it draws. Embedded by CMake.
extern const char* const kLogPage;

/// A self-contained page: functions, times of the ranks, sizes of messages, communication matrix, calls of `outline`.
/// Nothing from the log is markup. Of large jobs neighbouring ranks share a bar and a cell of the matrix.
std::string log_page(const JobLog& log, const JobTotals& totals, const std::string& file, const std::string& outline,
                     SourceLines& lines);

}  // namespace haichi::cli
