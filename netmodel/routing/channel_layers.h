#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/routing/shortest_paths.h"

namespace haichi {

/// Finds virtual channels for the routes of a graph by a search. A *turn* is a pair of consecutive links of a route.
/// Every layer (virtual channel) refuses some turns, so that the remaining turns close no cycle. A route starts in
/// layer 0 and changes to the next layer at a refused turn. The pair (layer, position of the link in the layer's
/// topological order) only grows along a route. Channels therefore form no cycle (Dally, Seitz 1987). The layers are
/// those of LASH (Skeie, Lysne, Theiss, IPDPS 2002), but a route may change its layer. A route around a ring with one
/// direction therefore needs two layers instead of half the ring's length. A layer accepts turns in the order of the
/// number of routes that need them, largest first.
///
/// Nodes at one switch count as one source, because their routes are the same from there on. They also count as one
/// destination if routes are not spread. Complexity: O(layers^2 * destinations * (vertices + links)), and the cost of
/// AcyclicOrder per turn. No search is needed if one layer of UpDownLayers suffices. Stores the refused turns, 8 bytes
/// each.
class ChannelLayers {
  public:
    static constexpr std::size_t kMostRefusedTurns = std::size_t{8} << 20;  ///< 64 MB
    static constexpr std::size_t kMostTurns = std::size_t{1} << 26;         ///< turns considered: 256 MB, temporarily

    /// Finds at most `most` layers for the routes between `terminals`, none of which may be faulty. Throws
    /// UnsupportedError for too many turns.
    ChannelLayers(const Graph& graph, const ShortestPaths& paths, std::span<const VertexId> terminals,
                  std::int32_t most = kMostLayers);

    [[nodiscard]] std::int32_t count() const { return count_; }
    /// Links in the last layer that wait for each other in a cycle. Empty if the layers suffice.
    [[nodiscard]] const std::vector<std::int32_t>& cycle() const { return cycle_; }
    /// The layer of a route on link `to`, if its previous link is `from` in layer `layer`. O(log refused turns).
    [[nodiscard]] std::int32_t after(LinkId from, LinkId to, std::int32_t layer) const;

  private:
    static std::uint64_t key(LinkId from, LinkId to, std::int32_t layer) {
        constexpr int kLinkBits = 28;
        return static_cast<std::uint64_t>(layer) << (2 * kLinkBits) |
               static_cast<std::uint64_t>(from.value) << kLinkBits | static_cast<std::uint64_t>(to.value);
    }

    std::int32_t count_ = 1;
    std::vector<std::int32_t> cycle_;
    std::vector<std::uint64_t> refused_;  ///< sorted keys
};

}  // namespace haichi
