#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// The totals of one function over all ranks that called it.
struct FunctionTotals {
    std::string name;
    std::int32_t ranks = 0;  ///< number of ranks that called it
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< min and max are times of single calls
    MessageStatistics sent, received;
    double own_seconds = 0;  ///< time of the profiler itself: number of calls times the time per call

    /// Returns false for formats that have only the sum of the times.
    [[nodiscard]] bool has_extremes() const { return seconds_max > 0 || seconds_total <= 0; }
    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
    /// The profiler's own time as a fraction of the function's total time; 0 if unknown.
    [[nodiscard]] double own_share() const { return seconds_total > 0 ? own_seconds / seconds_total : 0; }
};

/// Statistics over the ranks of one kind of time.
struct RankSpread {
    double min = 0, mean = 0, max = 0;
    double deviation = 0;                     ///< standard deviation over the ranks
    std::int32_t min_rank = 0, max_rank = 0;  ///< the smallest ranks with the min and max times
};

/// The totals of a job's profile.
struct JobTotals {
    std::vector<FunctionTotals> functions;  ///< sorted by time, longest first, then by name
    std::int32_t profiled_ranks = 0;        ///< number of ranks that have a profile
    bool has_times = false;                 ///< false if all times are 0 because the format has none
    double run_seconds = 0;                 ///< longest time of any rank
    double mpi_seconds = 0;                 ///< sum over all ranks
    double computing_seconds = 0;           ///< time outside MPI, summed over all ranks
    RankSpread wall, mpi, computing;
    std::uint64_t lost_messages = 0, lost_bytes = 0;
    PeerCounters outside{};  ///< point-to-point traffic with processes outside the job (spawned or connected)
    std::vector<std::string> hosts, programs, libraries;  ///< sorted, without duplicates
};

/// Takes O(functions of all ranks) time.
JobTotals job_totals(const JobLog& log);

/// Returns a rank's seconds outside MPI; 0 if its threads together spent more time in MPI than the run took.
double computing_seconds(const RankProfile& profile);

/// Returns true if the histogram contains all messages. Some formats have only the count and the bytes of messages.
bool has_all_sizes(const MessageStatistics& messages);

/// Adds `more` to `sum`, with the result that a common count of all messages would have had.
void add_messages(MessageStatistics& sum, const MessageStatistics& more);

/// The smallest fraction of the time in MPI at which a function's time is considered large.
inline constexpr double kLargeTimeShare = 0.05;
/// The smallest fraction of a call's mean time at which the profiler's own time distorts the measurement.
inline constexpr double kSpoilingShare = 0.1;

/// Returns true if the profiler's own time distorts the time of a function with a large time.
bool is_spoiled(const FunctionTotals& function, const JobTotals& totals);

/// Point-to-point traffic from one rank to another.
struct PairTraffic {
    std::int32_t source = 0, destination = 0;
    std::uint64_t messages = 0, bytes = 0;
    bool from_receiver = false;  ///< the sender's data are missing
};

/// Calls `visit` for every pair of ranks with traffic, in ascending order of sources. Pairs that only the receiver's
/// data contain follow, in ascending order of destinations. For each rank, the data come from the profile or, without a
/// profile, from the call log. Traffic with processes outside the job is omitted.
void visit_pairs(const JobLog& log, const std::function<void(const PairTraffic&)>& visit);

/// Returns the sum of all ranks' operations on the memory of other ranks. Logs contain only sums of these operations,
/// not their order.
OneSidedCounters one_sided_total(const JobLog& log);

}  // namespace haichi
