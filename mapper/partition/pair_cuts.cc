#include "mapper/partition/pair_cuts.h"

#include <algorithm>

namespace haichi {

namespace {

// Width of the region of a cut: its weight on each side, as a fraction of a block.
constexpr double kWidest = 0.25;
constexpr std::size_t kMostVertices = 800;
constexpr double kNarrowest = 0.01;

}  // namespace

PairCuts::PairCuts(const Blocks& blocks, std::size_t most_vertices) : blocks_(blocks), inner_(most_vertices, -1) {}

/// Finds the boundary vertices of every pair of blocks that has an active block, sorted by pair.
void PairCuts::find_pairs(const PartitionGraph& graph, const Partition& partition,
                          const std::vector<std::uint8_t>& active) {
    const auto count = static_cast<std::int64_t>(blocks_.count());
    pairs_.clear();
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        const std::int32_t own = partition.block[v];
        const std::size_t before = pairs_.size();
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const std::int32_t other = partition.block[static_cast<std::size_t>(graph.to[e])];
            if (other == own) continue;
            if (active[static_cast<std::size_t>(own)] == 0 && active[static_cast<std::size_t>(other)] == 0) continue;
            const std::int64_t pair = std::min(own, other) * count + std::max(own, other);
            bool is_known = false;
            for (std::size_t i = before; i < pairs_.size(); ++i) is_known = is_known || pairs_[i].pair == pair;
            if (!is_known) pairs_.push_back({pair, static_cast<std::int32_t>(v)});
        }
    }
    std::ranges::stable_sort(pairs_, {}, &BoundaryVertex::pair);
}

/// Adds the vertices of block `own` near its boundary to `other`, nearest first.
void PairCuts::find_region(const PartitionGraph& graph, const Partition& partition, std::int32_t own,
                           std::int32_t other, std::int64_t most_weight, const std::vector<std::int32_t>& boundary) {
    const std::size_t begin = region_.size();
    std::size_t next = begin;
    std::int64_t weight = 0;
    const auto add = [&](std::int32_t vertex) {
        const auto v = static_cast<std::size_t>(vertex);
        if (partition.block[v] != own || inner_[v] >= 0 || weight + graph.vertex_weight[v] > most_weight) return;
        if (region_.size() - begin >= kMostVertices) return;
        weight += graph.vertex_weight[v];
        inner_[v] = static_cast<std::int32_t>(region_.size());
        region_.push_back(vertex);
    };
    for (const std::int32_t v : boundary) {
        // Skips vertices that are no longer at the boundary, because an earlier cut has moved it.
        bool touches = false;
        const auto i = static_cast<std::size_t>(v);
        for (std::size_t e = graph.first[i]; e < graph.first[i + 1] && !touches; ++e) {
            touches = partition.block[static_cast<std::size_t>(graph.to[e])] == other;
        }
        if (touches) add(v);
    }
    for (; next < region_.size(); ++next) {
        const auto v = static_cast<std::size_t>(region_[next]);
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) add(graph.to[e]);
    }
}

