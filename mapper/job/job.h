#pragma once

#include <memory>
#include <optional>

#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/job/map_job.h"
#include "mapper/rankmap/hosts.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/start/start.h"
#include "objectives/problem.h"

namespace haichi {

/// What a request names, loaded; of a workload with its message size.
Machine loaded_machine(const std::variant<std::string, Machine>& machine);
std::shared_ptr<const Workload> loaded_workload(const GivenWorkload& workload, const std::string& format,
                                                std::optional<std::int64_t> message_size_bytes);
/// A placement as a request gives it: a map file in `format` (empty: by its content), or the node of each rank. Throws
/// InputError and OptionError for maps that do not fit the job.
Mapping given_placement(const std::variant<std::string, std::vector<NodeId>>& map, const std::string& format,
                        const RankMapContext& context);

/// What map and evaluate share: the inputs, loaded and checked against each other, and the problem they pose.
struct Job {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const HostNames> hosts;  ///< null: not known
    std::optional<Network> logical;
    ObjectiveSpec spec;
    /// simulated-time is wanted: its row; spec and objective are then those of tac3, with which it is searched. Else
    /// null.
    const ObjectiveRow* ranking = nullptr;
    std::optional<Problem> problem;
    Mapping default_placement;
    std::unique_ptr<BoundObjective> objective;

    explicit Job(const MapRequest& request);
    explicit Job(const EvaluateRequest& request);

    [[nodiscard]] RankMapContext rank_maps() const {
        return {.allocation = allocation.get(), .rank_count = workload->rank_count(), .hosts = hosts.get()};
    }

  private:
    template <class Request>
    void pose(const Request& request);
};

/// Fills what a report says of report.mapping.
void describe_placement(const Job& job, MapReport& report);

/// Throws what simulate_placements() would throw before its first event, so that no search is lost to it.
void check_simulation(const Job& job, const SimulationOptions& options);

/// Simulates report.mapping and the default placement; an interruption is noted in the report.
void simulate_placements(const Job& job, const SimulationOptions& options, const SimulationControl& control,
                         MapReport& report);

/// The best, as the objective sees it, of the starts that are worth their time: the default placement, and unless that
/// reaches the bound, greedy and bisection.
Mapping best_start(const Job& job, const BoundObjective& objective, std::uint64_t seed, const MayGoOn& may_go_on);

/// --time auto: a hundredth of what a better placement can save over all iterations, between what a small search takes
/// and a coffee break. What it can save is told by tac3-bytes, which knows seconds whatever is searched for: the
/// default placement's against the bound.
double seconds_worth_searching(const Job& job);

}  // namespace haichi
