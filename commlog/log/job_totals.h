#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// The totals of a function over all ranks that called it.
struct FunctionTotals {
    std::string name;
    std::int32_t ranks = 0;  ///< ranks that called it
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< min and max are for one call
    MessageStatistics sent, received;
    double own_seconds = 0;  ///< cost of the profiler itself: calls times its cost per call

    /// False for some formats, which have only the sum.
    [[nodiscard]] bool has_extremes() const { return seconds_max > 0 || seconds_total <= 0; }
    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
    /// The profiler's cost as a fraction of the mean time of a call, or 0 if unknown.
    [[nodiscard]] double own_share() const { return seconds_total > 0 ? own_seconds / seconds_total : 0; }
};

/// The distribution of a time over the ranks.
struct RankSpread {
    double min = 0, mean = 0, max = 0;
    double deviation = 0;                     ///< standard deviation over the ranks
    std::int32_t min_rank = 0, max_rank = 0;  ///< the first ranks with these times
};

/// The totals of a job's profile.
struct JobTotals {
    std::vector<FunctionTotals> functions;  ///< sorted by time, longest first, then by name
    std::int32_t profiled_ranks = 0;        ///< ranks that have a profile
    bool has_times = false;                 ///< false: all times are 0, because the format has none
    double run_seconds = 0;                 ///< longest time of any rank
    double mpi_seconds = 0;                 ///< sum over all ranks
    double computing_seconds = 0;           ///< outside MPI, sum over all ranks
    RankSpread wall, mpi, computing;
    std::uint64_t lost_messages = 0, lost_bytes = 0;
    PeerCounters outside{};  ///< point-to-point traffic with processes outside the job (spawned or connected)
    std::vector<std::string> hosts, programs, libraries;  ///< without duplicates, sorted
};

/// O(functions of all ranks).
JobTotals job_totals(const JobLog& log);

/// Returns a rank's seconds outside MPI, or 0 if its threads together are in MPI for longer than the run.
double computing_seconds(const RankProfile& profile);

/// Returns whether the histogram holds all messages. Some formats have only their number and bytes.
bool has_all_sizes(const MessageStatistics& messages);

/// Adds `more` to `sum`, as if all messages had been counted together.
void add_messages(MessageStatistics& sum, const MessageStatistics& more);

/// A function's time counts as large from this fraction of the time in MPI.
inline constexpr double kLargeTimeShare = 0.05;
/// The profiler's own cost distorts the measurement from this fraction of a call's mean time.
inline constexpr double kSpoilingShare = 0.1;

/// Returns whether the profiler's own cost distorts the time of a function that matters.
bool is_spoiled(const FunctionTotals& function, const JobTotals& totals);

/// Point-to-point traffic from one rank to another.
struct PairTraffic {
    std::int32_t source = 0, destination = 0;
    std::uint64_t messages = 0, bytes = 0;
    bool from_receiver = false;  ///< the sender's side is unknown
};

/// Calls `visit` for every pair of ranks with traffic, in the order of sources. Pairs that only the receiver knows
/// follow, in the order of destinations. The data come from the profile, or from the call log of ranks without a
/// profile. Traffic with processes outside the job is left out.
void visit_pairs(const JobLog& log, const std::function<void(const PairTraffic&)>& visit);

/// Returns the operations of all ranks on the memory of other ranks. Logs contain their sums, not their order.
OneSidedCounters one_sided_total(const JobLog& log);

}  // namespace haichi
