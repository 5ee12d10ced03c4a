#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/output/source_lines.h"
#include "commlog/log/job_totals.h"
#include "commlog/log/site_totals.h"

namespace haichi::cli {

/// The tables of `log show` that a profile with sites gives, each with a blank line before it, empty where there is
/// nothing for it.

/// Calls by communicator, those of one size together, and how long collectives have waited.
std::string communicators_text(const JobLog& log, const JobTotals& totals);
/// Calls by region.
std::string regions_text(const JobLog& log);
/// Ranks and the targets of their one-sided operations, those with the most bytes.
std::string targets_text(const JobLog& log);
/// Calls by the place of the program that makes them.
std::string call_sites_text(const JobLog& log, const JobTotals& totals, SourceLines& lines);
/// Seconds of every rank in the functions with the most time.
std::string rank_functions_text(const JobLog& log, const JobTotals& totals);

/// Members of haichi-log/1: "communicators", "regions", "call_sites". With `lines` the sites have their places.
nlohmann::ordered_json site_tables_json(const JobLog& log, SourceLines* lines);

/// "MPI_COMM_WORLD", "communicator 3", "no communicator"
std::string communicator_name(std::uint32_t communicator);

}  // namespace haichi::cli
