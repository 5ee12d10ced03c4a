#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapper/advise/spread.h"
#include "mapper/job/advice_runs.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/posed_job.h"

namespace haichi {

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

/// Clusters that the job is tried in at most, the largest that it fits into.
inline constexpr std::size_t kMostClustersTried = 8;

/// Compares the job on the nodes that it has in one cluster with the same on nodes of all of them: as few ranks to a
/// node as it needs, at most the spec's, and over all clusters as many nodes of each as its share of all nodes is. Each
/// with the default placement and one per seed that a search finds. Throws the errors of its parts, UnsupportedError
/// for a machine without clusters, OptionError for nodes in one only, and for a job that fits into none. Never prints.
SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control = {});

}  // namespace haichi
