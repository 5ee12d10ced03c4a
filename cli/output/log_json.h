#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// The ranks that a report lists individually.
enum class ListedRanks { kAuto, kAll, kSummary };

/// Whether all ranks are listed. With kAuto they are if the functions and peers of all ranks have at most a million
/// rows, which are a few hundred megabytes.
bool lists_all_ranks(const JobLog& log, ListedRanks ranks);

/// haichi-log/1 (docs/reference/results_of_logs.md). Ranks are written one by one, so that memory depends only on the
/// largest rank. The members of `more` follow the balance.
void write_log_json(const JobLog& log, const JobTotals& totals, bool all_ranks, const nlohmann::ordered_json& more,
                    const std::function<void(std::string_view)>& sink);

/// {"messages", "bytes": {"total", "min", "mean", "max"}, "empty", "classes": [24 counts]}
nlohmann::ordered_json messages_json(const MessageStatistics& messages);
/// The functions of the whole job, as in haichi-log/1.
nlohmann::ordered_json functions_json(const JobTotals& totals);
/// {"wall_seconds": {"min", "mean", "max", "deviation", "min_rank", "max_rank"}, "mpi_seconds", "computing_seconds"}
nlohmann::ordered_json balance_json(const JobTotals& totals);
/// All members before the functions.
nlohmann::ordered_json log_head_json(const JobLog& log, const JobTotals& totals);

/// The document as one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::ordered_json& document);

/// "finished", "running", "aborted", "signalled"
std::string rank_state_name(RankState state);

}  // namespace haichi::cli
