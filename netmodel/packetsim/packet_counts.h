#pragma once

#include <cstdint>

namespace haichi {

/// Totals so far. Packets and payload are counted where NICs send them into the network and where they leave it. A
/// message of a node to itself has no packets; its payload counts as on_node_bytes.
struct PacketCounts {
    std::int64_t packet_hops = 0;  ///< traversals of a link or an ejection channel
    std::int64_t packets_injected = 0;
    std::int64_t packets_ejected = 0;
    std::int64_t payload_bytes_injected = 0;
    std::int64_t payload_bytes_delivered = 0;  ///< in whole messages
    std::int64_t on_node_bytes = 0;            ///< payload copied on a node
    std::int64_t messages_under_way = 0;
    std::int64_t events = 0;  ///< internal events; unlike the other counts, depends on the number of partitions

    PacketCounts& operator+=(const PacketCounts& other) {
        packet_hops += other.packet_hops;
        packets_injected += other.packets_injected;
        packets_ejected += other.packets_ejected;
        payload_bytes_injected += other.payload_bytes_injected;
        payload_bytes_delivered += other.payload_bytes_delivered;
        on_node_bytes += other.on_node_bytes;
        messages_under_way += other.messages_under_way;
        events += other.events;
        return *this;
    }
};

}  // namespace haichi
