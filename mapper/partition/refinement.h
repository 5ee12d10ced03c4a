#pragma once

#include <cstdint>
#include <vector>

#include "mapper/partition/blocks.h"

namespace haichi {

/// Lowers the cost of a partition by moves of single vertices. The costs are exact: sums of weight * distance. Reserves
/// memory for graphs of up to `most_vertices` vertices: O(vertices + blocks).
class Refinement {
  public:
    Refinement(const Blocks& blocks, std::size_t most_vertices);

    /// Moves vertices out of overloaded blocks. The cheapest moves come first. Some overload may remain.
    void rebalance(const PartitionGraph& graph, Partition& partition, Random& random);

    /// Starts a search of Fiduccia and Mattheyses at one boundary vertex after another (Sanders and Schulz 2011). A
    /// search also makes moves that raise the cost, and reverts the moves after its best point. Rounds end when a round
    /// gains little. The result is never worse.
    void refine(const PartitionGraph& graph, Partition& partition, Random& random);

    /// Number of changes of cost that were computed.
    [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

  private:
    struct Target {
        std::int32_t block = -1;  ///< -1 for none
        std::int64_t gain = 0;
    };
    struct Entry {
        std::int64_t gain = 0;
        std::uint32_t tie = 0;
        std::int32_t vertex = 0;
        bool operator<(const Entry& other) const { return gain != other.gain ? gain < other.gain : tie < other.tie; }
    };
    struct Moved {
        std::int32_t vertex;
        std::int32_t from;
    };

    void connect(const PartitionGraph& graph, const Partition& partition, std::size_t v);
    [[nodiscard]] std::int64_t cost_in(std::int32_t block) const;
    [[nodiscard]] Target best_target(const PartitionGraph& graph, const Partition& partition, std::size_t v,
                                     bool any_block = false);
    void move(const PartitionGraph& graph, Partition& partition, std::int32_t v, std::int32_t to);
    void push(std::int32_t v, std::int64_t gain, Random& random);
    [[nodiscard]] Entry pop();
    void find_boundary(const PartitionGraph& graph, const Partition& partition);
    void search_from(const PartitionGraph& graph, Partition& partition, std::int32_t seed, Random& random);

    const Blocks& blocks_;
    std::int64_t evaluations_ = 0;
    std::vector<std::int64_t> connection_;  ///< by block, weight of the edges of the current vertex
    std::vector<std::int32_t> connected_;   ///< blocks with such edges
    std::vector<std::int32_t> boundary_;
    std::vector<Entry> heap_;
    std::vector<std::int64_t> key_;         ///< by vertex, the gain of its valid entry
    std::vector<std::uint32_t> queued_in_;  ///< by vertex, the search that queued it
    std::vector<std::uint32_t> moved_in_;   ///< by vertex, the round that moved it
    std::uint32_t search_ = 0;
    std::uint32_t round_ = 0;
    std::vector<Moved> moved_;
};

}  // namespace haichi
