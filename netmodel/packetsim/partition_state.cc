#include "netmodel/packetsim/partition_state.h"

#include <algorithm>

namespace haichi {

PortId PartitionState::port_of(LinkId link) const {
    return PortId(static_cast<std::int32_t>(std::ranges::lower_bound(links, link) - links.begin()));
}

std::size_t PartitionState::port_bytes(std::int32_t vcs) {
    return std::bit_ceil(sizeof(PacketPort) + static_cast<std::size_t>(vcs) * sizeof(PacketBuffer));
}

PartitionState::CreditRow PartitionState::own_credit_row(BufferId b) const {
    const auto at = std::ranges::lower_bound(own_entries, PacketPort::port_of(b), {}, &OwnEntries::port);
    return {at->first + static_cast<std::size_t>(PacketPort::vc_of(b)) * static_cast<std::size_t>(at->entries),
            at->entries};
}

std::size_t PartitionState::memory_bytes() const {
    std::size_t bytes = links.capacity() * sizeof(LinkId) + nodes.capacity() * sizeof(NodeId) +
                        nics.capacity() * sizeof(PacketNic) + hosts.capacity() * sizeof(PacketHost) +
                        buffers_of_routers.capacity() * sizeof(BufferId) +
                        wide_waiting.capacity() * sizeof(std::uint64_t) + messages.memory_bytes();
    for (const Neighbour& neighbour : neighbours) bytes += neighbour.message_of.capacity() * sizeof(MessageId);
    return bytes + ports.size_bytes() + used_packets_ * sizeof(Packet) + entered_ps.size_bytes() + credits.size_bytes();
}

}  // namespace haichi
