#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commlog/workload/workload.h"
#include "mapper/job/simulate_job.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/search/convergence.h"
#include "mapper/search/search_options.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"

namespace haichi {

/// Everything `haichi map` is asked, as written by a user; the Python package and the service fill the same fields.
struct MapRequest {
    std::variant<std::string, Machine> machine;  ///< preset, file, or value
    GivenWorkload workload;
    std::string workload_format;  ///< of the file (workload_formats()); empty: by its content
    std::optional<std::int64_t> message_size_bytes;
    AllocationRequest allocation;
    std::string hosts;               ///< names of the nodes, as HostNames::read() takes them; empty: not known
    std::string objective = "tac3";  ///< as parse_objective reads it, or "./libx.so:name" (mapper/anneal/plugin.h)
    ObjectiveFunction objective_function{};  ///< instead; `objective` is then its name
    std::string strategy = "auto";           ///< of strategies()
    /// Where annealing starts: a strategy's name or a map file; empty: the best of default, greedy and bisection.
    std::string start;
    /// The rank-map format that the result will be written in, refused before the search when the job cannot have it;
    /// empty: not known yet.
    std::string map_format;
    SearchOptions search;
    std::optional<SimulationOptions> validation{};  ///< the winner and the default placement are simulated
};

/// What `haichi evaluate` is asked: a given placement under every objective.
struct EvaluateRequest {
    std::variant<std::string, Machine> machine;
    GivenWorkload workload;
    std::string workload_format;  ///< as in MapRequest
    std::optional<std::int64_t> message_size_bytes;
    AllocationRequest allocation;
    std::string hosts;               ///< as in MapRequest
    std::string objective = "tac3";  ///< the one that `value` and `lower_bound` of the report are about
    ObjectiveFunction objective_function{};
    /// A map file (in `format`, or recognised), or the node of each rank.
    std::variant<std::string, std::vector<NodeId>> map;
    std::string format;
    std::size_t hottest_links = 10;                 ///< how many the report lists
    std::optional<SimulationOptions> simulation{};  ///< of the placement and the default one
};

/// One objective's value of a placement beside its bound. No value where the objective does not apply.
struct ObjectiveValue {
    std::string objective;
    std::string unit;
    double value = 0;
    std::optional<double> lower_bound;
    /// The two as counted, where the unit counts something: a double beyond 2^53 is not it.
    std::optional<unsigned __int128> counted_value{};
    std::optional<unsigned __int128> counted_lower_bound{};
    bool optimal = false;  ///< value and bound are exactly equal
};

/// A placement that simulated-time looked at.
struct PlacementCandidate {
    bool is_default = false;
    double searched_value = 0;                    ///< of MapReport::searched_objective
    std::optional<double> seconds_per_iteration;  ///< nothing: cut short by a limit or an interruption
};

/// The answer: haichi-report/1 with all it needs to be printed. A value.
struct MapReport {
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const HostNames> hosts;  ///< null: not known
    std::uint64_t seed = 1;
    std::string strategy;
    std::string objective;
    std::string unit;
    double value = 0;
    std::optional<double> lower_bound;
    std::optional<unsigned __int128> counted_value;  ///< as in ObjectiveValue
    std::optional<unsigned __int128> counted_lower_bound;
    bool optimal = false;
    std::int64_t evaluations = 0;
    std::vector<ConvergencePoint> convergence;  ///< of the annealing run that won, in the unit of its objective
    double evaluations_per_second = 0;          ///< of the annealing loop alone, per thread
    double wall_seconds = 0;                    ///< of the whole job, without simulations
    bool interrupted = false;
    bool reproducible = true;
    std::optional<double> time_limit_seconds;  ///< of the search, where it had one
    /// For objectives searched elsewhere (rmatt-3d): the value there; `value` is that on the real topology.
    std::optional<double> search_value;

    /// simulated-time: what was searched, and the placements compared, in the order of their simulation. Where not even
    /// two could be compared before the end, `objective` and `value` are those of the search.
    std::optional<std::string> searched_objective;
    std::vector<PlacementCandidate> candidates;

    Mapping mapping;
    Metrics metrics;
    Metrics default_metrics;   ///< of the default placement
    double default_value = 0;  ///< objective's value of the default placement
    std::optional<unsigned __int128> default_counted_value;
    std::vector<ObjectiveValue> objectives;  ///< every registered objective that applies (evaluate only)
    std::vector<HotLink> hottest_links;
    std::optional<SimulatedPlacement> simulated;
};

/// Loads, allocates, searches and measures; simulates, unless interrupted before. Throws the errors of its parts; never
/// prints.
MapReport run_map(const MapRequest& request, const SearchControl& control = {},
                  const SimulationControl& simulation = {});
MapReport run_evaluate(const EvaluateRequest& request, const SimulationControl& simulation = {});

/// What the writers of rank maps need of a report, which must outlive it.
RankMapContext rank_map_context(const MapReport& report);

}  // namespace haichi
