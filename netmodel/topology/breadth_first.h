#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/graph_arcs.h"

namespace haichi {

/// Breadth-first searches of a graph, in reused memory. The graph must outlive this object.
class BreadthFirst {
  public:
    static constexpr std::int32_t kUnreachable = -1;

    explicit BreadthFirst(const Graph& graph);

    /// Finds the hops to `d` along the links, avoiding the vertices that `is_closed` marks (empty: none). O(vertices +
    /// links). The links of vertices with the same neighbours count once.
    void search_to(VertexId d, std::span<const std::uint8_t> is_closed = {});
    /// Finds the hops from `s`.
    void search_from(VertexId s);

    /// Hops found by the last search; kUnreachable without a path.
    [[nodiscard]] const std::vector<std::int32_t>& distance() const { return distance_; }
    [[nodiscard]] std::int32_t distance(VertexId v) const { return distance_[v.index()]; }
    /// The reached vertices, nearest first, independent of the order of the links.
    [[nodiscard]] const std::vector<VertexId>& by_distance() const { return by_distance_; }
    /// Number of links that all searches have visited, for tests of their effort.
    [[nodiscard]] std::int64_t visits() const { return visits_; }

  private:
    static VertexId vertex_of(VertexId v) { return v; }
    static VertexId vertex_of(const GraphArc& arc) { return arc.to; }
    template <class Neighbours, class Hosts, class Group>
    void search(VertexId root, const Neighbours& neighbours, const Hosts& hosts, const Group& group);

    const GraphArcs* arcs_;
    std::vector<std::int32_t> distance_;
    std::vector<std::uint8_t> is_open_;  ///< neither reached yet nor closed
    std::vector<VertexId> by_distance_;
    std::vector<std::uint32_t> followed_by_;  ///< by group: number of the search that followed its links last
    std::uint32_t searches_ = 0;
    std::int64_t visits_ = 0;
};

}  // namespace haichi
