#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Virtual channels of any routes of a graph, by a rule that needs no search (Skeie et al., LASH-TOR, ICPADS 2004). A
/// *turn* is one link of a route and the next. The vertices stand in an order: those farther from the terminals before
/// nearer ones, then as a breadth-first search from the first terminal meets them. A link that leads to an earlier
/// vertex is up, one to a later vertex down. A route begins in layer 0 (virtual channel 0) and goes on to the next
/// layer at every turn from down to up. So there is no cycle of channels: within a layer it would have such a turn at
/// the last of its vertices, and layers only grow.
///
/// Routes that go up, then down, as those of trees, need one layer. As no two turns of a route that follow each other
/// go from down to up, a route of n links between switches needs at most 1 + n/2 layers: 8 are enough for each graph
/// whose routes have up to 15. Tori of up to 12x12x12, dragonflies and random graphs need about as many by this rule as
/// by ChannelLayers, which looks for large sets of turns without a cycle; meshes and tori with longer routes need more.
class UpDownLayers {
  public:
    /// O(vertices + links); 9 bytes per vertex.
    UpDownLayers(const Graph& graph, const GraphOrder& order);

    /// The layer of a route on link `to` after link `from` in layer `layer`.
    [[nodiscard]] std::int32_t after(const Graph::Link& from, const Graph::Link& to, std::int32_t layer) const {
        const bool is_refused = is_up(to.from, to.to) && !is_up(from.from, from.to);
        return is_refused ? layer + 1 : layer;
    }
    /// Layers that the routes of `trees`, all of one destination, need from the vertices that `is_source` marks: roots
    /// of terminals (GraphOrder). O(vertices) without the hosts.
    [[nodiscard]] std::int32_t needed(const RouteTrees& trees, std::span<const std::uint8_t> is_source);

  private:
    [[nodiscard]] bool is_up(VertexId from, VertexId to) const { return place_[to.index()] < place_[from.index()]; }

    std::vector<std::int64_t> place_;  ///< of every vertex in the order
    std::vector<std::int8_t> layer_;   ///< work space, per vertex: the highest of a route that leaves it; -1: none
};

/// Marks the roots of terminals.
std::vector<std::uint8_t> mark_roots(const GraphOrder& order, std::span<const VertexId> terminals,
                                     std::size_t vertex_count);

}  // namespace haichi
