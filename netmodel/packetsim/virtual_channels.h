#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netmodel/packetsim/channel_layers.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// One passage of a route: a link, and the virtual channel of the buffer behind it.
struct ChannelHop {
    LinkId link;
    std::uint8_t vc = 0;

    friend bool operator==(const ChannelHop&, const ChannelHop&) = default;
};

/// The virtual channels that keep routes free of deadlock (Dally, Seitz, IEEE Trans. Comp. C-36(5), 1987: no cycle of
/// channels that wait for each other).
///
/// Grids: the dateline of a ring lies between its last and its first position; a hop of a route that has the dateline
/// before it, or crosses it, takes VC 1, all others VC 0. Meshes need one VC. Stages of a grid route that lead to a
/// column instead of the destination take a layer of their own, above those of the usual stages; where both the routing
/// and faulty nodes make columns, each has a layer. Trees need one VC. Dragonflies: a local hop after the global one
/// takes VC 1, all others VC 0. Graphs: ChannelLayers.
///
/// A value; the Network is passed in and must be the one it was made for.
class VirtualChannels {
  public:
    static constexpr std::int32_t kMost = PacketTiming::kMostVirtualChannels;

    /// Throws UnsupportedError for a graph whose routes need more than `most`, naming links that would wait in a
    /// circle.
    ///
    /// Grids, trees and dragonflies need no search: along every route (detour's columns, then the routing's stages in
    /// their order, VC 1 before VC 0, position in the direction of travel), (up by level, down by level), or (up,
    /// local, global, local, down) only grows, so there is no cycle. The tests compare that with find_cycle() on small
    /// machines.
    explicit VirtualChannels(const Network& network, std::int32_t most = kMost);

    /// How many a machine must have.
    [[nodiscard]] std::int32_t needed() const { return needed_; }
    /// Throws OptionError when `available` is less than needed.
    void check(std::int32_t available) const;
    /// What a machine has that states `stated`, checked; that states none (0): as many as needed, at least 2.
    [[nodiscard]] std::int32_t count(std::int32_t stated) const;
    /// Appends the links of the fabric from s to d with their virtual channels. Throws as Network::append_route.
    void append_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const;

    /// Channels (link * needed() + VC), each of which a packet may hold while it waits for the next, and the last for
    /// the first; empty when there is no such cycle. Exact: O(nodes^2 * length), over all pairs of usable nodes.
    [[nodiscard]] std::vector<std::int32_t> find_cycle(const Network& network) const;

    /// The links of the fabric from s to d all with VC 0: what the virtual channels are to be compared with.
    static void append_links(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops);

  private:
    void append_grid_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const;

    std::int32_t needed_ = 1;
    std::int32_t column_layer_ = 0;        ///< first VC of the routing's stages that lead to a column
    std::int32_t detour_layer_ = 0;        ///< the same of routes past faulty nodes
    std::optional<ChannelLayers> layers_;  ///< graphs
};

/// The first cycle in a graph given by the successors of each vertex; empty when there is none. O(vertices + edges).
[[nodiscard]] std::vector<std::int32_t> find_cycle(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace haichi
