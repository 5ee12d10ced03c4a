#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace haichi {

struct WeightedEdge {
    std::int32_t to = 0;
    std::int64_t weight = 0;  ///< cost of having its ends on different sides
};

/// An undirected graph to be cut in two, compressed by rows: every edge stands at both of its ends.
struct WeightedGraph {
    std::vector<std::size_t> first = {0};  ///< of vertex v: edges[first[v]] .. edges[first[v + 1] - 1]
    std::vector<WeightedEdge> edges;
    std::vector<std::int32_t> vertex_weight;
    std::vector<std::int64_t> pull;  ///< what vertex v costs more on side 1 than on side 0

    [[nodiscard]] std::size_t vertex_count() const { return vertex_weight.size(); }
};

/// Bounds of the vertex weight on side 0.
struct SideWeightRange {
    std::int64_t fewest = 0;
    std::int64_t most = 0;
};

/// 0 or 1 per vertex.
using Sides = std::vector<std::uint8_t>;

/// A bisection that keeps the weight of side 0 in `range` and makes the cut weight plus the pulls of side 1 small:
/// multilevel (heavy-edge matching, greedy graph growing on the coarsest graph from `growths` seeds, refinement after
/// Fiduccia and Mattheyses on the way back; Karypis and Kumar 1998). Vertices of weight 1 meet every range that has a
/// solution. About O((vertices + edges) log(vertices)); memory O(vertices + edges).
Sides bisect(const WeightedGraph& graph, SideWeightRange range, int growths, Random& random);

/// Refines a given bisection by the moves of Fiduccia and Mattheyses (1982). Never makes it worse; brings the weight of
/// side 0 into the range if vertices of weight 1 allow it.
void refine_bisection(const WeightedGraph& graph, SideWeightRange range, Sides& sides);

}  // namespace haichi
