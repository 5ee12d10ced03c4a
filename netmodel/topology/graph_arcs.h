#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/graph.h"

namespace haichi {

/// Where a link leads.
struct GraphArc {
    LinkId link;
    VertexId to;
};

/// The links of a Graph by their ends, as compressed sparse rows. The links that leave a vertex lie in the order of
/// their ends (switches before terminals, then by number), parallel ones in that of their numbers; those that enter it
/// in the order of the vertices that they come from. Neither depends on the order of the links, but for parallel ones.
class GraphArcs {
  public:
    GraphArcs(std::int32_t vertex_count, std::int32_t terminal_count, std::span<const Graph::Link> links);

    /// The links that leave v. O(1).
    [[nodiscard]] std::span<const GraphArc> out(VertexId v) const { return row(arcs_, first_arc_, v); }
    /// The vertices that the links which enter v come from. O(1).
    [[nodiscard]] std::span<const VertexId> in(VertexId v) const { return row(sources_, first_source_, v); }

    /// Number of links that leave v.
    [[nodiscard]] std::size_t count(VertexId v) const { return out(v).size(); }
    /// Number `place` of them.
    [[nodiscard]] const GraphArc& from(VertexId v, std::size_t place) const {
        return arcs_[first_arc_[v.index()] + place];
    }

  private:
    template <class T>
    static std::span<const T> row(const std::vector<T>& all, const std::vector<std::uint32_t>& first, VertexId v) {
        return std::span(all).subspan(first[v.index()], first[v.index() + 1] - first[v.index()]);
    }

    std::vector<std::uint32_t> first_arc_;  ///< by vertex, and the end
    std::vector<GraphArc> arcs_;
    std::vector<std::uint32_t> first_source_;
    std::vector<VertexId> sources_;
};

}  // namespace haichi
