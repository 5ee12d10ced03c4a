#include "netmodel/packetsim/partition_state.h"

#include <algorithm>

namespace haichi {

std::int32_t PartitionState::port_of(LinkId link) const {
    return static_cast<std::int32_t>(std::ranges::lower_bound(links, link) - links.begin());
}

std::size_t PartitionState::port_bytes(std::int32_t vcs) {
    return std::bit_ceil(sizeof(PacketPort) + static_cast<std::size_t>(vcs) * sizeof(PacketBuffer));
}

PartitionState::CreditRow PartitionState::own_credit_row(std::int32_t b) const {
    const auto at = std::ranges::lower_bound(own_places, PacketPort::port_of(b), {}, &OwnPlaces::port);
    return {at->first + static_cast<std::size_t>(PacketPort::vc_of(b)) * static_cast<std::size_t>(at->places),
            at->places};
}

std::size_t PartitionState::memory_bytes() const {
    std::size_t bytes = links.capacity() * sizeof(LinkId) + nodes.capacity() * sizeof(NodeId) +
                        nics.capacity() * sizeof(PacketNic) + hosts.capacity() * sizeof(PacketHost) +
                        buffers_of_routers.capacity() * sizeof(std::int32_t) +
                        wide_waiting.capacity() * sizeof(std::uint64_t) + messages.memory_bytes();
    for (const Neighbour& neighbour : neighbours) bytes += neighbour.message_of.capacity() * sizeof(std::int32_t);
    return bytes + ports.size_bytes() + used_packets_ * sizeof(Packet) + credits.size_bytes();
}

}  // namespace haichi
