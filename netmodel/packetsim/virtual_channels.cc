#include "netmodel/packetsim/virtual_channels.h"

#include <algorithm>
#include <string>

#include "base/errors.h"
#include "netmodel/routing/routes.h"

namespace haichi {

VirtualChannels::VirtualChannels(const Network& network, std::int32_t most)
    : rule_(network.routes().channels(network.nodes(), most)), needed_(rule_->needed()) {}

void VirtualChannels::check(std::int32_t available) const {
    if (available >= needed_) return;
    throw OptionError("the routes of this machine require " + std::to_string(needed_) +
                          " virtual channels to avoid deadlocks, found " + std::to_string(available),
                      "remove 'router.virtual_channels' from the machine file to get the required number");
}

std::int32_t VirtualChannels::count(std::int32_t stated) const {
    if (stated == 0) return std::max(2, needed_);
    check(stated);
    return stated;
}

void VirtualChannels::append_links(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) {
    if (s != d) append_on_vc_0(network.routes(), network.vertex(s), network.vertex(d), hops);
}

void VirtualChannels::append_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const {
    if (s != d) rule_->append_route(network.vertex(s), network.vertex(d), hops);
}

std::vector<std::int32_t> VirtualChannels::find_cycle(const Network& network) const {
    std::vector<std::vector<std::int32_t>> successors(static_cast<std::size_t>(network.link_count()) *
                                                      static_cast<std::size_t>(needed_));
    std::vector<ChannelHop> hops;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            hops.clear();
            append_route(network, NodeId(s), NodeId(d), hops);
            for (std::size_t i = 1; i < hops.size(); ++i) {
                std::vector<std::int32_t>& next =
                    successors[static_cast<std::size_t>(hops[i - 1].link.value * needed_ + hops[i - 1].vc)];
                const std::int32_t channel = hops[i].link.value * needed_ + hops[i].vc;
                if (std::ranges::find(next, channel) == next.end()) next.push_back(channel);
            }
        }
    }
    return haichi::find_cycle(successors);
}

}  // namespace haichi
