#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// A function over all ranks that called it.
struct FunctionTotals {
    std::string name;
    std::int32_t ranks = 0;  ///< that called it
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< of one call the least and the most
    MessageStatistics sent, received;
    double own_seconds = 0;  ///< of the profiler itself: calls times its cost

    /// Some formats have the sum only.
    [[nodiscard]] bool has_extremes() const { return seconds_max > 0 || seconds_total <= 0; }
    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
    /// The profiler's cost as a share of the mean time of a call; 0: not known.
    [[nodiscard]] double own_share() const { return seconds_total > 0 ? own_seconds / seconds_total : 0; }
};

/// A time of the ranks.
struct RankSpread {
    double min = 0, mean = 0, max = 0;
    double deviation = 0;                     ///< standard deviation over the ranks
    std::int32_t min_rank = 0, max_rank = 0;  ///< the first ones
};

/// The profile of a job in sums.
struct JobTotals {
    std::vector<FunctionTotals> functions;  ///< most time first, equal ones by name
    std::int32_t profiled_ranks = 0;        ///< that have a profile
    bool has_times = false;                 ///< else all times are 0: some formats have none
    double run_seconds = 0;                 ///< the longest of the ranks
    double mpi_seconds = 0;                 ///< all ranks together
    double computing_seconds = 0;           ///< outside MPI, all ranks together
    RankSpread wall, mpi, computing;
    std::uint64_t lost_messages = 0, lost_bytes = 0;
    PeerCounters outside{};  ///< point-to-point traffic with processes outside the job: spawned, connected
    std::vector<std::string> hosts, programs, libraries;  ///< different ones, sorted
};

/// O(functions of all ranks).
JobTotals job_totals(const JobLog& log);

/// Seconds of a rank outside MPI; 0 where several threads are in MPI for longer than the run.
double computing_seconds(const RankProfile& profile);

/// Whether the histogram holds all messages: some formats have their number and bytes only.
bool has_all_sizes(const MessageStatistics& messages);

/// Adds up messages, as if all had been counted in one place.
void add_messages(MessageStatistics& sum, const MessageStatistics& more);

/// Share of the time in MPI from which on a function's time counts as large.
inline constexpr double kLargeTimeShare = 0.05;
/// Share of a call's mean time from which on the profiler's own cost spoils the measurement.
inline constexpr double kSpoilingShare = 0.1;

/// Whether the profiler's own cost is too large a part of a function that matters.
bool is_spoiled(const FunctionTotals& function, const JobTotals& totals);

/// Point-to-point traffic from one rank to another.
struct PairTraffic {
    std::int32_t source = 0, destination = 0;
    std::uint64_t messages = 0, bytes = 0;
    bool from_receiver = false;  ///< the sender's side is not known
};

/// Calls `visit` for every pair of ranks with traffic, in the order of sources; behind them pairs that only the
/// receiver knows of, in the order of destinations. From the profile, or from the call log of ranks without one.
/// Traffic with processes outside the job is left out.
void visit_pairs(const JobLog& log, const std::function<void(const PairTraffic&)>& visit);

}  // namespace haichi
