#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapper/partition/blocks.h"
#include "mapper/partition/pair_cuts.h"
#include "mapper/partition/refinement.h"

namespace haichi {

/// Multilevel partitions of one graph (Hendrickson and Leland 1995). The graph is coarsened step by step. A partition
/// of the coarsest graph is then refined on every finer graph. The same seed gives the same partitions.
///
/// Clusters of coarser graphs are heavy, so blocks there may exceed their capacities by 1.5 times the weight of a
/// cluster. On the graph itself, the exact capacities hold if moves of single vertices can meet them.
class Multilevel {
  public:
    /// Graph, blocks and `may_go_on` must outlive the object. After `may_go_on` has returned false, combined partitions
    /// are only projected and balanced. New partitions are refined, but without minimum cuts.
    Multilevel(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
               const std::function<bool()>& may_go_on)
        : Multilevel(graph, blocks, seed, may_go_on, false) {}

    /// Makes a new partition. Partitions of a coarser graph are combined there, and the best one is refined. No new
    /// attempt begins after `most_evaluations`.
    Partition construct(std::int64_t most_evaluations);
    /// Combines two partitions (Sanders and Schulz 2012). Edges cut in either partition stay in all coarser graphs.
    /// Refinement of `first` on these graphs therefore moves whole pieces of both partitions. The result is never worse
    /// than `first`. If both are the same partition, this is a V-cycle.
    Partition combine(const Partition& first, const Partition& second);

    [[nodiscard]] std::int64_t evaluations() const {
        return evaluations_ + refinement_.evaluations() + cuts_.evaluations();
    }

  private:
    struct Level {
        PartitionGraph graph;
        std::vector<std::int32_t> coarse_of;  ///< by vertex of the finer graph
    };

    /// `is_coarse` is true if another Multilevel has coarsened `graph`.
    Multilevel(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
               const std::function<bool()>& may_go_on, bool is_coarse);

    [[nodiscard]] const PartitionGraph& graph(std::size_t level) const {
        return level == 0 ? graph_ : levels_[level - 1].graph;
    }
    void coarsen_keeping(std::vector<BlockOfVertex> kept, std::size_t vertices_per_block);
    Partition best_grown(std::int64_t most_evaluations);
    Partition best_combined(std::int64_t most_evaluations);
    void improve(std::size_t level, Partition& partition);
    Partition uncoarsened(Partition partition);

    const PartitionGraph& graph_;
    const Blocks& blocks_;
    Blocks relaxed_;  ///< the blocks, with the capacities of the current level
    Random random_;
    const std::function<bool()>& may_go_on_;
    bool is_coarse_;
    bool is_new_ = false;  ///< whether the partition is new, and so refined in any case
    Refinement refinement_;
    PairCuts cuts_;
    std::int64_t evaluations_ = 0;  ///< evaluations of other objects
    std::vector<Level> levels_;
};

}  // namespace haichi
