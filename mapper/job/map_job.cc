#include "mapper/job/map_job.h"

#include <algorithm>
#include <chrono>

#include "base/errors.h"
#include "commlog/workload/workload_json.h"
#include "mapper/anneal/search.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/start/start.h"
#include "objectives/registry.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHottestLinks = 10;
constexpr std::size_t kMessagesPerHotLink = 8;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Machine load(const std::variant<std::string, Machine>& machine) {
    if (const auto* value = std::get_if<Machine>(&machine)) return *value;
    return load_machine(std::get<std::string>(machine));
}

Workload load(const std::variant<std::string, Workload>& workload, std::optional<std::int64_t> message_size_bytes) {
    const auto* value = std::get_if<Workload>(&workload);
    Workload loaded = value != nullptr ? *value : read_workload(std::get<std::string>(workload));
    return message_size_bytes ? loaded.with_message_size(*message_size_bytes) : loaded;
}

/// The job's nodes as its logical torus sees them, where rmatt-3d searches; none on machines without logical axes.
std::optional<Network> logical_torus(const Allocation& allocation) {
    if (!std::holds_alternative<GridFabric>(allocation.network.fabric()) || allocation.is_node_list) return {};
    std::vector<Axis> axes;
    // Cell x + Lx*(y + Ly*z), x fastest, is a row-major number when the axes are turned round.
    const auto& sizes = allocation.fold.logical_sizes;
    for (std::size_t k = sizes.size(); k-- > 0;) axes.push_back({std::string(1, "xyz"[k]), sizes[k], true});
    std::vector<VertexId> vertex_of_node;
    for (const std::int32_t cell : allocation.fold.cell_of_node) vertex_of_node.push_back(VertexId(cell));
    Grid grid(std::move(axes));
    DimensionOrder routing = default_dimension_order(grid);
    std::ranges::reverse(routing.stages);  // x first
    return Network(GridFabric{std::move(grid), std::move(routing)}, allocation.network.options(),
                   std::move(vertex_of_node));
}

/// What map and evaluate share: the inputs, loaded and checked against each other, and the problem they pose.
struct Job {
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const Allocation> allocation;
    std::optional<Network> logical;
    ObjectiveSpec objective;
    std::optional<Problem> problem;
    Mapping default_placement;

    template <class Request>
    explicit Job(const Request& request)
        : workload(std::make_shared<const Workload>(load(request.workload, request.message_size_bytes))),
          allocation(std::make_shared<const Allocation>(allocate(load(request.machine), request.allocation))),
          logical(logical_torus(*allocation)),
          objective(parse_objective(request.objective)) {
        problem.emplace(*workload, allocation->network, allocation->ranks_per_node, logical ? &*logical : nullptr);
        default_placement = haichi::default_placement(workload->rank_count(), *allocation);
    }
};

std::string value_unit(const ObjectiveSpec& spec) {
    std::string unit;
    visit_objective(spec, [&](auto tag) { unit = decltype(tag)::type::kInfo.unit; });
    return unit;
}

/// Fills what a report says of report.mapping.
void describe_placement(const Job& job, MapReport& report) {
    report.allocation = job.allocation;
    report.workload = job.workload;
    report.objective = to_string(job.objective);
    report.unit = value_unit(job.objective);
    report.metrics = measure(*job.problem, report.mapping);
    report.default_metrics = measure(*job.problem, job.default_placement);
    visit_objective(job.objective, [&](auto tag) {
        using O = typename decltype(tag)::type;
        const O objective(*job.problem, job.objective, job.default_placement);
        const auto value = objective.value_from_scratch(report.mapping);
        const auto bound = objective.lower_bound();
        report.value = objective.in_unit(value);
        report.default_value = objective.in_unit(objective.value_from_scratch(job.default_placement));
        if (bound) {
            report.lower_bound = objective.in_unit(*bound);
            report.optimal = value == *bound;
        }
        if constexpr (std::is_same_v<O, Rmatt3d>) {
            report.search_value = report.value;
            report.value = static_cast<double>(report.metrics.rmatt());
            report.default_value = static_cast<double>(report.default_metrics.rmatt());
            // The bound holds on the logical torus only.
            report.lower_bound.reset();
            report.optimal = false;
        }
    });
}

void check_strategy(const std::string& name) {
    std::vector<std::string> names;
    std::string all;
    for (const StrategyInfo& info : strategy_infos()) {
        if (info.name == name) return;
        names.push_back(info.name);
        all += (all.empty() ? "" : ", ") + info.name;
    }
    const std::string near = did_you_mean(name, names);
    throw OptionError("unknown strategy " + shown(name), near.empty() ? "strategies are " + all : near);
}

