#include "mapper/start/bisection.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/thread_team.h"
#include "mapper/start/distance_blocks.h"
#include "mapper/start/graph_bisection.h"
#include "mapper/start/machine_halver.h"
#include "mapper/start/placement_cost.h"

namespace haichi {

namespace {

/// Number of starting vertices for graph growing, per cut.
constexpr int kGrowths = 4;

/// One construction of a placement.
class DualBipartitioning {
  public:
    DualBipartitioning(const Problem& problem, const DistanceBlocks& blocks, std::uint64_t seed)
        : problem_(problem), halver_(problem, blocks), seed_(seed), at_(rank_count()) {
        // Costs are bytes * units summed over all messages. Low bits are dropped if the sum could overflow.
        std::int64_t total = 0;
        for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
            for (const Flow& flow : problem.flows(RankId(r))) total += flow.size_bytes / 2;
        }
        const std::int64_t farthest =
            4 * kUnitsPerHop *
            (std::int64_t{std::max(problem.network().longest_route(), problem.network().diameter())} + 1);
        while ((total >> shift_) > (std::int64_t{1} << 61) / farthest) ++shift_;
    }

    std::optional<Mapping> run(const MayGoOn& may_go_on) {
        std::vector<RankId> ranks;
        for (std::int32_t r = 0; r < problem_.rank_count(); ++r) ranks.push_back(RankId(r));
        parts_.push_back({halver_.all(), std::move(ranks)});
        return cut_all(may_go_on);
    }

    /// Starts from a given block of nodes for each rank.
    std::optional<Mapping> run_within(std::span<const std::vector<NodeId>> blocks,
                                      std::span<const std::int32_t> block_of_rank, const MayGoOn& may_go_on) {
        for (const NodeSet& nodes : halver_.arrange(blocks)) {
            halver_.locate(parts_.size(), nodes);
            parts_.push_back({nodes, {}});
        }
        for (std::int32_t r = 0; r < problem_.rank_count(); ++r) {
            const std::int32_t block = block_of_rank[static_cast<std::size_t>(r)];
            parts_[static_cast<std::size_t>(block)].ranks.push_back(RankId(r));
            at_[static_cast<std::size_t>(r)].part = static_cast<std::uint32_t>(block);
        }
        return cut_all(may_go_on);
    }

  private:
    struct Part {
        NodeSet nodes;
        std::vector<RankId> ranks;  ///< ascending
    };

    /// The part that contains a rank. All entries are in one array, because the partners of a rank are scattered over
    /// memory.
    struct RankOfPart {
        std::uint32_t part = 0;
        std::int32_t number = 0;  ///< index in the current graph
    };

    std::optional<Mapping> cut_all(const MayGoOn& may_go_on) {
        // Cuts parts breadth first. The surroundings of a part are thus known in about as much detail as the part
        // itself.
        bool is_cut = true;
        while (is_cut) {
            is_cut = false;
            const std::size_t count = parts_.size();
            std::vector<std::pair<std::size_t, std::size_t>> pairs;
            for (std::size_t p = 0; p < count; ++p) {
                if (parts_[p].nodes.size() == 1 || parts_[p].ranks.empty()) continue;
                if (!may_go_on()) return {};
                pairs.emplace_back(p, cut(p));
                is_cut = true;
            }
            // Refines the cuts again, because the first parts were cut with less information.
            for (const auto& [a, b] : pairs) {
                if (!may_go_on()) return {};
                refine(a, b);
            }
        }
        Mapping mapping(problem_.rank_count(), problem_.node_count(), problem_.ranks_per_node());
        for (const Part& part : parts_) {
            std::int32_t slot = halver_.nodes(part.nodes).front() * problem_.ranks_per_node();
            for (const RankId rank : part.ranks) mapping.place(rank, SlotId(slot++));
        }
        return mapping;
    }

    [[nodiscard]] std::size_t rank_count() const { return static_cast<std::size_t>(problem_.rank_count()); }
    [[nodiscard]] std::int64_t slots(const Part& part) const {
        if (!problem_.has_closed_slots()) {
            return static_cast<std::int64_t>(part.nodes.size()) * problem_.ranks_per_node();
        }
        std::int64_t count = 0;
        for (const std::int32_t node : halver_.nodes(part.nodes)) count += problem_.open_slots(NodeId(node));
        return count;
    }
    [[nodiscard]] std::int64_t weight(const Flow& flow) const {
        return std::max<std::int64_t>(flow.size_bytes >> shift_, 1);
    }

    /// Cuts part p. The first half keeps the index p. Returns the index of the other half.
    std::size_t cut(std::size_t p) {
        const std::size_t middle = halver_.halve(parts_[p].nodes);
        const NodeSet upper{middle, parts_[p].nodes.last};
        const std::size_t q = parts_.size();
        parts_.push_back({upper, {}});
        halver_.locate(q, upper);
        parts_[p].nodes.last = middle;
        halver_.locate(p, parts_[p].nodes);
        const std::vector<RankId> ranks = parts_[p].ranks;
        const WeightedGraph graph = graph_between(p, q, ranks);
        Random random(seed_, q);
        assign(p, q, ranks, bisect(graph, range(p, q, ranks.size()), kGrowths, random));
        return q;
    }

