#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "commlog/barriers/script.h"
#include "commlog/ccs/levels.h"
#include "commlog/ccs/main_loop_choice.h"
#include "commlog/log/job_log.h"
#include "commlog/log/read_calls.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// Selects the computation time of sets.
enum class ComputeTime { kNone, kMean };

inline constexpr std::int32_t kMostSendsPerRank = 1 << 10;

/// Options for the extraction of communication sets from a log.
struct ExtractionOptions {
    LevelOptions levels;
    /// Maximum number of messages that a rank sends in one set, and of those it receives: the number of NICs per node.
    std::int32_t sends_per_rank = 1;
    MainLoopChoice main_loop;
    ComputeTime compute_time = ComputeTime::kNone;
    /// Maximum number of events in one iteration, summed over the ranks. While steps are assigned, each event takes
    /// about 200 bytes.
    std::int64_t most_events = 20'000'000;
    /// The sets, numbered from 0, before which libhaichi-barriers will insert barriers. If empty, Extraction::barriers
    /// remains empty.
    std::vector<std::size_t> barriers_before;
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

/// Describes a main loop in the report.
struct MainLoopSummary {
    std::int64_t iterations = 0;
    std::int64_t events_per_rank_least = 0, events_per_rank_most = 0;  ///< events in one iteration
    std::int32_t ranks = 0;                                            ///< number of participating ranks
    double bytes = 0;                                                  ///< bytes sent in all iterations
    double messages = 0;                                               ///< messages sent in all iterations
    /// Index of the enclosing main loop; -1 if there is none.
    int around = -1;
};

/// The communication sets of a job, and how they were found.
struct Extraction {
    Workload workload;
    std::vector<MainLoopSummary> main_loops;
    int chosen = 0;  ///< index in `main_loops`; -1 means the whole log
    /// Totals of the job according to its profile or its log, whichever are larger. They include point-to-point
    /// messages to other ranks, and each rank's contribution to expanded collectives.
    double total_bytes = 0, total_messages = 0;
    double main_loop_bytes = 0, main_loop_messages = 0;  ///< the part of the totals in the iterations of the main loop
    JoinedEvents joined;         ///< properties in which merged events differ, beyond the merging by the profiler
    double compute_seconds = 0;  ///< per iteration, mean over the ranks
    std::int64_t steps = 0;
    std::int64_t in_flight = 0;  ///< number of messages in flight at every cut; 0 for a clean cut
    std::int64_t relying_on_buffers = 0, to_oneself = 0, outside = 0, collectives_left = 0, neighborhood = 0;
    std::vector<std::string> warnings;
    barriers::BarrierFile barriers;  ///< result for ExtractionOptions::barriers_before
    std::string why_no_barriers;     ///< the reason why barriers are impossible; empty otherwise

    /// Fraction of all bytes that the iterations of the main loop send, from 0 to 1.
    [[nodiscard]] double fraction_of_bytes() const { return fraction(main_loop_bytes, total_bytes); }
    [[nodiscard]] double fraction_of_messages() const { return fraction(main_loop_messages, total_messages); }
    static double fraction(double part, double total) { return total > 0 ? std::min(part / total, 1.0) : 0; }
};

/// Extracts the concurrent communication sets of a job's main loop. No two messages of a set have the same source or
/// the same destination, and no message of a set waits for another one. The same program and input result in the same
/// sets, whatever the timing and the order of completion. Throws UnsupportedError if the log has no order of calls, if
/// the ranks have no common loop, or if the main loop has no messages. A log with missing parts is only used on
/// request, as a single iteration.
Extraction extract_sets(const JobLog& job, const ExtractionOptions& options);

/// Returns the calls of the job, with barriers before the given sets of extract_sets(job, {}), numbered from 0. Throws
/// the errors of extract_sets(), and UnsupportedError if the ranks have no common cut before a set.
barriers::BarrierFile barriers_before(const JobLog& job, const std::vector<std::size_t>& sets);

/// Returns warnings for users who do not look at the sets. They concern bytes outside of the sets, omitted collectives,
/// and the extraction itself.
std::vector<std::string> caveats(const Extraction& extraction);

}  // namespace haichi
