#include "mapper/start/start.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "mapper/start/bisection.h"
#include "mapper/start/greedy.h"
#include "mapper/start/grid_start.h"
#include "mapper/start/unit_blocks.h"

namespace haichi {

namespace {

/// Fills the nodes in `order` one after another, and skips faulty nodes.
Mapping fill_in_order(std::int32_t rank_count, std::span<const NodeId> order, const Allocation& allocation) {
    const std::int32_t ranks_per_node = allocation.ranks_per_node;
    Mapping mapping(rank_count, static_cast<std::int32_t>(order.size()), ranks_per_node);
    std::int32_t rank = 0;
    for (const NodeId node : order) {
        if (!allocation.network.is_usable(node)) continue;
        for (std::int32_t i = 0; i < allocation.slots(node) && rank < rank_count; ++i, ++rank) {
            mapping.place(RankId(rank), SlotId(node.value * ranks_per_node + i));
        }
    }
    return mapping;
}

/// Places one rank on every node in `order`, then a second rank on every node, and so on. Skips faulty nodes.
Mapping fill_by_node(std::int32_t rank_count, std::span<const NodeId> order, const Allocation& allocation) {
    const std::int32_t ranks_per_node = allocation.ranks_per_node;
    Mapping mapping(rank_count, static_cast<std::int32_t>(order.size()), ranks_per_node);
    std::int32_t rank = 0;
    for (std::int32_t i = 0; i < ranks_per_node; ++i) {
        for (const NodeId node : order) {
            if (rank == rank_count) return mapping;
            if (!allocation.network.is_usable(node) || i >= allocation.slots(node)) continue;
            mapping.place(RankId(rank++), SlotId(node.value * ranks_per_node + i));
        }
    }
    return mapping;
}

std::vector<NodeId> nodes_by_number(const Allocation& allocation) {
    std::vector<NodeId> order;
    for (std::int32_t n = 0; n < allocation.node_count(); ++n) order.push_back(NodeId(n));
    return order;
}

std::optional<Mapping> place_default(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                     const MayGoOn&) {
    return default_placement(problem.rank_count(), allocation);
}

std::optional<Mapping> place_no_ring(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                     const MayGoOn&) {
    std::vector<std::pair<Coordinates, NodeId>> keyed;
    for (const NodeId node : nodes_by_number(allocation)) {
        Coordinates at = allocation.machine_coordinates(node);
        std::ranges::reverse(at);
        keyed.emplace_back(at, node);
    }
    std::ranges::sort(keyed);
    std::vector<NodeId> order;
    for (const auto& [at, node] : keyed) order.push_back(node);
    return fill_in_order(problem.rank_count(), order, allocation);
}

std::optional<Mapping> place_row_major(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                       const MayGoOn&) {
    return fill_in_order(problem.rank_count(), nodes_by_number(allocation), allocation);
}

std::optional<Mapping> place_unit_blocks(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                         const MayGoOn&) {
    return fill_in_order(problem.rank_count(), nodes_unit_by_unit(allocation), allocation);
}

std::optional<Mapping> place_random(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                    const MayGoOn&) {
    Mapping mapping(problem.rank_count(), allocation.node_count(), allocation.ranks_per_node);
    std::vector<SlotId> slots;
    for (std::int32_t s = 0; s < mapping.slot_count(); ++s) {
        if (problem.is_open(SlotId(s))) slots.push_back(SlotId(s));
    }
    Random random(seed);
    random.shuffle(std::span(slots));
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        mapping.place(RankId(r), slots[static_cast<std::size_t>(r)]);
    }
    return mapping;
}

std::optional<Mapping> place_greedy(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                    const MayGoOn& may_go_on) {
    return greedy_placement(problem, allocation, {}, may_go_on);
}

}  // namespace

const Table<StartRow>& start_rows() {
    static const Table<StartRow> kRows(
        {"start", "starts"},
        {
            {"default", "ranks in the order of the fold, one node after another, as the scheduler places them",
             place_default},
            {"no-ring", "ranks in the order of the machine coordinates, first axis (X) fastest", place_no_ring},
            {"row-major", "ranks in the order of the machine coordinates, last axis fastest", place_row_major},
            {"unit-blocks", "on Tofu: ranks fill the units of 12 nodes one by one, first axis (X) fastest",
             place_unit_blocks},
            {"random", "ranks on random slots, from the seed", place_random, true},
            {"greedy", "most connected ranks first, each next to its placed partners", place_greedy},
            {"bisection", "ranks and nodes halved together repeatedly, with as few bytes as possible between halves",
             bisection_placement, true},
            {"grid",
             "the ranks' grid, found in the messages or rank numbers, folded onto the machine's axes, with neighbours "
             "adjacent and blocks of ranks on a node",
             grid_placement},
        });
    return kRows;
}

Mapping default_placement(std::int32_t rank_count, const Allocation& allocation) {
    const std::vector<NodeId>& order = allocation.fold.node_of_position;
    return allocation.fills_by_node ? fill_by_node(rank_count, order, allocation)
                                    : fill_in_order(rank_count, order, allocation);
}

}  // namespace haichi
