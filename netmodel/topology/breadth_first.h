#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/graph_arcs.h"

namespace haichi {

/// Breadth-first searches of a graph, in memory that is used again. The graph must outlive it.
class BreadthFirst {
  public:
    static constexpr std::int32_t kUnreachable = -1;

    explicit BreadthFirst(const Graph& graph);

    /// Hops to `d` along the links, past the vertices that `is_closed` marks (empty: none). O(vertices + links).
    void search_to(VertexId d, std::span<const std::uint8_t> is_closed = {});
    /// Hops from `s`.
    void search_from(VertexId s);

    /// Of the last search: hops, kUnreachable where there is no way.
    [[nodiscard]] const std::vector<std::int32_t>& distance() const { return distance_; }
    [[nodiscard]] std::int32_t distance(VertexId v) const { return distance_[v.index()]; }
    /// The vertices that are reached, the nearest first. Does not depend on the order of the links.
    [[nodiscard]] const std::vector<VertexId>& by_distance() const { return by_distance_; }

  private:
    static VertexId vertex_of(VertexId v) { return v; }
    static VertexId vertex_of(const GraphArc& arc) { return arc.to; }
    template <class Neighbours>
    void search(VertexId root, const Neighbours& neighbours);

    const GraphArcs* arcs_;
    std::vector<std::int32_t> distance_;
    std::vector<std::uint8_t> is_open_;  ///< not reached yet, and not closed
    std::vector<VertexId> by_distance_;
};

}  // namespace haichi
