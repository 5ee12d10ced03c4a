#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "commlog/ccs/kernel_choice.h"
#include "commlog/ccs/levels.h"
#include "commlog/log/job_log.h"
#include "commlog/log/read_calls.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// What computing time the sets are given.
enum class ComputeTime { kNone, kMean };

inline constexpr std::int32_t kMostSendsPerRank = 1 << 10;

/// How communication sets are extracted from a log.
struct ExtractionOptions {
    LevelOptions levels;
    /// In one set a rank sends and receives at most so many messages: the network interfaces of a node.
    std::int32_t sends_per_rank = 1;
    KernelChoice kernel;
    ComputeTime compute_time = ComputeTime::kNone;
    /// Of one repetition, all ranks together; more are refused. About 200 bytes each while levels are found.
    std::int64_t most_events = 20'000'000;
};

struct CollectiveScopeRow {
    std::string_view name;
    std::string_view sentence;
    CollectiveScope scope;
};
const Table<CollectiveScopeRow>& collective_scopes();
struct ComputeTimeRow {
    std::string_view name;
    std::string_view sentence;
    ComputeTime time;
};
const Table<ComputeTimeRow>& compute_times();

/// A kernel that was found, for the report.
struct KernelSummary {
    std::int64_t repetitions = 0;
    std::int64_t events_per_rank_least = 0, events_per_rank_most = 0;  ///< in one repetition
    std::int32_t ranks = 0;                                            ///< that take part
    double bytes = 0;                                                  ///< sent in all repetitions
    double messages = 0;                                               ///< likewise
    int around = -1;                                                   ///< the kernel of which it is a loop; -1: none
};

/// Communication sets and how they were found.
struct Extraction {
    Workload workload;
    std::vector<KernelSummary> kernels;
    int chosen = 0;  ///< index in `kernels`; -1: the whole log
    /// Of the job, as its profile or its log counted, whichever is more: point-to-point messages to others, and what
    /// ranks give to collectives that are expanded.
    double total_bytes = 0, total_messages = 0;
    double kernel_bytes = 0, kernel_messages = 0;  ///< of these, in the kernel's repetitions
    JoinedEvents joined;         ///< what the log's events were not told apart by, beside what the profiler did
    double compute_seconds = 0;  ///< of one repetition, mean over the ranks
    std::int64_t levels = 0;
    std::int64_t in_flight = 0;  ///< messages under way at every cut; 0: the cut is clean
    std::int64_t relying_on_buffers = 0, to_oneself = 0, outside = 0, collectives_left = 0, neighborhood = 0;
    std::vector<std::string> warnings;

    /// What the kernel's repetitions explain of the bytes sent, 0 to 1.
    [[nodiscard]] double share_of_bytes() const { return share(kernel_bytes, total_bytes); }
    [[nodiscard]] double share_of_messages() const { return share(kernel_messages, total_messages); }
    static double share(double part, double total) { return total > 0 ? std::min(part / total, 1.0) : 0; }
};

/// The concurrent communication sets of a job's repeating kernel, as messages that neither share a source or a
/// destination nor have to wait for each other. The same program and input give the same sets, whatever the timing and
/// the order of completion were. Throws UnsupportedError where there are none: the log has no order, nothing repeats in
/// all ranks alike, or the kernel has no messages. A log of which parts are missing is taken as one repetition only
/// when that is asked for.
Extraction extract_sets(const JobLog& job, const ExtractionOptions& options);

/// What whoever takes the sets unseen has to be told: bytes that they say nothing of, collectives that are left out,
/// and the warnings.
std::vector<std::string> caveats(const Extraction& extraction);

}  // namespace haichi
