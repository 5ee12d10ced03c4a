#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/grid.h"
#include "netmodel/topology/job_nodes.h"

namespace haichi {

class Topology;

/// For each node of a job: the usable nodes, possibly none, that a search may try as neighbours. A value.
class NearNodes {
  public:
    static constexpr std::size_t kMost = 64;

    [[nodiscard]] std::span<const NodeId> of(NodeId node) const {
        return std::span(near_).subspan(first_[node.index()], count_[node.index()]);
    }

    /// Entries of neighbour lists that by_search() has visited, for tests of its effort.
    [[nodiscard]] std::int64_t visits() const { return visits_; }

    /// Nodes one hop away.
    static NearNodes on_grid(const Grid& grid, const JobNodes& job);
    /// Nodes in the same block of `terminals_of_block` terminals with consecutive numbers. If there are more than
    /// kMost, the nodes that follow cyclically. O(nodes).
    static NearNodes in_blocks(std::int32_t terminals_of_block, const JobNodes& job);
    /// The nearest nodes by number of links, independent of the routes. If there are more than kMost, the nodes with
    /// the cyclically next ids. O(vertices and links up to the nearest node) per node; visits at most kMost nodes of
    /// each of these vertices.
    static NearNodes by_search(const Topology& topology, const JobNodes& job);

  private:
    std::vector<std::uint32_t> first_;  ///< start of each node's window in near_; windows may overlap
    std::vector<std::uint8_t> count_;
    std::vector<NodeId> near_;
    std::int64_t visits_ = 0;
};

}  // namespace haichi
