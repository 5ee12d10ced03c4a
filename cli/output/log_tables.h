#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_totals.h"
#include "commlog/log/site_totals.h"

namespace haichi::cli {

/// Tables of `log show` for a profile with call sites. Each table begins with a blank line. A table without data is an
/// empty string.

/// Calls by communicator, and the waiting time of collectives. Communicators of equal size share a table entry.
std::string communicators_text(const JobLog& log, const JobTotals& totals);
/// Calls by region.
std::string regions_text(const JobLog& log);
/// The pairs of ranks and targets of one-sided operations with the most bytes.
std::string targets_text(const JobLog& log);
/// Calls by call site.
std::string call_sites_text(const JobLog& log, const JobTotals& totals, SourceLines& lines);
/// The seconds of every rank in the functions with the most time.
std::string rank_functions_text(const JobLog& log, const JobTotals& totals);

/// The members "communicators", "regions" and "call_sites" of haichi-log/1. If `lines` is given, call sites have source
/// lines.
nlohmann::ordered_json site_tables_json(const JobLog& log, SourceLines* lines);

/// One of "MPI_COMM_WORLD", "no communicator", and names such as "communicator 3".
std::string communicator_name(std::uint32_t communicator);

}  // namespace haichi::cli
