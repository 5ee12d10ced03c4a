#pragma once

#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// The template of the page that shows a log, which CMake embeds. log_page() replaces "HAICHI_LOG_DATA" in it by the
/// JSON of the log.
extern const char* const kLogPage;

/// A self-contained HTML page with functions, times of the ranks, message sizes, the communication matrix, and the
/// calls in `outline`. Text of the log is never interpreted as HTML. In large jobs, neighbouring ranks share a bar, and
/// a cell of the matrix.
std::string log_page(const JobLog& log, const JobTotals& totals, const std::string& file, const std::string& outline,
                     SourceLines& lines);

}  // namespace haichi::cli
