#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_totals.h"
#include "commlog/log/site_totals.h"

namespace haichi::cli {

/// The tables of `log show` for a profile with call sites. Each begins with a blank line, and is empty without data.

/// Calls by communicator, where communicators of one size are one row, and the waiting time of collectives.
std::string communicators_text(const JobLog& log, const JobTotals& totals);
/// Calls by region.
std::string regions_text(const JobLog& log);
/// The pairs of ranks and targets of one-sided operations with the most bytes.
std::string targets_text(const JobLog& log);
/// Calls by call site.
std::string call_sites_text(const JobLog& log, const JobTotals& totals, SourceLines& lines);
/// Seconds of every rank in the functions with the most time.
std::string rank_functions_text(const JobLog& log, const JobTotals& totals);

/// The members "communicators", "regions" and "call_sites" of haichi-log/1. With `lines`, call sites have source lines.
nlohmann::ordered_json site_tables_json(const JobLog& log, SourceLines* lines);

/// "MPI_COMM_WORLD", "communicator 3", "no communicator"
std::string communicator_name(std::uint32_t communicator);

}  // namespace haichi::cli
