#pragma once

#include <cstdint>
#include <vector>

#include "mapper/partition/blocks.h"
#include "mapper/partition/minimum_cut.h"

namespace haichi {

/// Replaces the boundary between two adjacent blocks by a minimum cut (Sanders and Schulz 2011). The sides of all
/// vertices near the boundary are chosen together, by the exact cost. An edge to a third block pulls towards the block
/// nearer to it, as in the swap moves of Boykov, Veksler and Zabih (2001).
class PairCuts {
  public:
    PairCuts(const Blocks& blocks, std::size_t most_vertices);

    /// Cuts pairs of blocks anew as long as the cost improves. The result is never worse.
    void refine(const PartitionGraph& graph, Partition& partition, Random& random);

    /// Total number of vertices in the regions of all cuts.
    [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

  private:
    enum class Outcome { kNoGain, kUnbalanced, kImproved };
    struct BoundaryVertex {
        std::int64_t pair;
        std::int32_t vertex;
    };

    void find_pairs(const PartitionGraph& graph, const Partition& partition, const std::vector<std::uint8_t>& active);
    bool improve_pair(const PartitionGraph& graph, Partition& partition, std::int32_t a, std::int32_t b,
                      const std::vector<std::int32_t>& boundary);
    void find_region(const PartitionGraph& graph, const Partition& partition, std::int32_t own, std::int32_t other,
                     std::int64_t most_weight, const std::vector<std::int32_t>& boundary);
    Outcome cut_region(const PartitionGraph& graph, Partition& partition, std::int32_t a, std::int32_t b);

    const Blocks& blocks_;
    std::int64_t evaluations_ = 0;
    MinimumCut cut_;
    std::vector<BoundaryVertex> pairs_;
    std::vector<std::int32_t> region_;
    std::vector<std::int32_t> inner_;  ///< index of each vertex in the region; -1 outside
};

}  // namespace haichi
