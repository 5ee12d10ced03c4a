#pragma once

#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// The page that shows a log, embedded by CMake. log_page() replaces "HAICHI_LOG_DATA" in it by the JSON of the log.
extern const char* const kLogPage;

/// A self-contained page: functions, times of the ranks, sizes of messages, communication matrix, and the calls in
/// `outline`. Text from the log is never markup. In large jobs, neighbouring ranks share a bar and a cell of the
/// matrix.
std::string log_page(const JobLog& log, const JobTotals& totals, const std::string& file, const std::string& outline,
                     SourceLines& lines);

}  // namespace haichi::cli
