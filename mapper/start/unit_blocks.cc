#include "mapper/start/unit_blocks.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

/// Sort key of a node, most significant part first: the position of its unit, then its position on the walk inside the
/// unit. The walk goes to and fro along each axis.
Coordinates walk_key(const Coordinates& at, const AxisPairs& logical) {
    Coordinates key;
    for (std::size_t k = logical.size(); k-- > 0;) key.push_back(at[logical[k].front()]);
    // A walk changes one coordinate per step, so the sum distinguishes odd rounds from even ones.
    std::int32_t slower = 0;
    for (std::size_t k = logical.size(); k-- > 0;) {
        if (logical[k].size() < 2) continue;
        const std::int32_t here = at[logical[k].back()];
        key.push_back(slower % 2 == 0 ? here : -here);
        slower += here;
    }
    return key;
}

}  // namespace

std::vector<NodeId> nodes_unit_by_unit(const Allocation& allocation) {
    const AxisPairs& logical = allocation.logical_axes;
    if (std::ranges::none_of(logical, [](const auto& axes) { return axes.size() == 2; })) {
        throw OptionError(
            "strategy unit-blocks requires a machine with units, but machine " + allocation.machine_name + " has none",
            "use row-major or grid; a unit is the 12 nodes of an X, Y, Z position of a Tofu machine");
    }
    std::vector<std::pair<Coordinates, NodeId>> keyed;
    for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
        keyed.emplace_back(walk_key(allocation.machine_coordinates(NodeId(n)), logical), NodeId(n));
    }
    std::ranges::sort(keyed);
    std::vector<NodeId> order;
    for (const auto& [key, node] : keyed) order.push_back(node);
    return order;
}

}  // namespace haichi
