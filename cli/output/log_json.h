#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// Which ranks a report lists individually.
enum class ListedRanks { kAuto, kAll, kSummary };

/// Whether the report lists all ranks. With kAuto, it does if the functions and peers of all ranks have at most a
/// million entries, which take a few hundred megabytes.
bool lists_all_ranks(const JobLog& log, ListedRanks ranks);

/// Writes a log in the format haichi-log/1 (docs/reference/results_of_logs.md). Ranks are written one by one, so that
/// memory depends only on the largest rank. The JSON members in `more` follow the balance.
void write_log_json(const JobLog& log, const JobTotals& totals, bool all_ranks, const nlohmann::ordered_json& more,
                    const std::function<void(std::string_view)>& sink);

/// The JSON object {"messages", "bytes": {"total", "min", "mean", "max"}, "empty", "classes": [24 counts]}
nlohmann::ordered_json messages_json(const MessageStatistics& messages);
/// The functions of the whole job, in the format haichi-log/1.
nlohmann::ordered_json functions_json(const JobTotals& totals);
/// The JSON object {"wall_seconds": {"min", "mean", "max", "deviation", "min_rank", "max_rank"}, "mpi_seconds",
/// "computing_seconds"}
nlohmann::ordered_json balance_json(const JobTotals& totals);
/// The members of haichi-log/1 that precede "functions".
nlohmann::ordered_json log_head_json(const JobLog& log, const JobTotals& totals);

/// The document as one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::ordered_json& document);

/// One of "finished", "running", "aborted" and "signalled".
std::string rank_state_name(RankState state);

}  // namespace haichi::cli
