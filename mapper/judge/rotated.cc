#include "mapper/judge/rotated.h"

#include <algorithm>

#include "netmodel/machine/node_request.h"
#include "objectives/metrics.h"

namespace haichi {

namespace {

bool may_be_rotated(const Allocation& job) {
    const bool is_cuboid = !job.is_node_list && !job.is_scattered && !job.is_strict;
    const bool is_3d = job.fold.logical_sizes.size() == 3 && (job.fold.name == "default" || job.fold.name == "mesh");
    const bool has_origin = std::ranges::any_of(job.origin, [](std::int32_t at) { return at != 0; });
    return is_cuboid && is_3d && !has_origin && job.network.usable_node_count() == job.node_count();
}

/// The placement after PJM rotates the request: each rank keeps its logical coordinates.
Mapping rotated_mapping(const Mapping& mapping, const Allocation& from, const Allocation& to,
                        const std::vector<std::size_t>& axes) {
    std::vector<NodeId> nodes;
    for (const NodeId node : mapping.node_of_rank()) {
        const Coordinates at = from.fold.logical_coordinates(node);
        Coordinates rotated = at;
        for (std::size_t i = 0; i < axes.size(); ++i) rotated[axes[i]] = at[i];
        nodes.push_back(to.fold.node_at(rotated));
    }
    return Mapping::from_nodes(nodes, to.node_count(), to.ranks_per_node);
}

}  // namespace

std::optional<RotatedValue> worst_rotated_value(const Placement& placement, const ObjectiveChoice& objective,
                                                double value) {
    constexpr double kRounding = 1e-9;
    const Allocation& job = placement.job().allocation();
    if (!may_be_rotated(job)) return std::nullopt;
    Machine machine = placement.job().machine();
    machine.faulty.clear();  // the scheduler allocates no faulty nodes
    std::optional<RotatedValue> worst;
    for (const RotatedRequest& rotated : rotated_requests(machine, job.fold.logical_sizes)) {
        Allocation allocation = allocate(machine, {.shape = rotated.shape,
                                                   .ranks_per_node = job.ranks_per_node,
                                                   .routing = job.network.routing_name(),
                                                   .fold = job.fold.name,
                                                   .count_nic = job.network.options().count_nic});
        const Mapping mapping = rotated_mapping(placement.mapping(), job, allocation, rotated.axes);
        const PosedJob posed(placement.job().on(std::move(allocation)), objective);
        const Metrics metrics = measure_all(posed.problem(), mapping, posed.job.default_placement());
        const double there = posed.objective->standing(mapping, metrics).value;
        if (!worst || there > worst->value) worst = RotatedValue{rotated.shape, there};
    }
    if (worst) worst->matters = worst->value > value * (1 + kRounding);
    return worst;
}

}  // namespace haichi
