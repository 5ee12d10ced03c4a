#include "mapper/partition/refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haichi {

Refinement::Refinement(const Blocks& blocks, std::size_t most_vertices)
    : blocks_(blocks),
      connection_(blocks.count(), 0),
      key_(most_vertices, 0),
      queued_in_(most_vertices, 0),
      moved_in_(most_vertices, 0) {}

/// Sums the edges of v by block. best_target() and cost_in() then read the sums.
void Refinement::connect(const PartitionGraph& graph, const Partition& partition, std::size_t v) {
    for (const std::int32_t b : connected_) connection_[static_cast<std::size_t>(b)] = 0;
    connected_.clear();
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const std::int32_t b = partition.block[static_cast<std::size_t>(graph.to[e])];
        std::int64_t& sum = connection_[static_cast<std::size_t>(b)];
        if (sum == 0) connected_.push_back(b);
        sum += graph.weight[e];
    }
}

std::int64_t Refinement::cost_in(std::int32_t block) const {
    const std::int32_t* const row = blocks_.distances.data() + static_cast<std::size_t>(block) * blocks_.count();
    std::int64_t cost = 0;
    for (const std::int32_t b : connected_) {
        cost += connection_[static_cast<std::size_t>(b)] * row[static_cast<std::size_t>(b)];
    }
    return cost;
}

/// The best block for v among those with room for it. Considers the neighbours' blocks, or all blocks if `any_block`.
Refinement::Target Refinement::best_target(const PartitionGraph& graph, const Partition& partition, std::size_t v,
                                           bool any_block) {
    connect(graph, partition, v);
    const std::int32_t own = partition.block[v];
    const std::int64_t cost = cost_in(own);
    Target best;
    const auto consider = [&](std::int32_t b) {
        const auto i = static_cast<std::size_t>(b);
        if (b == own || partition.weight[i] + graph.vertex_weight[v] > blocks_.capacity[i]) return;
        ++evaluations_;
        const std::int64_t gain = cost - cost_in(b);
        if (best.block >= 0 && gain <= best.gain) {
            if (gain < best.gain) return;
            if (partition.weight[i] >= partition.weight[static_cast<std::size_t>(best.block)]) return;
        }
        best = {b, gain};
    };
    if (any_block) {
        for (std::size_t b = 0; b < blocks_.count(); ++b) consider(static_cast<std::int32_t>(b));
    } else {
        for (const std::int32_t b : connected_) consider(b);
    }
    return best;
}

void Refinement::move(const PartitionGraph& graph, Partition& partition, std::int32_t v, std::int32_t to) {
    const auto i = static_cast<std::size_t>(v);
    const std::int64_t weight = graph.vertex_weight[i];
    const auto add = [&](std::int32_t block, std::int64_t change) {
        const auto b = static_cast<std::size_t>(block);
        partition.overload -= std::max<std::int64_t>(partition.weight[b] - blocks_.capacity[b], 0);
        partition.weight[b] += change;
        partition.overload += std::max<std::int64_t>(partition.weight[b] - blocks_.capacity[b], 0);
    };
    add(partition.block[i], -weight);
    add(to, weight);
    partition.block[i] = to;
}

void Refinement::push(std::int32_t v, std::int64_t gain, Random& random) {
    key_[static_cast<std::size_t>(v)] = gain;
    queued_in_[static_cast<std::size_t>(v)] = search_;
    heap_.push_back({gain, static_cast<std::uint32_t>(random.next() >> 32), v});
    std::push_heap(heap_.begin(), heap_.end());
}

Refinement::Entry Refinement::pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
}

void Refinement::find_boundary(const PartitionGraph& graph, const Partition& partition) {
    boundary_.clear();
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        const std::int32_t own = partition.block[v];
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            if (partition.block[static_cast<std::size_t>(graph.to[e])] == own) continue;
            boundary_.push_back(static_cast<std::int32_t>(v));
            break;
        }
    }
}

