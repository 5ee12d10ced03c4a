#include "netmodel/machine/logical_torus.h"

#include <algorithm>

#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/grid_topology.h"

namespace haichi {

std::optional<Network> logical_torus(const Allocation& allocation) {
    if (allocation.network.coordinates() == nullptr || allocation.is_node_list) return {};
    std::vector<Axis> axes;
    // Cell x + Lx*(y + Ly*z), x fastest, is a row-major number if the axes are reversed.
    const auto& sizes = allocation.fold.logical_sizes;
    for (std::size_t k = sizes.size(); k-- > 0;) axes.push_back({std::string(1, "xyz"[k]), sizes[k], true});
    std::vector<VertexId> vertex_of_node;
    for (const std::int32_t cell : allocation.fold.cell_of_node) vertex_of_node.push_back(VertexId(cell));
    Grid grid(std::move(axes));
    DimensionOrder routing = default_dimension_order(grid);
    std::ranges::reverse(routing.stages);  // x first
    NetworkOptions options = allocation.network.options();
    options.distances.clear();  // they apply to the machine's axes
    options.faulty.clear();     // the logical routes have no faulty nodes; only the real network knows usable nodes
    const std::string order = to_string(routing, grid);
    return Network({grid_topology(std::move(grid)), order}, std::move(options), std::move(vertex_of_node));
}

}  // namespace haichi
