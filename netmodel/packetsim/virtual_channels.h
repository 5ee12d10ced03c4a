#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// Assigns virtual channels to the routes of a network, by the rule of its routing, so that they are deadlock-free. A
/// value. Its functions take the Network, which must be the one given to the constructor.
class VirtualChannels {
  public:
    static constexpr std::int32_t kMost = PacketTiming::kMostVirtualChannels;

    /// Throws UnsupportedError for routes that need more than `most`, and names links that would wait in a cycle.
    explicit VirtualChannels(const Network& network, std::int32_t most = kMost);

    /// Minimum number of virtual channels of the machine.
    [[nodiscard]] std::int32_t needed() const { return needed_; }
    /// Throws OptionError when `available` is less than needed.
    void check(std::int32_t available) const;
    /// Returns the number of virtual channels for a machine that states `stated`, after check(). If it states none (0),
    /// returns as many as needed, at least 2.
    [[nodiscard]] std::int32_t count(std::int32_t stated) const;
    /// Appends the links of the fabric from s to d with their virtual channels; nothing when s == d. Throws what
    /// Network::append_route throws.
    void append_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const;

    /// A cycle of channels (link * needed() + VC). A packet may hold each channel while it waits for the next one, and
    /// the last while it waits for the first. Empty without such a cycle. Checks the routes of all pairs of usable
    /// nodes: O(nodes^2 * length).
    [[nodiscard]] std::vector<std::int32_t> find_cycle(const Network& network) const;

    /// Appends the links of the fabric from s to d, all with VC 0. For comparison with the assigned virtual channels.
    static void append_links(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops);

  private:
    std::shared_ptr<const ChannelRule> rule_;
    std::int32_t needed_;
};

}  // namespace haichi
