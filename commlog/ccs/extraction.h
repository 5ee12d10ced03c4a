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

/// The computation time that the sets get.
enum class ComputeTime { kNone, kMean };

inline constexpr std::int32_t kMostSendsPerRank = 1 << 10;

/// Options for the extraction of communication sets from a log.
struct ExtractionOptions {
    LevelOptions levels;
    /// Maximum number of messages that a rank sends, and receives, in one set: the number of NICs of a node.
    std::int32_t sends_per_rank = 1;
    MainLoopChoice main_loop;
    ComputeTime compute_time = ComputeTime::kNone;
    /// Maximum number of events in one iteration, summed over the ranks. Each takes about 200 bytes while steps are
    /// assigned.
    std::int64_t most_events = 20'000'000;
    /// Sets, from 0, before which libhaichi-barriers inserts barriers. Empty: Extraction::barriers is not made.
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

/// A main loop that was found, for the report.
struct MainLoopSummary {
    std::int64_t iterations = 0;
    std::int64_t events_per_rank_least = 0, events_per_rank_most = 0;  ///< in one iteration
    std::int32_t ranks = 0;                                            ///< ranks that take part
    double bytes = 0;                                                  ///< sent in all iterations
    double messages = 0;                                               ///< sent in all iterations
    int around = -1;                                                   ///< index of the enclosing main loop, or -1 for
                                                                       ///< none
};

/// Communication sets and the method that found them.
struct Extraction {
    Workload workload;
    std::vector<MainLoopSummary> main_loops;
    int chosen = 0;  ///< index in `main_loops`, or -1 for the whole log
    /// Totals of the job, as counted by its profile or its log, whichever is more. They cover point-to-point messages
    /// to other ranks and the ranks' contributions to expanded collectives.
    double total_bytes = 0, total_messages = 0;
    double main_loop_bytes = 0, main_loop_messages = 0;  ///< the part in the main loop's iterations
    JoinedEvents joined;         ///< properties by which the extraction merged events, in addition to those that the
                                 ///< profiler merged
    double compute_seconds = 0;  ///< for one iteration, mean over the ranks
    std::int64_t steps = 0;
    std::int64_t in_flight = 0;  ///< messages under way at every cut; 0 for a clean cut
    std::int64_t relying_on_buffers = 0, to_oneself = 0, outside = 0, collectives_left = 0, neighborhood = 0;
    std::vector<std::string> warnings;
    barriers::BarrierFile barriers;  ///< for ExtractionOptions::barriers_before
    std::string why_no_barriers;     ///< the reason if they are impossible

    /// Fraction of all bytes that the main loop's iterations send, 0 to 1.
    [[nodiscard]] double fraction_of_bytes() const { return fraction(main_loop_bytes, total_bytes); }
    [[nodiscard]] double fraction_of_messages() const { return fraction(main_loop_messages, total_messages); }
    static double fraction(double part, double total) { return total > 0 ? std::min(part / total, 1.0) : 0; }
};

/// Extracts the concurrent communication sets of a job's main loop. Messages of one set share no source and no
/// destination, and none has to wait for another. The same program and input give the same sets, regardless of timing
/// and of the order of completion. Throws UnsupportedError if the log has no order, if no loop is common to all ranks,
/// or if the main loop has no messages. A log with missing parts is used as a single iteration only on request.
Extraction extract_sets(const JobLog& job, const ExtractionOptions& options);

/// Returns the calls of the job with barriers before these sets (from 0) of extract_sets(job, {}). Throws its errors,
/// and UnsupportedError if a set has no cut that all ranks share.
barriers::BarrierFile barriers_before(const JobLog& job, const std::vector<std::size_t>& sets);

/// Returns warnings for users who do not inspect the sets. They list bytes that the sets do not cover, omitted
/// collectives, and the warnings of the extraction.
std::vector<std::string> caveats(const Extraction& extraction);

}  // namespace haichi
