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

/// Advice on clusters: whether a job that fits into one of them is faster over all.

/// A job in one cluster, or over several, and its times.
struct SpreadPlace {
    std::vector<std::size_t> clusters;  ///< of the machine, from 0
    std::int32_t ranks = 0;
    std::int32_t nodes = 0;
    std::int32_t ranks_per_node = 1;
    std::vector<SimulatedTime> by_default{};  ///< of the default placement; empty: not simulated
    std::vector<SimulatedTime> mapped{};      ///< by seed, of the placement that this seed's search found
};

/// Of its placements; there must be times.
const SimulatedTime& fastest(const SpreadPlace& place);

/// "cluster 0", "clusters 0 and 1"
std::string clusters_text(const SpreadPlace& place);

/// Simulations that the advice asks for as it goes on, of the fastest placements; nothing: interrupted.
struct SpreadTrials {
    /// Over all clusters, when what joins them holds packets so long. Empty: cannot be had.
    std::function<std::optional<SimulatedTime>(double delay_seconds)> with_delay{};
    struct Both {
        SimulatedTime in_one;
        SimulatedTime over_all;
    };
    /// When a rank in one cluster computes so long in each iteration, and those over all share the same work.
    std::function<std::optional<Both>(double seconds)> with_computing{};
};

struct SpreadQuestion {
    std::vector<SpreadPlace> in_one;  ///< clusters that the job fits into; at least one
    SpreadPlace over_all;
    double delay_seconds = 0;     ///< of the machine
    std::int64_t iterations = 1;  ///< of the workload
    /// What the ranks compute between their messages. Where there are more ranks over all clusters, nothing can be said
    /// without: they share the work.
    bool computing_is_known = false;
    std::string unknown_because{};  ///< nothing was simulated; empty: it was
    bool interrupted = false;
};

enum class SpreadVerdict {
    kSpread,  ///< over all clusters it is faster
    kStay,    ///< in one
    kEqual,   ///< they cannot be told apart
    kUnknown
};

/// Between these two it begins, or ends, to pay.
struct BreakEven {
    double pays = 0;
    double does_not = 0;
    [[nodiscard]] double middle() const { return (pays + does_not) / 2; }
};

/// Delays that are looked at, at most.
inline constexpr double kLongestDelaySeconds = 1;

struct SpreadAdvice {
    SpreadVerdict verdict = SpreadVerdict::kUnknown;
    std::size_t best = 0;  ///< of SpreadQuestion::in_one: the fastest
    double gain = 0;       ///< its time over that over all clusters; 0: not known
    double tolerance = 0;  ///< of the gain
    bool pays_without_delay = false;
    bool pays_at_any_delay = false;  ///< up to kLongestDelaySeconds
    std::optional<BreakEven> delay_seconds{};
    std::optional<BreakEven> computing_seconds{};  ///< of an iteration in one cluster, where it is not known
    bool interrupted = false;
    std::string sentence;
};

/// Compares the fastest placement in one cluster with the fastest over all, and finds the delay up to which spreading
/// pays; or, where computing is not known, the computing time from which on it does.
SpreadAdvice advise_spread(const SpreadQuestion& question, const SpreadTrials& trials);

/// Halves the distance until it is a twentieth of the larger one, or `resolution`. Nothing after an interruption.
std::optional<BreakEven> narrowed(BreakEven between, double resolution,
                                  const std::function<std::optional<bool>(double)>& pays_at);

/// What is compared, and what the answer may cost.
struct SpreadAdviceOptions {
    /// The same work on more ranks, for all clusters; nothing: the job's own ranks, fewer on a node.
    std::optional<Traffic> spread_traffic{};
    /// That a rank computes in an iteration in one cluster, where the workload does not state it; ranks over all
    /// clusters share the work.
    std::optional<double> compute_seconds{};
    TrafficForm form = TrafficForm::kAuto;
    ObjectiveChoice objective{.name = "hop-bytes"};  ///< that placements are searched by
    std::uint64_t seed = 1;                          ///< of the first search
    std::int32_t seeds = 3;                          ///< of the search: placements in each cluster, and over all
    double packet_hops = kAdvicePacketHops;          ///< that all simulations together may take
    std::int32_t threads = 0;                        ///< 0: all cores; the answer does not depend on it
};

/// The answer: haichi-advice/1. A value.
struct SpreadAdviceReport {
    std::string machine;
    std::string objective;
    SpreadQuestion question;
    bool of_calls = false;           ///< those of a log were simulated, else sets
    double compute_seconds = 0;      ///< of a rank in an iteration in one cluster; of sets
    SimulatedIterations iterations;  ///< of each simulation of sets
    std::int64_t simulations = 0;
    SpreadAdvice advice;
    bool interrupted = false;
};

/// Compares the job on the nodes that it has in one cluster with the same on nodes of all of them: as few ranks to a
/// node as it needs, at most the spec's, and over all clusters as many nodes of each as its share of all nodes is. Each
/// with the default placement and one per seed that a search finds. Throws the errors of its parts, UnsupportedError
/// for a machine without clusters, OptionError for nodes in one only, and for a job that fits into none. Never prints.
SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control = {});

}  // namespace haichi
