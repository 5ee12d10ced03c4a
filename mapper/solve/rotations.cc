#include "mapper/solve/rotations.h"

#include <algorithm>
#include <numeric>

namespace haichi {

namespace {

/// The nodes sorted by their logical coordinates, with axes[0] fastest or slowest.
std::vector<NodeId> order_along(const Allocation& allocation, const std::vector<std::size_t>& axes,
                                bool first_runs_fastest) {
    std::vector<std::pair<Coordinates, NodeId>> keyed;
    for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
        const Coordinates at = allocation.fold.logical_coordinates(NodeId(n));
        Coordinates key;
        for (const std::size_t axis : axes) key.push_back(at[axis]);
        if (first_runs_fastest) std::ranges::reverse(key);
        keyed.emplace_back(key, NodeId(n));
    }
    std::ranges::sort(keyed);
    std::vector<NodeId> order;
    for (const auto& [key, node] : keyed) order.push_back(node);
    return order;
}

}  // namespace

std::vector<Rotation> rotations(const Allocation& allocation) {
    std::vector<std::size_t> axes(allocation.fold.logical_sizes.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::vector<Rotation> found = {{axes, allocation.fold.node_of_position}};
    // The rank order has x fastest on Tofu, and the last axis fastest on plain grids.
    for (const bool first_runs_fastest : {true, false}) {
        if (order_along(allocation, axes, first_runs_fastest) != found.front().node_of_position) continue;
        while (std::ranges::next_permutation(axes).found) {
            Rotation rotation{axes, order_along(allocation, axes, first_runs_fastest)};
            const bool is_new = std::ranges::none_of(
                found, [&](const Rotation& other) { return other.node_of_position == rotation.node_of_position; });
            if (is_new) found.push_back(std::move(rotation));
        }
        break;
    }
    return found;
}

}  // namespace haichi
