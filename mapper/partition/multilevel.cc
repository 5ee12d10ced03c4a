#include "mapper/partition/multilevel.h"

#include <algorithm>

#include "mapper/partition/grown_blocks.h"

namespace haichi {

namespace {

constexpr std::size_t kFewestPerBlock = 40;     ///< vertices of the coarsest graph
constexpr std::size_t kCombinedPerBlock = 400;  ///< vertices of the graph whose partitions are combined
constexpr double kRelaxation = 1.5;             ///< allowed weight above the capacities, in clusters of mean weight
constexpr int kGrownPartitions = 16;
constexpr std::size_t kCombinedPartitions = 8;
constexpr int kChildren = 32;

/// Converts a partition to the coarser graph.
BlockOfVertex coarsened(const BlockOfVertex& block, const std::vector<std::int32_t>& coarse_of, std::size_t count) {
    BlockOfVertex coarse(count);
    for (std::size_t v = 0; v < block.size(); ++v) coarse[static_cast<std::size_t>(coarse_of[v])] = block[v];
    return coarse;
}

}  // namespace

Multilevel::Multilevel(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
                       const std::function<bool()>& may_go_on, bool is_coarse)
    : graph_(graph),
      blocks_(blocks),
      relaxed_(blocks),
      random_(seed),
      may_go_on_(may_go_on),
      is_coarse_(is_coarse),
      refinement_(relaxed_, graph.vertex_count()),
      cuts_(relaxed_, graph.vertex_count()) {}

/// Coarsens the graph. Vertices in different blocks of any of `kept` stay apart.
void Multilevel::coarsen_keeping(std::vector<BlockOfVertex> kept, std::size_t vertices_per_block) {
    constexpr double kLeastShrinkage = 0.95;
    constexpr std::size_t kSmallestShare = 3;  // clusters weigh at most three times the mean of the coarsest graph
    const std::size_t clusters = blocks_.count() * std::max(vertices_per_block / kSmallestShare, std::size_t{1});
    const std::int64_t most_weight =
        std::max<std::int64_t>(graph_.total_vertex_weight() / static_cast<std::int64_t>(clusters), 1);
    levels_.clear();
    while (graph(levels_.size()).vertex_count() > vertices_per_block * blocks_.count()) {
        const PartitionGraph& fine = graph(levels_.size());
        std::vector<const BlockOfVertex*> pointers;
        for (const BlockOfVertex& blocks : kept) pointers.push_back(&blocks);
        CoarserGraph coarser = coarsen(fine, pointers, most_weight, random_);
        const auto count = static_cast<double>(coarser.graph.vertex_count());
        if (count > kLeastShrinkage * static_cast<double>(fine.vertex_count())) return;
        for (BlockOfVertex& blocks : kept) {
            blocks = coarsened(blocks, coarser.coarse_of, coarser.graph.vertex_count());
        }
        levels_.push_back({std::move(coarser.graph), std::move(coarser.coarse_of)});
    }
}

void Multilevel::improve(std::size_t level, Partition& partition) {
    const PartitionGraph& at = graph(level);
    std::int64_t above = 0;
    if (level > 0 || is_coarse_) {
        const std::int64_t heaviest = *std::ranges::max_element(at.vertex_weight);
        above = static_cast<std::int64_t>(kRelaxation * static_cast<double>(heaviest));
    }
    partition.overload = 0;
    for (std::size_t b = 0; b < blocks_.count(); ++b) {
        relaxed_.capacity[b] = blocks_.capacity[b] + above;
        partition.overload += std::max<std::int64_t>(partition.weight[b] - relaxed_.capacity[b], 0);
    }
    refinement_.rebalance(at, partition, random_);
    const bool is_late = !may_go_on_();
    if (is_late && !is_new_) return;
    refinement_.refine(at, partition, random_);
    if (is_late) return;
    cuts_.refine(at, partition, random_);
}

Partition Multilevel::best_grown(std::int64_t most_evaluations) {
    const PartitionGraph& coarsest = graph(levels_.size());
    Partition best;
    for (int k = 0; k < kGrownPartitions; ++k) {
        if (k > 0 && (!may_go_on_() || evaluations() >= most_evaluations)) break;
        Partition partition = make_partition(coarsest, blocks_, grown_blocks(coarsest, blocks_, random_));
        improve(levels_.size(), partition);
        if (best.block.empty() || partition.is_better_than(best)) best = std::move(partition);
    }
    return best;
}

/// Makes partitions of the coarsest graph, combines them, and returns the best one.
Partition Multilevel::best_combined(std::int64_t most_evaluations) {
    Multilevel coarse(graph(levels_.size()), blocks_, random_.next(), may_go_on_, true);
    const auto goes_on = [&] { return may_go_on_() && coarse.evaluations() < most_evaluations; };
    std::vector<Partition> population;
    while (population.empty() || (population.size() < kCombinedPartitions && goes_on())) {
        coarse.is_new_ = population.empty();
        coarse.coarsen_keeping({}, kFewestPerBlock);
        population.push_back(coarse.uncoarsened(coarse.best_grown(most_evaluations)));
    }
    coarse.is_new_ = false;
    for (int k = 0; k < kChildren && goes_on(); ++k) {
        std::size_t a = random_.below(static_cast<std::uint32_t>(population.size()));
        std::size_t b = random_.below(static_cast<std::uint32_t>(population.size()));
        if (population[b].is_better_than(population[a])) std::swap(a, b);
        Partition child = coarse.combine(population[a], population[b]);
        if (child.is_better_than(population[b])) population[b] = std::move(child);
    }
    evaluations_ += coarse.evaluations();
    const auto best = std::ranges::min_element(
        population, [](const Partition& a, const Partition& b) { return a.is_better_than(b); });
    return std::move(*best);
}

/// Projects a partition of the coarsest graph to each finer graph in turn, and improves it there.
Partition Multilevel::uncoarsened(Partition partition) {
    while (!levels_.empty()) {
        const std::vector<std::int32_t>& coarse_of = levels_.back().coarse_of;
        BlockOfVertex fine(coarse_of.size());
        for (std::size_t v = 0; v < fine.size(); ++v) {
            fine[v] = partition.block[static_cast<std::size_t>(coarse_of[v])];
        }
        partition.block = std::move(fine);
        levels_.pop_back();
        improve(levels_.size(), partition);
    }
    return partition;
}

Partition Multilevel::construct(std::int64_t most_evaluations) {
    is_new_ = true;
    coarsen_keeping({}, kCombinedPerBlock);
    const bool is_small = levels_.empty();
    Partition best = uncoarsened(best_combined(most_evaluations));
    if (is_small) improve(0, best);  // with the exact capacities, because relaxed ones were used before
    is_new_ = false;
    return best;
}

Partition Multilevel::combine(const Partition& first, const Partition& second) {
    std::vector<BlockOfVertex> kept = {first.block};
    if (&first != &second) kept.push_back(second.block);
    coarsen_keeping(std::move(kept), kFewestPerBlock);
    Partition partition = first;
    for (const Level& level : levels_) {
        partition.block = coarsened(partition.block, level.coarse_of, level.graph.vertex_count());
    }
    improve(levels_.size(), partition);
    return uncoarsened(std::move(partition));
}

}  // namespace haichi
