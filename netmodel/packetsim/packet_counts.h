#pragma once

#include <cstdint>

namespace haichi {

/// What has happened so far. Packets and payload are what NICs have sent into the network, and what has left it;
/// messages of a node to itself make no packets, their payload is on_node_bytes.
struct PacketCounts {
    std::int64_t packet_hops = 0;  ///< passages over a link or an ejection channel
    std::int64_t packets_injected = 0;
    std::int64_t packets_ejected = 0;
    std::int64_t payload_bytes_injected = 0;
    std::int64_t payload_bytes_delivered = 0;  ///< of whole messages
    std::int64_t on_node_bytes = 0;            ///< copied on a node
    std::int64_t messages_under_way = 0;
    std::int64_t events = 0;  ///< of the simulator's own; depends on the number of partitions, unlike the others

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
