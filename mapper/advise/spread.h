#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mapper/advise/advice_runs.h"
#include "mapper/advise/evidence.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/posed_job.h"

namespace haichi {

/// Advice on clusters: finds out whether a job that fits into one cluster is faster over all clusters.

/// A job in one cluster, or over several, and its times.
struct SpreadPlace {
    std::vector<std::size_t> clusters;  ///< clusters of the machine, from 0
    std::int32_t ranks = 0;
    std::int32_t nodes = 0;
    std::int32_t ranks_per_node = 1;
    std::vector<SimulatedTime> by_default{};  ///< times of the default placement; empty if not simulated
    std::vector<SimulatedTime> mapped{};      ///< per seed: time of the placement found by the search with this seed
};

/// The smallest time of any placement. There must be at least one.
const SimulatedTime& fastest(const SpreadPlace& place);

/// Returns a text such as "cluster 0" or "clusters 0 and 1".
std::string clusters_text(const SpreadPlace& place);

/// Simulates the fastest placements under other conditions, as the advice needs them. The functions return an empty
/// result after an interruption.
struct SpreadTrials {
    /// Time over all clusters if the link between them delays packets this long. Empty if the machine has no such
    /// delay.
    std::function<std::optional<SimulatedTime>(double delay_seconds)> with_delay{};
    struct Both {
        SimulatedTime in_one;
        SimulatedTime over_all;
    };
    /// Times if a rank in one cluster computes this long per iteration. The ranks over all clusters share the same
    /// work.
    std::function<std::optional<Both>(double seconds)> with_computing{};
};

struct SpreadQuestion {
    std::vector<SpreadPlace> in_one;  ///< an entry for each cluster into which the job fits, at least one
    SpreadPlace over_all;
    double delay_seconds = 0;     ///< delay of the machine
    std::int64_t iterations = 1;  ///< iterations of the workload
    /// Whether the ranks' computation between messages is known. The answer requires it if there are more ranks over
    /// all clusters, because these share the work.
    bool computing_is_known = false;
    std::string unknown_because{};  ///< reason why nothing was simulated; empty if there are times
    bool interrupted = false;
};

enum class SpreadVerdict {
    kSpread,  ///< the job is faster over all clusters
    kStay,    ///< the job is faster in one cluster
    kEqual,   ///< the difference is within the tolerance
    kUnknown
};

/// An interval with the value at which spreading begins, or ceases, to save time.
struct BreakEven {
    double pays = 0;
    double does_not = 0;
    [[nodiscard]] double middle() const { return (pays + does_not) / 2; }
};

/// The largest delay tried.
inline constexpr double kLongestDelaySeconds = 1;

struct SpreadAdvice {
    SpreadVerdict verdict = SpreadVerdict::kUnknown;
    std::size_t best = 0;  ///< index in SpreadQuestion::in_one of the fastest cluster
    double gain = 0;       ///< time in the best cluster divided by the time over all clusters; 0 if unknown
    double tolerance = 0;  ///< tolerance of the gain
    bool pays_without_delay = false;
    bool pays_at_any_delay = false;  ///< at any delay up to kLongestDelaySeconds
    std::optional<BreakEven> delay_seconds{};
    std::optional<BreakEven> computing_seconds{};  ///< per iteration in one cluster; unless the workload states it
    bool interrupted = false;
    std::string sentence;
};

/// Compares the fastest placement in one cluster with the fastest over all clusters. Finds the delay up to which
/// spreading saves time or, if computation is unknown, the computation time from which it does.
SpreadAdvice advise_spread(const SpreadQuestion& question, const SpreadTrials& trials);

/// Bisects the interval until it is narrower than a twentieth of its larger value, or than `resolution`. Empty after an
/// interruption.
std::optional<BreakEven> narrowed(BreakEven between, double resolution,
                                  const std::function<std::optional<bool>(double)>& pays_at);

/// The traffic to compare, and the budget of the answer.
struct SpreadAdviceOptions {
    /// Traffic of the same work on more ranks, for all clusters. If empty, the job's own ranks are spread, with fewer
    /// ranks per node.
    std::optional<Traffic> spread_traffic{};
    /// Computation time of a rank per iteration in one cluster, if the workload does not state it. Ranks over all
    /// clusters share the work.
    std::optional<double> compute_seconds{};
    TrafficForm form = TrafficForm::kAuto;
    ObjectiveChoice objective{.name = "hop-bytes"};  ///< objective of the searches for placements
    std::uint64_t seed = 1;                          ///< seed of the first search
    std::int32_t seeds = 3;                          ///< number of search seeds, and of placements per side
    double packet_hops = kAdvicePacketHops;          ///< budget for all simulations together
    std::int32_t threads = 0;                        ///< 0 means all cores; the answer does not depend on it
};

/// The answer on clusters, written as haichi-advice/1. A value type.
struct SpreadAdviceReport {
    std::string machine;
    std::string objective;
    SpreadQuestion question;
    bool of_calls = false;           ///< whether the calls of a log were simulated instead of sets
    double compute_seconds = 0;      ///< for sets: computation time of a rank per iteration in one cluster
    SimulatedIterations iterations;  ///< iterations of each simulation of sets
    std::int64_t simulations = 0;
    SpreadAdvice advice;
    bool interrupted = false;
};

/// Compares the job on its nodes of one cluster with the same job on nodes of all clusters. Each node gets as few ranks
/// as necessary, at most the ranks per node of `spec`. Over all clusters, the nodes are taken in proportion to the
/// clusters' sizes. Each side is simulated with the default placement and with one found placement per seed.
///
/// Throws the errors of searches and simulations. Throws UnsupportedError for a machine without clusters, and
/// OptionError if all nodes are in one cluster or the job fits into no cluster. Never prints.
SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control = {});

}  // namespace haichi
