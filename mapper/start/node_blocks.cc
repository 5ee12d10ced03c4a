#include "mapper/start/node_blocks.h"

#include <string>
#include <utility>

#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/grid_topology.h"

namespace haichi {

namespace {

/// Positions of a block along each axis if long axes are divided by `divisor`. Empty if they cannot be divided.
std::vector<std::int32_t> positions_of_block(const Grid& grid, std::int32_t divisor) {
    constexpr std::int32_t kShort = 3;
    std::vector<std::int32_t> positions;
    for (const Axis& axis : grid.axes()) {
        if (axis.size > kShort && axis.size % divisor != 0) return {};
        positions.push_back(axis.size > kShort ? divisor : axis.size);
    }
    return positions;
}

/// The first division with enough nodes per block, and more than one block.
std::vector<std::int32_t> positions_of_block(const Grid& grid) {
    constexpr std::int32_t kFewestNodes = 4;
    for (const std::int32_t divisor : {1, 2, 3}) {
        std::vector<std::int32_t> positions = positions_of_block(grid, divisor);
        std::int32_t nodes = 1;
        for (const std::int32_t along : positions) nodes *= along;
        if (nodes >= kFewestNodes && nodes < grid.vertex_count()) return positions;
    }
    return {};
}

}  // namespace

std::optional<NodeBlocks> node_blocks(const Network& network) {
    const Grid* grid = network.coordinates();
    if (grid == nullptr || network.usable_node_count() != grid->vertex_count()) return {};
    const std::vector<std::int32_t> positions = positions_of_block(*grid);
    if (positions.empty()) return {};
    std::vector<Axis> axes = grid->axes();
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k].size /= positions[k];
    const Grid coarse(std::move(axes));
    std::vector<std::vector<NodeId>> nodes(static_cast<std::size_t>(coarse.vertex_count()));
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        Coordinates at = grid->coordinates(network.vertex(NodeId(n)));
        for (std::size_t k = 0; k < at.size(); ++k) at[k] /= positions[k];
        nodes[coarse.vertex(at).index()].push_back(NodeId(n));
    }
    const std::string routing = to_string(default_dimension_order(coarse), coarse);
    return NodeBlocks{std::move(nodes), Network({grid_topology(coarse), routing}, {})};
}

}  // namespace haichi
