#include "mapper/start/greedy.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace haichi {

namespace {

/// The state of one greedy construction.
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

    std::optional<Mapping> run(std::span<const NodeId> begun, const MayGoOn& may_go_on) {
        for (std::size_t r = 0; r < begun.size(); ++r) is_placed_[r] = begun[r].valid() ? 1 : 0;
        for (std::size_t r = 0; r < begun.size(); ++r) {
            if (begun[r].valid()) place(RankId(static_cast<std::int32_t>(r)), begun[r]);
        }
        if (!place_attracted(may_go_on)) return {};
        // In each connected component of the communication, the rank with the most bytes is placed first.
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
            if (!place_attracted(may_go_on)) return {};
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

    /// Places all ranks that have placed partners, most bytes first. Returns false if may_go_on() ends it.
    bool place_attracted(const MayGoOn& may_go_on) {
        while (!queue_.empty()) {
            std::pop_heap(queue_.begin(), queue_.end());
            const Attracted top = queue_.back();
            queue_.pop_back();
            // Skips stale entries: the rank was placed, or its attraction has grown since.
            if (is_placed_[top.rank.index()] != 0 || top.bytes != attraction_[top.rank.index()]) continue;
            place(top.rank, best_node(top.rank));
            constexpr std::int32_t kBetweenQuestions = 256;
            if (++placed_ % kBetweenQuestions == 0 && !may_go_on()) return false;
        }
        return true;
    }

    [[nodiscard]] bool is_free(NodeId node) const {
        return used_[node.index()] < allocation_.slots(node) && allocation_.network.is_usable(node);
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

    /// Searches outwards from the heaviest placed partner. Among the first free nodes found, selects the one with the
    /// fewest byte-hops.
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

std::optional<Mapping> greedy_placement(const Problem& problem, const Allocation& allocation,
                                        std::span<const NodeId> begun, const MayGoOn& may_go_on) {
    return Greedy(problem, allocation).run(begun, may_go_on);
}

}  // namespace haichi
