#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/strong_id.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// A message on its way; the number is free for another once it has been delivered.
using MessageId = StrongId<struct MessageTag>;

/// What a client hands to the packet simulator: sizes only, no payload.
struct PacketMessage {
    NodeId source;
    NodeId destination;  ///< may be the source: then it passes that node's router only
    std::int64_t bytes = 0;
    std::uint64_t tag = 0;    ///< the client's own
    std::int32_t nic = 0;     ///< of the source's NICs the one that sends it; it arrives at that of the same number
    std::int64_t gap_ps = 0;  ///< pause of the NIC after each packet of the message
};

/// A place of an input buffer. While a packet is in it: the packet. Afterwards, until the next one is sent: since when
/// it is free, which is the credit that the upstream port looks at.
struct PacketSlot {
    static constexpr std::int64_t kAlwaysFree = std::numeric_limits<std::int64_t>::min() / 2;

    std::int64_t time_ps = kAlwaysFree;  ///< arrival of the head; or when the tail left
    std::uint32_t message_and_last = 0;  ///< message * 2, + 1 in the last packet of its message
    std::uint32_t duration_ps = 0;       ///< size / slowest bandwidth so far: from the head's arrival to the tail's
};
static_assert(sizeof(PacketSlot) == 16);

/// An input buffer: a ring of slots, one virtual channel of one input of a router.
struct alignas(32) PacketBuffer {
    static constexpr std::int32_t kNotRouted = -1;

    std::int64_t leave_ps = PacketSlot::kAlwaysFree;  ///< when the tail of the packet granted last leaves
    VertexId vertex;                                  ///< the router
    std::int32_t request = kNotRouted;                ///< output that the packet at the front asks for
    std::uint32_t number = 0;                         ///< among the buffers of the router
    std::uint16_t first = 0;                          ///< slot of the front
    std::uint16_t count = 0;                          ///< packets sent here and not granted yet
    std::uint8_t request_vc = 0;
    bool upstream_waits = false;  ///< the upstream port has to be woken when a slot's leaving time is known
};
static_assert(sizeof(PacketBuffer) == 32);

/// An output port.
struct alignas(32) PacketOutput {
    static constexpr std::int64_t kNoWake = std::numeric_limits<std::int64_t>::max();

    std::int64_t busy_until_ps = 0;
    std::int64_t wake_ps = kNoWake;  ///< the earliest event that makes it look at the packets waiting for it
    std::uint32_t first_buffer = 0;  ///< of its router, in PacketEngine::buffers_of_routers_
    std::uint32_t last_granted = 0;  ///< number of the buffer: the round robin goes on behind it
    std::uint16_t port_class = 0;
    bool has_waiting = false;  ///< spares a look at WaitingBuffers
};
static_assert(sizeof(PacketOutput) == 32);

/// The network interface of a node: its messages in order, one packet after the other.
struct PacketNic {
    static constexpr std::int32_t kNone = -1;

    std::int32_t first_message = kNone;
    std::int32_t last_message = kNone;
    std::int32_t leaving_message = kNone;  ///< its last packet is being sent
    bool is_idle = true;                   ///< no event will come by itself
};

/// The messages that are not yet delivered. Numbers are used again, so memory follows what is under way.
struct MessagePool {
    struct Entry {
        PacketMessage message;
        std::int64_t left_bytes = 0;  ///< not yet in a packet
        std::uint32_t last_packet_bytes = 0;
        std::int32_t next = -1;  ///< behind this one at its NIC; or the next unused entry
    };
    std::vector<Entry> entries;
    std::vector<VertexId> destination;            ///< by message, apart from the rest: read at every hop
    std::vector<std::vector<ChannelHop>> routes;  ///< by message, where hops are not computed one by one
    std::int32_t first_unused = -1;

    std::int32_t add(const PacketMessage& message, VertexId to, const PacketTiming& timing) {
        std::int32_t id = first_unused;
        if (id < 0) {
            id = static_cast<std::int32_t>(entries.size());
            entries.emplace_back();
            destination.emplace_back();
        } else {
            first_unused = entries[static_cast<std::size_t>(id)].next;
        }
        const auto last_bytes = static_cast<std::uint32_t>(timing.last_packet_bytes(message.bytes));
        entries[static_cast<std::size_t>(id)] = {message, message.bytes, last_bytes, -1};
        destination[static_cast<std::size_t>(id)] = to;
        return id;
    }
    void remove(std::int32_t id) {
        entries[static_cast<std::size_t>(id)].next = first_unused;
        first_unused = id;
    }
};

}  // namespace haichi
