#include "objectives/largest_nodes.h"

#include <algorithm>
#include <functional>

namespace haichi {

std::vector<std::size_t> largest_nodes(const Problem& problem, std::size_t ranks) {
    const auto per_node = static_cast<std::size_t>(problem.ranks_per_node());
    if (!problem.has_closed_slots()) return std::vector((ranks - 1) / per_node + 1, per_node);
    std::vector<std::size_t> slots;
    for (std::int32_t n = 0; n < problem.node_count(); ++n) {
        slots.push_back(static_cast<std::size_t>(problem.open_slots(NodeId(n))));
    }
    std::ranges::sort(slots, std::ranges::greater{});
    std::size_t nodes = 0;
    for (std::size_t sum = 0; sum < ranks && nodes < slots.size() && slots[nodes] > 0; ++nodes) sum += slots[nodes];
    slots.resize(nodes);
    return slots;
}

}  // namespace haichi