    /// Refines the cut between p and q with current information.
    void refine(std::size_t p, std::size_t q) {
        std::vector<RankId> ranks;
        std::ranges::merge(parts_[p].ranks, parts_[q].ranks, std::back_inserter(ranks));
        Sides sides;
        for (const RankId rank : ranks) sides.push_back(at_[rank.index()].part == p ? 0 : 1);
        const WeightedGraph graph = graph_between(p, q, ranks);
        refine_bisection(graph, range(p, q, ranks.size()), sides);
        assign(p, q, ranks, sides);
    }

    /// The range of ranks on the side of p. It is wide if there are idle slots, so that even few bytes keep ranks
    /// together.
    [[nodiscard]] SideWeightRange range(std::size_t p, std::size_t q, std::size_t rank_count_of_both) const {
        const auto count = static_cast<std::int64_t>(rank_count_of_both);
        return {std::max<std::int64_t>(count - slots(parts_[q]), 0), std::min(count, slots(parts_[p]))};
    }

    void assign(std::size_t p, std::size_t q, std::span<const RankId> ranks, const Sides& sides) {
        parts_[p].ranks.clear();
        parts_[q].ranks.clear();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const std::size_t part = sides[i] == 0 ? p : q;
            at_[ranks[i].index()].part = static_cast<std::uint32_t>(part);
            parts_[part].ranks.push_back(ranks[i]);
        }
    }

    /// The ranks of two parts as a graph, with weights in byte-units. A cut edge costs the distance between the parts.
    /// A partner in another part costs the distance to that part (terminal propagation, Dunlop and Kernighan 1985).
    WeightedGraph graph_between(std::size_t p, std::size_t q, std::span<const RankId> ranks) {
        constexpr auto kInside = std::numeric_limits<std::uint32_t>::max();
        std::size_t flow_count = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            at_[ranks[i].index()] = {kInside, static_cast<std::int32_t>(i)};
            flow_count += problem_.flows(ranks[i]).size();
        }
        const std::int64_t apart = std::max<std::int64_t>(halver_.distance(p, q), 1);
        WeightedGraph graph;
        graph.vertex_weight.assign(ranks.size(), 1);
        graph.pull.assign(ranks.size(), 0);
        graph.first.reserve(ranks.size() + 1);
        graph.edges.reserve(flow_count);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            for (const Flow& flow : problem_.flows(ranks[i])) {
                const RankOfPart partner = at_[flow.partner.index()];
                if (partner.part == kInside) {
                    graph.edges.push_back({partner.number, weight(flow) * apart});
                } else {
                    graph.pull[i] += weight(flow) * halver_.farther(p, q, partner.part);
                }
            }
            graph.first.push_back(graph.edges.size());
        }
        return graph;
    }

    const Problem& problem_;
    MachineHalver halver_;
    std::uint64_t seed_;
    int shift_ = 0;
    std::vector<Part> parts_;
    std::vector<RankOfPart> at_;
};

/// Number of constructions, of which the best is taken. A cut is often one of several equally good cuts, of which some
/// turn out bad later. For example, nothing repairs a torus that was cut twice across the same axis. The best of a few
/// constructions is therefore much better than a single one. The number falls with the root of the size: 16 below some
/// thousand messages, 1 for millions. It does not depend on a clock, so the seed determines the result.
int affordable_runs(const Problem& problem) {
    constexpr std::size_t kMostRuns = 16;
    constexpr std::size_t kMostSquaresOfWork = 60'000'000;
    auto work = static_cast<std::size_t>(problem.rank_count());
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) work += problem.flows(RankId(r)).size();
    work *= static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(problem.node_count())));
    std::size_t runs = 1;
    while (runs < kMostRuns && (runs + 1) * (runs + 1) * work <= kMostSquaresOfWork) ++runs;
    return static_cast<int>(runs);
}

}  // namespace

std::optional<Mapping> bisection_placement(const Problem& problem, const Allocation&, std::uint64_t seed,
                                           const MayGoOn& may_go_on) {
    const int runs = affordable_runs(problem);
    const DistanceBlocks node_blocks = find_distance_blocks(problem);
    std::optional<Mapping> best;
    std::pair<double, int> cost_of_best;  // cost and index of the construction, because the first of several wins
    std::mutex mutex;
    std::atomic<int> next{0};  // each free thread takes the next construction
    ThreadTeam team(std::min(may_go_on.threads(), runs));
    team.run([&](int) {
        for (int run = next++; run < runs; run = next++) {
            std::uint64_t stream = seed + static_cast<std::uint64_t>(run) * 0x9e3779b97f4a7c15ULL;
            std::optional<Mapping> mapping =
                DualBipartitioning(problem, node_blocks, split_mix_64(stream)).run(may_go_on);
            if (!mapping) return;
            const std::pair<double, int> cost{twice_hop_bytes(problem, *mapping), run};
            const std::scoped_lock lock(mutex);
            if (best && cost_of_best < cost) continue;
            cost_of_best = cost;
            best = std::move(mapping);
        }
    });
    return best;
}

std::optional<Mapping> bisection_within(const Problem& problem, std::span<const std::vector<NodeId>> blocks,
                                        std::span<const std::int32_t> block_of_rank, std::uint64_t seed,
                                        const MayGoOn& may_go_on) {
    const DistanceBlocks node_blocks = find_distance_blocks(problem);
    return DualBipartitioning(problem, node_blocks, seed).run_within(blocks, block_of_rank, may_go_on);
}

}  // namespace haichi
