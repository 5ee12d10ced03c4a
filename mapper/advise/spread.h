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

/// Advice on clusters: whether a job that fits into one cluster is faster over all clusters.

/// A job in one cluster, or over several, and its times.
struct SpreadPlace {
    std::vector<std::size_t> clusters;  ///< clusters of the machine, from 0
    std::int32_t ranks = 0;
    std::int32_t nodes = 0;
    std::int32_t ranks_per_node = 1;
    std::vector<SimulatedTime> by_default{};  ///< times of the default placement; empty if not simulated
    std::vector<SimulatedTime> mapped{};      ///< per seed: time of the placement found by the search with this seed
};

/// The smallest of the placements' times; there must be times.
const SimulatedTime& fastest(const SpreadPlace& place);

/// Returns a text such as "cluster 0" or "clusters 0 and 1".
std::string clusters_text(const SpreadPlace& place);

/// Simulations of the fastest placements that the advice requests as needed. They return nothing after an interruption.
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
    std::vector<SpreadPlace> in_one;  ///< clusters that the job fits into, at least one
    SpreadPlace over_all;
    double delay_seconds = 0;     ///< delay of the machine
    std::int64_t iterations = 1;  ///< iterations of the workload
    /// Whether the ranks' computation between messages is known. With more ranks over all clusters, the ranks share the
    /// work, so the answer requires it.
    bool computing_is_known = false;
    std::string unknown_because{};  ///< why nothing was simulated; empty if times exist
    bool interrupted = false;
};

enum class SpreadVerdict {
    kSpread,  ///< the job is faster over all clusters
    kStay,    ///< the job is faster in one cluster
    kEqual,   ///< the difference is within the tolerance
    kUnknown
};

/// Spreading begins, or ceases, to save time between these two values.
struct BreakEven {
    double pays = 0;
    double does_not = 0;
    [[nodiscard]] double middle() const { return (pays + does_not) / 2; }
};

/// The largest delay that is tried.
inline constexpr double kLongestDelaySeconds = 1;

struct SpreadAdvice {
    SpreadVerdict verdict = SpreadVerdict::kUnknown;
    std::size_t best = 0;  ///< index of the fastest in SpreadQuestion::in_one
    double gain = 0;       ///< time in the best cluster divided by the time over all clusters; 0 if unknown
    double tolerance = 0;  ///< tolerance of the gain
    bool pays_without_delay = false;
    bool pays_at_any_delay = false;  ///< up to kLongestDelaySeconds
    std::optional<BreakEven> delay_seconds{};
    std::optional<BreakEven> computing_seconds{};  ///< per iteration in one cluster, if the workload does not state it
    bool interrupted = false;
    std::string sentence;
};

/// Compares the fastest placement in one cluster with the fastest over all clusters. Finds the delay up to which
/// spreading saves time or, if computation is unknown, the computation time from which it does.
SpreadAdvice advise_spread(const SpreadQuestion& question, const SpreadTrials& trials);

/// Bisects the range until its width is a twentieth of the larger value, or `resolution`. Returns nothing after an
/// interruption.
std::optional<BreakEven> narrowed(BreakEven between, double resolution,
                                  const std::function<std::optional<bool>(double)>& pays_at);

/// The compared traffic, and the budget of the answer.
struct SpreadAdviceOptions {
    /// The same work on more ranks, for all clusters. If it is empty, the job's own ranks are spread, fewer per node.
    std::optional<Traffic> spread_traffic{};
    /// Computation time of a rank per iteration in one cluster, if the workload does not state it. Ranks over all
    /// clusters share the work.
    std::optional<double> compute_seconds{};
    TrafficForm form = TrafficForm::kAuto;
    ObjectiveChoice objective{.name = "hop-bytes"};  ///< objective of the searches for placements
    std::uint64_t seed = 1;                          ///< seed of the first search
    std::int32_t seeds = 3;                          ///< search seeds, also the number of placements per side
    double packet_hops = kAdvicePacketHops;          ///< budget for all simulations together
    std::int32_t threads = 0;                        ///< 0 means all cores; the answer does not depend on it
};

/// The answer, format haichi-advice/1. A value type.
struct SpreadAdviceReport {
    std::string machine;
    std::string objective;
    SpreadQuestion question;
    bool of_calls = false;           ///< whether the calls of a log were simulated instead of sets
    double compute_seconds = 0;      ///< with sets: computation time of a rank per iteration in one cluster
    SimulatedIterations iterations;  ///< iterations of each simulation of sets
    std::int64_t simulations = 0;
    SpreadAdvice advice;
    bool interrupted = false;
};

/// Compares the job on its nodes of one cluster with the same job on nodes of all clusters. Each node gets as few ranks
/// as necessary, at most the spec's. Over all clusters, the nodes are taken in proportion to the clusters' sizes. Each
/// side is simulated with the default placement and with one found placement per seed.
///
/// Throws the errors of its parts. Throws UnsupportedError for a machine without clusters, and OptionError if all nodes
/// are in one cluster or the job fits into none. Never prints.
SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control = {});

}  // namespace haichi