/// Where restart number `restart` of an annealing begins.
std::function<Mapping(std::int32_t)> start_of_restarts(const Job& job, const MapRequest& request) {
    const Problem& problem = *job.problem;
    const Allocation& allocation = *job.allocation;
    if (const StartRow* row = find_start(request.start)) {
        return [&problem, &allocation, row, seed = request.search.seed](std::int32_t restart) {
            return row->place(problem, allocation, seed + static_cast<std::uint64_t>(restart));
        };
    }
    if (!request.start.empty()) {
        const Mapping given = read_rank_map(request.start, "", {&allocation, problem.rank_count()});
        return [given](std::int32_t) { return given; };
    }
    // The best of default, greedy and bisection first, so that the result is never worse than any of them; then random
    // ones, which are different every time, except on large problems, where no run comes down from random as far.
    constexpr std::size_t kLarge = 2048;
    Mapping first = job.default_placement;
    visit_objective(job.objective, [&](auto tag) {
        const typename decltype(tag)::type objective(problem, job.objective, job.default_placement);
        auto best = objective.value_from_scratch(first);
        for (const char* name : {"greedy", "bisection"}) {
            const Mapping candidate = find_start(name)->place(problem, allocation, request.search.seed);
            const auto value = objective.value_from_scratch(candidate);
            if (!(value < best)) continue;
            best = value;
            first = candidate;
        }
    });
    const bool is_large = problem.communicating_ranks().size() > kLarge;
    return [&problem, &allocation, first, is_large, seed = request.search.seed](std::int32_t restart) {
        if (restart == 0 || is_large) return first;
        return find_start("random")->place(problem, allocation, seed + static_cast<std::uint64_t>(restart));
    };
}

}  // namespace

const std::vector<StrategyInfo>& strategy_infos() {
    static const std::vector<StrategyInfo> kInfos = [] {
        std::vector<StrategyInfo> infos;
        for (const StartRow& row : start_rows()) infos.push_back({row.name, row.description});
        infos.push_back({"anneal", "simulated annealing on the objective, with restarts"});
        return infos;
    }();
    return kInfos;
}

MapReport run_map(const MapRequest& request, const SearchControl& control) {
    const auto start_time = Clock::now();
    check_strategy(request.strategy);
    const RankMapFormat* format = request.map_format.empty() ? nullptr : &rank_map_format(request.map_format);
    const Job job(request);
    if (format != nullptr) format->check(*job.allocation);
    MapReport report;
    report.seed = request.search.seed;
    report.strategy = request.strategy;
    if (const StartRow* row = find_start(request.strategy)) {
        report.mapping = row->place(*job.problem, *job.allocation, request.search.seed);
    } else {
        const auto start = start_of_restarts(job, request);
        SearchOptions options = request.search;
        // The limit is on the whole job; a search that begins late still looks at its starts.
        if (options.time_limit_seconds) *options.time_limit_seconds -= seconds_since(start_time);
        const SearchResult found = search(*job.problem, job.objective, job.default_placement, start, options, control);
        report.mapping = found.mapping;
        report.evaluations = found.evaluations;
        report.interrupted = found.interrupted;
        report.reproducible = !request.search.time_limit_seconds && !found.interrupted;
        if (found.loop_seconds > 0) {
            report.evaluations_per_second = static_cast<double>(found.evaluations) / found.loop_seconds;
        }
    }
    describe_placement(job, report);
    report.hottest_links = hottest_links(*job.problem, report.mapping, kHottestLinks, kMessagesPerHotLink);
    report.wall_seconds = seconds_since(start_time);
    return report;
}

MapReport run_evaluate(const EvaluateRequest& request) {
    const auto start_time = Clock::now();
    const Job job(request);
    const RankMapContext context{job.allocation.get(), job.workload->rank_count()};
    MapReport report;
    report.strategy = "given";
    if (const auto* path = std::get_if<std::string>(&request.map)) {
        report.mapping = read_rank_map(*path, request.format, context);
    } else {
        const auto& nodes = std::get<std::vector<NodeId>>(request.map);
        if (static_cast<std::int64_t>(nodes.size()) != context.rank_count) {
            throw OptionError("the placement has " + std::to_string(nodes.size()) + " ranks, the workload " +
                              std::to_string(context.rank_count));
        }
        report.mapping = Mapping::from_nodes(nodes, job.allocation->node_count(), job.allocation->ranks_per_node);
    }
    describe_placement(job, report);
    for_each_objective([&](auto tag) {
        using O = typename decltype(tag)::type;
        if constexpr (std::is_same_v<O, Weighted>) {
            return;  // has a value only with its terms
        } else {
            if (std::is_same_v<O, Rmatt3d> && !job.logical) return;
            const O objective(*job.problem, {}, job.default_placement);
            const auto value = objective.value_from_scratch(report.mapping);
            const auto bound = objective.lower_bound();
            ObjectiveValue row{
                std::string(O::kInfo.name), std::string(O::kInfo.unit), objective.in_unit(value), {}, false};
            if (std::is_same_v<O, Rmatt3d>) {
                row.value = static_cast<double>(report.metrics.rmatt());  // as describe_placement() has it
            } else if (bound) {
                row.lower_bound = objective.in_unit(*bound);
                row.optimal = value == *bound;
            }
            report.objectives.push_back(row);
        }
    });
    report.hottest_links = hottest_links(*job.problem, report.mapping, request.hottest_links, kMessagesPerHotLink);
    report.wall_seconds = seconds_since(start_time);
    return report;
}

}  // namespace haichi
