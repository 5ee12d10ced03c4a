#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace haichi {

struct WeightedEdge {
    std::int32_t to = 0;
    std::int64_t weight = 0;  ///< cost if its ends are on different sides
};

/// An undirected graph for bisection in compressed rows. Every edge is stored at both of its ends.
struct WeightedGraph {
    std::vector<std::size_t> first = {0};  ///< edges of vertex v: edges[first[v]] .. edges[first[v + 1] - 1]
    std::vector<WeightedEdge> edges;
    std::vector<std::int32_t> vertex_weight;
    std::vector<std::int64_t> pull;  ///< per vertex: cost on side 1 minus cost on side 0

    [[nodiscard]] std::size_t vertex_count() const { return vertex_weight.size(); }
};

/// Bounds of the vertex weight on side 0.
struct SideWeightRange {
    std::int64_t fewest = 0;
    std::int64_t most = 0;
};

/// 0 or 1 per vertex.
using Sides = std::vector<std::uint8_t>;

/// A bisection with the weight of side 0 in `range`. Minimises the cut weight plus the pulls of the vertices on side 1.
/// The method is multilevel (Karypis and Kumar 1998): heavy-edge matching, then greedy graph growing on the coarsest
/// graph from `growths` seeds. Each finer level is refined after Fiduccia and Mattheyses. If all vertices have weight
/// 1, the result is within the range whenever a solution exists. About O((vertices + edges) log(vertices)) time, and
/// O(vertices + edges) memory.
Sides bisect(const WeightedGraph& graph, SideWeightRange range, int growths, Random& random);

/// Refines a given bisection by the moves of Fiduccia and Mattheyses (1982). The result is never worse. If all vertices
/// have weight 1, brings the weight of side 0 into the range whenever that is possible.
void refine_bisection(const WeightedGraph& graph, SideWeightRange range, Sides& sides);

}  // namespace haichi
