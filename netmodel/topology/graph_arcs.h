#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/graph.h"

namespace haichi {

/// A link and the vertex to which it leads.
struct GraphArc {
    LinkId link;
    VertexId to;
};

/// The links of a Graph as compressed sparse rows. The links that leave a vertex are ordered by their ends: switches
/// before terminals, then by vertex id. Parallel links are ordered by link id. The links that enter a vertex are
/// ordered by their starts. Apart from parallel links, the order of the links does not matter.
class GraphArcs {
  public:
    GraphArcs(std::int32_t vertex_count, std::int32_t terminal_count, std::span<const Graph::Link> links);

    /// The links that leave v. O(1).
    [[nodiscard]] std::span<const GraphArc> out(VertexId v) const { return row(arcs_, first_arc_, v); }
    /// The vertices with links that enter v. O(1).
    [[nodiscard]] std::span<const VertexId> in(VertexId v) const { return row(sources_, first_source_, v); }

    /// The switch to and from which all links of v lead, if v is a terminal; otherwise, an invalid id. O(1).
    [[nodiscard]] VertexId switch_of_host(VertexId v) const {
        return v.value < terminal_count_ ? switch_of_host_[v.index()] : VertexId();
    }
    /// If all terminals in out(v) are hosts of v: the number of links to them, which are the last ones. Otherwise 0.
    [[nodiscard]] std::uint32_t host_links(VertexId v) const { return host_links_[v.index()]; }
    /// If all terminals in in(v) are hosts of v: their number. They are the first ones. Otherwise 0.
    [[nodiscard]] std::uint32_t hosts_before(VertexId v) const { return hosts_before_[v.index()]; }
    /// Vertices whose links lead to the same ends, apart from host_links(), have equal numbers, below the number of
    /// vertices.
    [[nodiscard]] std::uint32_t out_group(VertexId v) const { return out_group_[v.index()]; }
    /// The same for the links that enter a vertex, apart from those of hosts_before().
    [[nodiscard]] std::uint32_t in_group(VertexId v) const { return in_group_[v.index()]; }

    /// Number of links that leave v.
    [[nodiscard]] std::size_t count(VertexId v) const { return out(v).size(); }
    /// The index for from() of the first link from v to `to`, which must exist. O(log(links of v)).
    [[nodiscard]] std::uint32_t place_of(VertexId v, VertexId to) const;
    /// The link with index `place` among those that leave v.
    [[nodiscard]] const GraphArc& from(VertexId v, std::size_t place) const {
        return arcs_[first_arc_[v.index()] + place];
    }

  private:
    void find_hosts();

    template <class T>
    static std::span<const T> row(const std::vector<T>& all, const std::vector<std::uint32_t>& first, VertexId v) {
        return std::span(all).subspan(first[v.index()], first[v.index() + 1] - first[v.index()]);
    }

    std::vector<std::uint32_t> first_arc_;  ///< by vertex, plus an end entry
    std::vector<GraphArc> arcs_;
    std::vector<std::uint32_t> first_source_;
    std::vector<VertexId> sources_;
    std::vector<VertexId> switch_of_host_;
    std::vector<std::uint32_t> host_links_;
    std::vector<std::uint32_t> hosts_before_;
    std::vector<std::uint32_t> out_group_;
    std::vector<std::uint32_t> in_group_;
    std::int32_t terminal_count_;
};

}  // namespace haichi