/// Cuts the region between a and b.
PairCuts::Outcome PairCuts::cut_region(const PartitionGraph& graph, Partition& partition, std::int32_t a,
                                       std::int32_t b) {
    const std::int64_t distance = blocks_.distance(a, b);
    cut_.reset(region_.size());
    std::int64_t unavoidable = 0;
    std::int64_t twice_before = 0;
    for (std::size_t i = 0; i < region_.size(); ++i) {
        const auto v = static_cast<std::size_t>(region_[i]);
        std::int64_t cost_in_a = 0, cost_in_b = 0;
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const auto u = static_cast<std::size_t>(graph.to[e]);
            const std::int32_t block = partition.block[u];
            const std::int32_t j = inner_[u];
            if (j >= 0) {
                if (block != partition.block[v]) twice_before += graph.weight[e] * distance;
                if (j > static_cast<std::int32_t>(i)) {
                    cut_.add_edge(static_cast<std::int32_t>(i), j, graph.weight[e] * distance);
                }
                continue;
            }
            cost_in_a += graph.weight[e] * blocks_.distance(a, block);
            cost_in_b += graph.weight[e] * blocks_.distance(b, block);
        }
        cut_.set_terminal(static_cast<std::int32_t>(i), cost_in_b - cost_in_a);
        unavoidable += std::min(cost_in_a, cost_in_b);
        twice_before += 2 * (partition.block[v] == a ? cost_in_a : cost_in_b);
    }
    evaluations_ += static_cast<std::int64_t>(region_.size());
    const std::int64_t gain = twice_before / 2 - unavoidable - cut_.solve();
    if (gain <= 0) return Outcome::kNoGain;
    const std::int64_t sum =
        partition.weight[static_cast<std::size_t>(a)] + partition.weight[static_cast<std::size_t>(b)];
    std::int64_t fixed = partition.weight[static_cast<std::size_t>(a)];
    for (const std::int32_t v : region_) {
        const auto i = static_cast<std::size_t>(v);
        if (partition.block[i] == a) fixed -= graph.vertex_weight[i];
    }
    for (const bool is_nearest_to_source : {true, false}) {
        const std::vector<std::uint8_t> in_a = cut_.source_side(is_nearest_to_source);
        std::int64_t weight = fixed;
        for (std::size_t i = 0; i < region_.size(); ++i) {
            if (in_a[i] != 0) weight += graph.vertex_weight[static_cast<std::size_t>(region_[i])];
        }
        if (weight > blocks_.capacity[static_cast<std::size_t>(a)]) continue;
        if (sum - weight > blocks_.capacity[static_cast<std::size_t>(b)]) continue;
        for (std::size_t i = 0; i < region_.size(); ++i) {
            partition.block[static_cast<std::size_t>(region_[i])] = in_a[i] != 0 ? a : b;
        }
        partition.weight[static_cast<std::size_t>(a)] = weight;
        partition.weight[static_cast<std::size_t>(b)] = sum - weight;
        partition.cost -= gain;
        return Outcome::kImproved;
    }
    return Outcome::kUnbalanced;
}

bool PairCuts::improve_pair(const PartitionGraph& graph, Partition& partition, std::int32_t a, std::int32_t b,
                            const std::vector<std::int32_t>& boundary) {
    const auto room = [&](std::int32_t block) {
        const auto i = static_cast<std::size_t>(block);
        return blocks_.capacity[i] - partition.weight[i];
    };
    if (room(a) < 0 || room(b) < 0) return false;
    // Starts with the widest region. A wider region never has a larger cut, but its cut breaks the balance more often.
    for (double width = kWidest; width > kNarrowest; width /= 2) {
        const auto most = [&](std::int32_t block) {
            const auto capacity = static_cast<double>(blocks_.capacity[static_cast<std::size_t>(block)]);
            return room(block) + static_cast<std::int64_t>(width * capacity);
        };
        region_.clear();
        find_region(graph, partition, a, b, most(b), boundary);
        find_region(graph, partition, b, a, most(a), boundary);
        const Outcome outcome = region_.empty() ? Outcome::kNoGain : cut_region(graph, partition, a, b);
        for (const std::int32_t v : region_) inner_[static_cast<std::size_t>(v)] = -1;
        if (outcome != Outcome::kUnbalanced) return outcome == Outcome::kImproved;
    }
    return false;
}

void PairCuts::refine(const PartitionGraph& graph, Partition& partition, Random& random) {
    constexpr int kMostRounds = 6;
    const auto count = static_cast<std::int64_t>(blocks_.count());
    std::vector<std::uint8_t> active(blocks_.count(), 1);
    for (int round = 0; round < kMostRounds; ++round) {
        find_pairs(graph, partition, active);
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        for (std::size_t begin = 0, end = 0; begin < pairs_.size(); begin = end) {
            while (end < pairs_.size() && pairs_[end].pair == pairs_[begin].pair) ++end;
            ranges.emplace_back(begin, end);
        }
        random.shuffle(std::span(ranges));
        std::ranges::fill(active, 0);
        bool has_improved = false;
        for (const auto& [begin, end] : ranges) {
            const auto a = static_cast<std::int32_t>(pairs_[begin].pair / count);
            const auto b = static_cast<std::int32_t>(pairs_[begin].pair % count);
            std::vector<std::int32_t> boundary;
            for (std::size_t i = begin; i < end; ++i) boundary.push_back(pairs_[i].vertex);
            if (!improve_pair(graph, partition, a, b, boundary)) continue;
            has_improved = true;
            active[static_cast<std::size_t>(a)] = active[static_cast<std::size_t>(b)] = 1;
        }
        if (!has_improved) return;
    }
}

}  // namespace haichi
