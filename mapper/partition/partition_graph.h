#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace haichi {

/// An undirected graph in compressed rows. Every edge is stored at both ends, in 12 bytes each. Vertices are ranks, or
/// clusters of ranks. A value type.
struct PartitionGraph {
    std::vector<std::size_t> first = {0};  ///< edges of vertex v: first[v] .. first[v + 1] - 1
    std::vector<std::int32_t> to;
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> vertex_weight;

    [[nodiscard]] std::size_t vertex_count() const { return vertex_weight.size(); }
    [[nodiscard]] std::int64_t total_vertex_weight() const;
};

/// The block of each vertex.
using BlockOfVertex = std::vector<std::int32_t>;

/// The subgraph of the vertices `members`. Vertex i of the subgraph is members[i]. `inner` is work space with an entry
/// for each vertex of the graph. All its entries must be -1 before the call, and are -1 after it.
PartitionGraph part_of(const PartitionGraph& graph, std::span<const std::int32_t> members,
                       std::vector<std::int32_t>& inner);

/// A coarser graph, and the coarse vertex of each vertex.
struct CoarserGraph {
    PartitionGraph graph;
    std::vector<std::int32_t> coarse_of;
};

/// Contracts a matching of heavy edges between light vertices. Edges are rated by weight^2 / (product of the vertex
/// weights) (Holtgrewe, Sanders and Schulz 2010). Vertices in different blocks of any of `kept` are not matched, so
/// that each of these partitions is also a partition of the coarser graph. No vertex becomes heavier than
/// `most_weight`. O(vertices + edges).
CoarserGraph coarsen(const PartitionGraph& graph, std::span<const BlockOfVertex* const> kept, std::int64_t most_weight,
                     Random& random);

}  // namespace haichi
