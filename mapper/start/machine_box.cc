#include "mapper/start/machine_box.h"

#include <algorithm>

namespace haichi {

MachineBox::MachineBox(const Problem& problem) : problem_(&problem) {
    axes_.push_back({.size = problem.ranks_per_node(), .kind = PlaceAxis::Kind::kFlat, .hops = 0});
    const Network& network = problem.network();
    if (const Grid* grid = network.coordinates()) {
        read_grid(*grid);
    } else if (!network.topology().block_sizes().empty() &&
               network.node_count() == network.topology().terminal_count()) {
        read_blocks();
    } else {
        axes_.push_back({.size = network.node_count()});
    }
}

/// Along a ring, the job begins after the longest stretch without its nodes.
void MachineBox::read_grid(const Grid& grid) {
    const Network& network = problem_->network();
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        const Axis& axis = grid.axis(k);
        std::vector<std::uint8_t> is_used(static_cast<std::size_t>(axis.size), 0);
        for (std::int32_t n = 0; n < network.node_count(); ++n) {
            is_used[static_cast<std::size_t>(grid.coordinate(network.vertex(NodeId(n)), k))] = 1;
        }
        std::int32_t origin = 0;
        std::int32_t longest = 0;
        const std::int32_t looked_at = axis.is_ring() ? 2 * axis.size : axis.size;
        for (std::int32_t i = 0, free = 0; i < looked_at; ++i) {
            free = is_used[static_cast<std::size_t>(i % axis.size)] != 0 ? 0 : free + 1;
            const bool counts = axis.is_ring() || free == i + 1;  // on a path, only a gap at the beginning counts
            if (!counts || free <= longest) continue;
            longest = free;
            origin = (i + 1) % axis.size;
        }
        std::int32_t size = axis.size - longest;
        while (!axis.is_ring() && size > 1 && is_used[static_cast<std::size_t>(origin + size - 1)] == 0) --size;
        const bool is_whole_ring = axis.is_ring() && size == axis.size;
        axes_.push_back({.size = size,
                         .kind = is_whole_ring ? PlaceAxis::Kind::kRing : PlaceAxis::Kind::kPath,
                         .hops = network.axis_hops(k)});
        origin_.push_back(origin);
    }
}

void MachineBox::read_blocks() {
    const auto sizes = problem_->network().topology().block_sizes();
    for (std::size_t level = 0; level + 1 < sizes.size(); ++level) {
        const NodeId first = problem_->network().node_at(VertexId(0));
        const NodeId beyond = problem_->network().node_at(VertexId(sizes[level]));
        const bool is_known = problem_->network().is_usable(first) && problem_->network().is_usable(beyond);
        axes_.push_back(
            {.size = sizes[level + 1] / sizes[level],
             .kind = PlaceAxis::Kind::kFlat,
             .hops = is_known ? problem_->hop_distance()(first, beyond) : 2 * static_cast<std::int32_t>(level + 1)});
    }
}

NodeId MachineBox::node(const std::vector<std::int32_t>& at) const {
    const Network& network = problem_->network();
    NodeId node;
    if (const Grid* grid = network.coordinates()) {
        Coordinates on_machine;
        for (std::size_t k = 0; k < grid->axis_count(); ++k) {
            on_machine.push_back((at[k + 1] + origin_[k]) % grid->axis(k).size);
        }
        node = network.node_at(grid->vertex(on_machine));
    } else {
        std::int32_t terminal = 0;
        for (std::size_t k = axes_.size(); k-- > 1;) terminal = terminal * axes_[k].size + at[k];
        node = axes_.size() == 2 ? NodeId(terminal) : network.node_at(VertexId(terminal));
    }
    return node.valid() && network.is_usable(node) ? node : NodeId();
}

}  // namespace haichi
