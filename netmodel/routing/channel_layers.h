#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/routing/shortest_paths.h"
#include "netmodel/topology/topology.h"

namespace haichi {

/// The routes of a job on a graph.
struct GraphJob {
    const Topology& topology;  ///< of the graph: names links
    const Graph& graph;
    const ShortestPaths& paths;
    const JobNodes& nodes;
};

/// Virtual channels of the routes of a graph. A *turn* is one link of a route and the next. In every layer (virtual
/// channel) some turns are refused so that the others close no cycle; a route begins in layer 0 and goes on to the next
/// layer where its turn is refused. The pair (layer, place of the link in the layer's topological order) only grows
/// along a route, so there is no cycle of channels (Dally, Seitz 1987). Layers as in LASH (Skeie, Lysne, Theiss, IPDPS
/// 2002), but a route may change its layer: one around a ring of one direction then needs two and not half the ring's
/// length. Turns are taken into a layer in the order of how many routes want them there, the most wanted first.
///
/// Hosts on a switch share their routes, so all is done per pair of switches. O(layers^2 * switches with hosts *
/// (vertices + links)), and what AcyclicOrder takes per turn. Kept are the refused turns, 8 bytes each.
class ChannelLayers {
  public:
    static constexpr std::size_t kMostRefusedTurns = std::size_t{8} << 20;  ///< 64 MB
    static constexpr std::size_t kMostTurns = std::size_t{1} << 26;         ///< looked at: 256 MB for a while

    /// Throws UnsupportedError, naming a cycle, when `most` layers do not suffice, and for
    /// too many turns.
    ChannelLayers(const GraphJob& job, std::int32_t most);

    [[nodiscard]] std::int32_t count() const { return count_; }
    /// The layer of a route on link `to` after link `from` in layer `layer`. O(log refused turns).
    [[nodiscard]] std::int32_t after(LinkId from, LinkId to, std::int32_t layer) const;

  private:
    static std::uint64_t key(LinkId from, LinkId to, std::int32_t layer) {
        constexpr int kLinkBits = 28;
        return static_cast<std::uint64_t>(layer) << (2 * kLinkBits) |
               static_cast<std::uint64_t>(from.value) << kLinkBits | static_cast<std::uint64_t>(to.value);
    }

    std::int32_t count_ = 1;
    std::vector<std::uint64_t> refused_;  ///< sorted keys
};

}  // namespace haichi
