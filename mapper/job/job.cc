#include "mapper/job/job.h"

#include <atomic>

#include "base/errors.h"
#include "commlog/readers/readers.h"
#include "mapper/job/plugin_library.h"
#include "netmodel/machine/logical_torus.h"
#include "objectives/function_objective.h"
#include "objectives/tac3_bytes.h"

namespace haichi {

Machine loaded_machine(const std::variant<std::string, Machine>& machine) {
    if (const auto* value = std::get_if<Machine>(&machine)) return *value;
    return load_machine(std::get<std::string>(machine));
}

std::shared_ptr<const Workload> loaded_workload(const GivenWorkload& workload, const std::string& format,
                                                std::optional<std::int64_t> message_size_bytes) {
    std::shared_ptr<const Workload> loaded;
    if (const auto* shared = std::get_if<std::shared_ptr<const Workload>>(&workload)) {
        loaded = *shared;
    } else if (const auto* value = std::get_if<Workload>(&workload)) {
        loaded = std::make_shared<const Workload>(*value);
    } else {
        loaded = std::make_shared<const Workload>(read_workload(std::get<std::string>(workload), format));
    }
    if (!message_size_bytes) return loaded;
    return std::make_shared<const Workload>(loaded->with_message_size(*message_size_bytes));
}

Mapping given_placement(const std::variant<std::string, std::vector<NodeId>>& map, const std::string& format,
                        const RankMapContext& context) {
    if (const auto* path = std::get_if<std::string>(&map)) return read_rank_map(*path, format, context);
    const auto& nodes = std::get<std::vector<NodeId>>(map);
    if (static_cast<std::int64_t>(nodes.size()) != context.rank_count) {
        throw OptionError("the placement has " + std::to_string(nodes.size()) + " ranks, the workload " +
                          std::to_string(context.rank_count));
    }
    const Allocation& allocation = *context.allocation;
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        if (nodes[r].value < 0 || nodes[r].value >= allocation.node_count()) continue;  // refused below
        if (allocation.network.is_usable(nodes[r])) continue;
        throw OptionError("rank " + std::to_string(r) + " is on node " + std::to_string(nodes[r].value) +
                          ", which is faulty");
    }
    return Mapping::from_nodes(nodes, allocation.node_count(), allocation.ranks_per_node);
}

template <class Request>
void Job::pose(const Request& request) {
    workload = loaded_workload(request.workload, request.workload_format, request.message_size_bytes);
    machine = std::make_shared<const Machine>(loaded_machine(request.machine));
    allocation = std::make_shared<const Allocation>(allocate(*machine, request.allocation));
    if (!request.hosts.empty()) {
        hosts = std::make_shared<const HostNames>(HostNames::read(request.hosts, allocation->node_count()));
    }
    logical = logical_torus(*allocation);
    problem.emplace(*workload, allocation->network, allocation->ranks_per_node, logical ? &*logical : nullptr);
    default_placement = haichi::default_placement(workload->rank_count(), *allocation);
    if (request.objective_function) {
        spec = {.name = request.objective, .function = request.objective_function};
        objective = std::make_unique<BoundObjectiveOf<FunctionObjective>>(*problem, spec, default_placement);
    } else if (const auto plugin = parse_plugin_name(request.objective)) {
        spec = {.name = request.objective};
        objective = bind_plugin_objective(*plugin, *problem, default_placement);
    } else {
        spec = parse_objective(request.objective);
        const ObjectiveRow& row = objectives().at(spec.name);
        if (!row.searched_as.empty()) {
            ranking = &row;
            spec = {.name = std::string(row.searched_as)};
        }
        objective = bind_objective(spec, *problem, default_placement);
    }
}

Job::Job(const MapRequest& request) { pose(request); }
Job::Job(const EvaluateRequest& request) { pose(request); }

/// Fills what a report says of report.mapping.
void describe_placement(const Job& job, MapReport& report) {
    report.allocation = job.allocation;
    report.workload = job.workload;
    report.hosts = job.hosts;
    report.objective = to_string(job.spec);
    report.unit = job.objective->info().unit;
    const auto metrics_of = [&](const Mapping& mapping) {
        return measure_all(*job.problem, mapping, job.default_placement);
    };
    report.metrics = metrics_of(report.mapping);
    report.default_metrics = metrics_of(job.default_placement);
    const Standing standing = job.objective->standing(report.mapping, report.metrics);
    report.value = standing.value;
    report.lower_bound = standing.lower_bound;
    report.counted_value = standing.counted_value;
    report.counted_lower_bound = standing.counted_lower_bound;
    report.optimal = standing.optimal;
    report.search_value = standing.search_value;
    const Standing usual = job.objective->standing(job.default_placement, report.default_metrics);
    report.default_value = usual.value;
    report.default_counted_value = usual.counted_value;
}

void check_simulation(const Job& job, const SimulationOptions& options) {
    const std::atomic<bool> stop{true};
    (void)simulate_placement(*job.machine, *job.allocation, *job.workload, job.default_placement, options, {{}, &stop});
}

void simulate_placements(const Job& job, const SimulationOptions& options, const SimulationControl& control,
                         MapReport& report) {
    const auto simulated = [&](const Mapping& mapping) {
        return simulate_placement(*job.machine, *job.allocation, *job.workload, mapping, options, control);
    };
    SimulatedPlacement& out = report.simulated.emplace();
    out.runs = simulated(report.mapping);
    const auto is_interrupted = [](const std::vector<SimulatedRun>& runs) { return runs.back().result.interrupted; };
    if (!is_interrupted(out.runs)) {
        out.default_runs = report.mapping == job.default_placement ? out.runs : simulated(job.default_placement);
    }
    if (out.default_runs.empty() || is_interrupted(out.default_runs)) {
        report.interrupted = true;
        report.reproducible = false;
    }
}

Mapping best_start(const Job& job, const BoundObjective& objective, std::uint64_t seed, const MayGoOn& may_go_on) {
    Mapping first = job.default_placement;
    Standing best = objective.standing(first);
    for (const char* name : {"greedy", "bisection"}) {
        if (best.optimal) break;
        const auto candidate = find_start(name)->place(*job.problem, *job.allocation, seed, may_go_on);
        if (!candidate) break;
        const Standing standing = objective.standing(*candidate);
        if (!(standing.value < best.value)) continue;
        best = standing;
        first = *candidate;
    }
    return first;
}

double seconds_worth_searching(const Job& job) {
    constexpr double kShare = 0.01;
    constexpr double kShortest = 0.5;
    constexpr double kLongest = 600;
    const Tac3Bytes seconds(*job.problem, {}, job.default_placement);
    const Metrics metrics = measure(*job.problem, job.default_placement);
    const double saved = seconds.in_unit(seconds.value_in(metrics)) - seconds.in_unit(*seconds.lower_bound());
    return std::clamp(kShare * saved * static_cast<double>(job.workload->iterations()), kShortest, kLongest);
}

}  // namespace haichi