void Refinement::rebalance(const PartitionGraph& graph, Partition& partition, Random& random) {
    for (const bool any_block : {false, true}) {
        if (partition.overload == 0) return;
        ++search_;
        heap_.clear();
        const auto is_too_heavy = [&](std::size_t v) {
            const auto b = static_cast<std::size_t>(partition.block[v]);
            return partition.weight[b] > blocks_.capacity[b];
        };
        const auto consider = [&](std::size_t v) {
            if (!is_too_heavy(v)) return;
            const Target target = best_target(graph, partition, v, any_block);
            if (target.block < 0) return;
            if (queued_in_[v] == search_ && key_[v] == target.gain) return;
            push(static_cast<std::int32_t>(v), target.gain, random);
        };
        for (std::size_t v = 0; v < graph.vertex_count(); ++v) consider(v);
        while (partition.overload > 0 && !heap_.empty()) {
            const Entry entry = pop();
            const auto v = static_cast<std::size_t>(entry.vertex);
            if (entry.gain != key_[v] || !is_too_heavy(v)) continue;
            const Target target = best_target(graph, partition, v, any_block);
            if (target.block < 0) continue;
            if (target.gain < entry.gain) {
                push(entry.vertex, target.gain, random);
                continue;
            }
            move(graph, partition, entry.vertex, target.block);
            partition.cost -= target.gain;
            for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                consider(static_cast<std::size_t>(graph.to[e]));
            }
        }
    }
}

void Refinement::search_from(const PartitionGraph& graph, Partition& partition, std::int32_t seed, Random& random) {
    ++search_;
    heap_.clear();
    moved_.clear();
    const Target first = best_target(graph, partition, static_cast<std::size_t>(seed));
    if (first.block < 0) return;
    push(seed, first.gain, random);
    const std::int64_t cost_before = partition.cost;
    std::int64_t best_cost = cost_before;
    std::size_t best_count = 0;
    // The stopping rule of Osipov and Sanders (2010). It models the gains since the best point as a random walk, and
    // stops when the drift makes a new best point unlikely.
    double sum = 0, squares = 0, steps = 0;
    const double patience = std::log(static_cast<double>(graph.vertex_count()) + 1);
    while (!heap_.empty()) {
        const Entry entry = pop();
        const auto v = static_cast<std::size_t>(entry.vertex);
        if (moved_in_[v] == round_ || entry.gain != key_[v]) continue;
        const Target target = best_target(graph, partition, v);
        if (target.block < 0) continue;
        if (target.gain < entry.gain) {
            push(entry.vertex, target.gain, random);
            continue;
        }
        moved_in_[v] = round_;
        moved_.push_back({entry.vertex, partition.block[v]});
        move(graph, partition, entry.vertex, target.block);
        partition.cost -= target.gain;
        const auto gain = static_cast<double>(target.gain);
        if (partition.cost < best_cost) {
            best_cost = partition.cost;
            best_count = moved_.size();
            sum = squares = steps = 0;
        } else {
            sum += gain;
            squares += gain * gain;
            ++steps;
            const double variance = squares / steps - (sum / steps) * (sum / steps);
            if (steps > patience && sum < 0 && sum * sum > steps * variance) break;
        }
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const auto u = static_cast<std::size_t>(graph.to[e]);
            if (moved_in_[u] == round_) continue;
            const Target next = best_target(graph, partition, u);
            if (next.block < 0) {
                queued_in_[u] = 0;
                key_[u] = std::numeric_limits<std::int64_t>::min();
                continue;
            }
            if (queued_in_[u] != search_ || key_[u] != next.gain) push(graph.to[e], next.gain, random);
        }
    }
    while (moved_.size() > best_count) {
        move(graph, partition, moved_.back().vertex, moved_.back().from);
        moved_.pop_back();
    }
    partition.cost = best_cost;
}

void Refinement::refine(const PartitionGraph& graph, Partition& partition, Random& random) {
    constexpr int kMostRounds = 12;
    constexpr double kLeastGain = 5e-4;
    for (int round = 0; round < kMostRounds; ++round) {
        ++round_;
        const std::int64_t before = partition.cost;
        find_boundary(graph, partition);
        random.shuffle(std::span(boundary_));
        for (const std::int32_t v : boundary_) {
            if (moved_in_[static_cast<std::size_t>(v)] != round_) search_from(graph, partition, v, random);
        }
        if (static_cast<double>(before - partition.cost) <= kLeastGain * static_cast<double>(before)) return;
    }
}

}  // namespace haichi
