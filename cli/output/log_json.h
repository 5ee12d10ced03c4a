#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// Which ranks a report lists one by one.
enum class ListedRanks { kAuto, kAll, kSummary };

/// Whether all ranks are listed: of kAuto those of jobs whose functions and peers, of all ranks, are a million rows at
/// most, some hundred megabytes.
bool lists_all_ranks(const JobLog& log, ListedRanks ranks);

/// haichi-log/1 (docs/reference/results_of_logs.md), the ranks one by one: memory is that of the largest rank. The members
/// of `more` follow the balance.
void write_log_json(const JobLog& log, const JobTotals& totals, bool all_ranks, const nlohmann::ordered_json& more,
                    const std::function<void(std::string_view)>& sink);

/// {"messages", "bytes": {"total", "min", "mean", "max"}, "empty", "classes": [24 counts]}
nlohmann::ordered_json messages_json(const MessageStatistics& messages);
/// The functions of the whole job, as in haichi-log/1.
nlohmann::ordered_json functions_json(const JobTotals& totals);
/// {"wall_seconds": {"min", "mean", "max", "deviation", "min_rank", "max_rank"}, "mpi_seconds", "computing_seconds"}
nlohmann::ordered_json balance_json(const JobTotals& totals);
/// Everything before the functions.
nlohmann::ordered_json log_head_json(const JobLog& log, const JobTotals& totals);

/// As one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::ordered_json& document);

/// "finished", "running", "aborted", "signalled"
std::string rank_state_name(RankState state);

}  // namespace haichi::cli
