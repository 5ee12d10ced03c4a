#include "mapper/start/start.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "mapper/start/bisection.h"

namespace haichi {

namespace {

/// Ranks fill `order` node after node; faulty nodes are passed over.
Mapping fill_in_order(std::int32_t rank_count, std::span<const NodeId> order, const Allocation& allocation) {
    const std::int32_t ranks_per_node = allocation.ranks_per_node;
    Mapping mapping(rank_count, static_cast<std::int32_t>(order.size()), ranks_per_node);
    std::int32_t rank = 0;
    for (const NodeId node : order) {
        if (!allocation.network.is_usable(node)) continue;
        for (std::int32_t i = 0; i < ranks_per_node && rank < rank_count; ++i, ++rank) {
            mapping.place(RankId(rank), SlotId(node.value * ranks_per_node + i));
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

std::optional<Mapping> place_random(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                    const MayGoOn&) {
    Mapping mapping(problem.rank_count(), allocation.node_count(), allocation.ranks_per_node);
    std::vector<SlotId> slots;
    for (std::int32_t s = 0; s < mapping.slot_count(); ++s) {
        if (allocation.network.is_usable(mapping.node_of_slot(SlotId(s)))) slots.push_back(SlotId(s));
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
    return greedy_placement(problem, allocation, may_go_on);
}

/// One greedy construction.
class Greedy {
  public:
    Greedy(const Problem& problem, const Allocation& allocation)
        : problem_(problem),
          allocation_(allocation),
          mapping_(problem.rank_count(), allocation.node_count(), allocation.ranks_per_node),
          used_(static_cast<std::size_t>(allocation.node_count()), 0),
          seen_(used_.size(), 0),
          is_placed_(static_cast<std::size_t>(problem.rank_count()), 0),
          attraction_(is_placed_.size(), 0) {}

    std::optional<Mapping> run(const MayGoOn& may_go_on) {
        // Each connected part of the communication starts at its rank with the most bytes.
        std::vector<std::pair<std::int64_t, RankId>> by_bytes;
        for (std::int32_t r = 0; r < problem_.rank_count(); ++r) {
            std::int64_t bytes = 0;
            for (const Flow& flow : problem_.flows(RankId(r))) bytes += flow.size_bytes;
            by_bytes.emplace_back(-bytes, RankId(r));
        }
        std::ranges::sort(by_bytes);
        for (const auto& [bytes, rank] : by_bytes) {
            if (is_placed_[rank.index()] != 0) continue;
            place(rank, next_free_in_order());
            while (!queue_.empty()) {
                std::pop_heap(queue_.begin(), queue_.end());
                const Attracted top = queue_.back();
                queue_.pop_back();
                // Stale entries: the rank was placed, or attracted more since.
                if (is_placed_[top.rank.index()] != 0 || top.bytes != attraction_[top.rank.index()]) continue;
                place(top.rank, best_node(top.rank));
                constexpr std::int32_t kBetweenQuestions = 256;
                if (++placed_ % kBetweenQuestions == 0 && !may_go_on()) return {};
            }
        }
        return mapping_;
    }

  private:
    struct Attracted {
        std::int64_t bytes = 0;
        RankId rank;
        friend bool operator<(const Attracted& a, const Attracted& b) {
            return a.bytes != b.bytes ? a.bytes < b.bytes : a.rank > b.rank;
        }
    };

    [[nodiscard]] bool is_free(NodeId node) const {
        return used_[node.index()] < allocation_.ranks_per_node && allocation_.network.is_usable(node);
    }

    NodeId next_free_in_order() {
        while (!is_free(allocation_.fold.node_of_position[next_position_])) ++next_position_;
        return allocation_.fold.node_of_position[next_position_];
    }

    void place(RankId rank, NodeId node) {
        mapping_.place(rank, SlotId(node.value * allocation_.ranks_per_node + used_[node.index()]++));
        is_placed_[rank.index()] = 1;
        for (const Flow& flow : problem_.flows(rank)) {
            if (is_placed_[flow.partner.index()] != 0) continue;
            attraction_[flow.partner.index()] += flow.size_bytes;
            queue_.push_back({attraction_[flow.partner.index()], flow.partner});
            std::push_heap(queue_.begin(), queue_.end());
        }
    }

    /// Of the first free nodes met going out from the heaviest placed partner, the one with the fewest byte-hops.
    NodeId best_node(RankId rank) {
        constexpr std::size_t kMostPartners = 8;
        constexpr std::size_t kMostCandidates = 12;
        constexpr std::size_t kMostVisited = 400;
        std::vector<Flow> placed;
        for (const Flow& flow : problem_.flows(rank)) {
            if (is_placed_[flow.partner.index()] != 0) placed.push_back(flow);
        }
        std::ranges::sort(placed, [](const Flow& a, const Flow& b) {
            return a.size_bytes != b.size_bytes ? a.size_bytes > b.size_bytes : a.partner < b.partner;
        });
        if (placed.size() > kMostPartners) placed.resize(kMostPartners);
        ++visit_;
        std::vector<NodeId> frontier = {mapping_.node(placed.front().partner)};
        seen_[frontier.front().index()] = visit_;
        NodeId best;
        std::int64_t best_cost = 0;
        std::size_t candidates = 0;
        for (std::size_t i = 0; i < frontier.size() && i < kMostVisited && candidates < kMostCandidates; ++i) {
            const NodeId node = frontier[i];
            if (is_free(node)) {
                ++candidates;
                std::int64_t cost = 0;
                for (const Flow& flow : placed) {
                    cost += flow.size_bytes * problem_.hop_distance()(node, mapping_.node(flow.partner));
                }
                if (!best.valid() || cost < best_cost) {
                    best = node;
                    best_cost = cost;
                }
            }
            for (const NodeId near : problem_.network().near_nodes(node)) {
                if (seen_[near.index()] == visit_) continue;
                seen_[near.index()] = visit_;
                frontier.push_back(near);
            }
        }
        return best.valid() ? best : next_free_in_order();
    }

    const Problem& problem_;
    const Allocation& allocation_;
    Mapping mapping_;
    std::vector<std::int32_t> used_;
    std::vector<std::int32_t> seen_;
    std::int32_t visit_ = 0;
    std::vector<std::uint8_t> is_placed_;
    std::vector<std::int64_t> attraction_;  ///< bytes to placed partners
    std::vector<Attracted> queue_;          ///< a heap
    std::size_t next_position_ = 0;
    std::int32_t placed_ = 0;
};

}  // namespace

const Table<StartRow>& start_rows() {
    static const Table<StartRow> kRows(
        {"start", "starts"},
        {
            {"default", "ranks in the order of the fold, filling one node after the other (what the scheduler does)",
             place_default},
            {"no-ring", "ranks in the order of the machine coordinates, first axis (X) fastest", place_no_ring},
            {"row-major", "ranks in the order of the machine coordinates, last axis fastest", place_row_major},
            {"random", "ranks on random slots, by the seed", place_random, true},
            {"greedy", "most connected ranks first, each next to the partners placed before it", place_greedy},
            {"bisection", "ranks and nodes halved together again and again, cutting as few bytes as possible",
             bisection_placement, true},
        });
    return kRows;
}

Mapping default_placement(std::int32_t rank_count, const Allocation& allocation) {
    return fill_in_order(rank_count, allocation.fold.node_of_position, allocation);
}

std::optional<Mapping> greedy_placement(const Problem& problem, const Allocation& allocation,
                                        const MayGoOn& may_go_on) {
    return Greedy(problem, allocation).run(may_go_on);
}

}  // namespace haichi
