#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// The virtual channels that keep the routes of a network free of deadlock, by the rule of its routes. A value; the
/// Network is passed in and must be the one it was made for.
class VirtualChannels {
  public:
    static constexpr std::int32_t kMost = PacketTiming::kMostVirtualChannels;

    /// Throws UnsupportedError for routes that need more than `most`, naming links that would wait in a circle.
    explicit VirtualChannels(const Network& network, std::int32_t most = kMost);

    /// How many a machine must have.
    [[nodiscard]] std::int32_t needed() const { return needed_; }
    /// Throws OptionError when `available` is less than needed.
    void check(std::int32_t available) const;
    /// What a machine has that states `stated`, checked; that states none (0): as many as needed, at least 2.
    [[nodiscard]] std::int32_t count(std::int32_t stated) const;
    /// Appends the links of the fabric from s to d with their virtual channels; nothing when s == d. Throws as
    /// Network::append_route.
    void append_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const;

    /// Channels (link * needed() + VC), each of which a packet may hold while it waits for the next, and the last for
    /// the first; empty when there is no such cycle. Exact: O(nodes^2 * length), over all pairs of usable nodes.
    [[nodiscard]] std::vector<std::int32_t> find_cycle(const Network& network) const;

    /// The links of the fabric from s to d all with VC 0: what the virtual channels are to be compared with.
    static void append_links(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops);

  private:
    std::shared_ptr<const ChannelRule> rule_;
    std::int32_t needed_;
};

}  // namespace haichi
