#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Assigns virtual channels to any routes of a graph by a rule that needs no search: LASH-TOR (Skeie et al., ICPADS
/// 2004). A *turn* is a pair of consecutive links of a route. Vertices are ordered by distance from the terminals,
/// farthest first, then by a breadth-first search from the first terminal. A link to an earlier vertex is up, a link to
/// a later vertex down. A route starts in layer 0 (virtual channel 0) and changes to the next layer at every turn from
/// down to up. Channels form no cycle, because a cycle within a layer would have such a turn at its last vertex. The
/// layer of a route never decreases.
///
/// Routes that lead up, then down, as in trees, need one layer. Two consecutive turns of a route cannot both lead from
/// down to up, so n links between switches need at most 1 + n/2 layers. Thus 8 layers suffice for every graph whose
/// routes have at most 15 links. ChannelLayers searches for large sets of turns without a cycle. This rule needs about
/// as many layers as ChannelLayers on tori of up to 12x12x12, dragonflies and random graphs. It needs more on meshes,
/// and on tori with longer routes.
class UpDownLayers {
  public:
    /// O(vertices + links); 9 bytes per vertex.
    UpDownLayers(const Graph& graph, const GraphOrder& order);

    /// The layer of a route on link `to`, if its previous link is `from` in layer `layer`.
    [[nodiscard]] std::int32_t after(const Graph::Link& from, const Graph::Link& to, std::int32_t layer) const {
        const bool is_refused = is_up(to.from, to.to) && !is_up(from.from, from.to);
        return is_refused ? layer + 1 : layer;
    }
    /// Number of layers that the routes of `trees`, all to one destination, need. They start at the vertices that
    /// `is_source` marks, which are roots of terminals (GraphOrder). O(vertices), without terminals that have a single
    /// switch.
    [[nodiscard]] std::int32_t needed(const RouteTrees& trees, std::span<const std::uint8_t> is_source);

    /// True if one layer suffices for any choice of shortest routes to the root of `trees`. Requires only the distances
    /// of `trees`. O(vertices + links).
    [[nodiscard]] bool is_one_enough(const Graph& graph, const RouteTrees& trees);

  private:
    [[nodiscard]] bool is_up(VertexId from, VertexId to) const { return place_[to.index()] < place_[from.index()]; }

    std::vector<std::int64_t> place_;  ///< position of every vertex in the order
    /// Work space. Per vertex, the highest layer of a route that leaves it; -1 without routes.
    std::vector<std::int8_t> layer_;
};

/// Returns a mark per vertex: 1 for the roots of `terminals`.
std::vector<std::uint8_t> mark_roots(const GraphOrder& order, std::span<const VertexId> terminals,
                                     std::size_t vertex_count);

}  // namespace haichi
