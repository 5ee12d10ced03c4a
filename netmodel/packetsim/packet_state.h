#pragma once

#include <cstdint>
#include <limits>

#include "netmodel/packetsim/packet_ids.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// A packet in a buffer, or on its way to it. It carries what a router needs, so that no hop looks at its message.
struct alignas(32) Packet {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::int64_t time_ps = 0;  ///< when the head arrives at the buffer
    /// With GridSteps the destination's position, above it which ejection channel of its router; else how far it is on
    /// its route.
    std::uint64_t way = 0;
    std::uint32_t message_and_last = 0;  ///< message * 2, + 1 in the last packet of its message
    std::uint32_t duration_ps = 0;       ///< size / slowest bandwidth so far: from the head's arrival to the tail's
    std::uint32_t bytes = 0;             ///< payload and header
    std::uint32_t next = kNone;          ///< the next one in the buffer; or the next unused packet

    [[nodiscard]] MessageId message() const { return MessageId(static_cast<std::int32_t>(message_and_last / 2)); }
    [[nodiscard]] bool is_last() const { return message_and_last % 2 != 0; }
};
static_assert(sizeof(Packet) == 32);

/// An input buffer, one virtual channel of one input of a router: a queue of packets. The upstream port looks at it for
/// credits: an entry is free again when the tail of the packet that was granted has left.
struct PacketBuffer {
    static constexpr std::int64_t kAlwaysFree = std::numeric_limits<std::int64_t>::min() / 2;

    /// When the tails of all packets granted so far have left: not always that of the last one, which may be faster.
    std::int64_t leave_ps = kAlwaysFree;
    /// Of the upstream router the input buffers, by their numbers, whose front waits for this channel. Of a router with
    /// more than 64 of them the row of words is in PartitionState::wide_waiting.
    std::uint64_t waiting = 0;
    std::uint32_t first = Packet::kNone;
    std::uint32_t last = Packet::kNone;
    BufferId request;  ///< what the packet at the front waits for: the buffer downstream of its next channel
    std::uint32_t read_ahead_ps = 0;  ///< the packet granted last is read out this much before leave_ps
    std::uint16_t count = 0;          ///< packets sent here and not granted yet
    std::uint16_t number = 0;         ///< among the input buffers of its router
    std::uint16_t next_credit = 0;    ///< where in its row of PartitionState::credits the next leaving time goes
    /// Packets granted whose entries the upstream port has not yet seen to be free: their leaving times are the last
    /// ones of the row.
    std::uint16_t leaving = 0;

    /// When the packet granted last has been read out.
    [[nodiscard]] std::int64_t next_front_ps() const { return leave_ps - read_ahead_ps; }
};
static_assert(sizeof(PacketBuffer) == 40);

/// A channel: a link of the fabric with the buffers downstream, or what belongs to a NIC: the ejection channel, and the
/// injection buffer as the only buffer. With two virtual channels it is two cache lines, and a hop touches no more than
/// those of the two channels and its packet.
struct PacketPort {
    static constexpr std::int64_t kNotPlanned = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint32_t kNoRouter = std::numeric_limits<std::uint32_t>::max();
    enum class Cut : std::uint16_t { kNone, kOut, kIn };

    std::int64_t busy_until_ps = 0;
    std::int64_t arbitrate_ps = kNotPlanned;  ///< the earliest event that makes it look at the packets waiting for it
    std::int64_t bytes_passed = 0;
    std::uint32_t from_router = kNoRouter;  ///< number in the partition; none of a cut link that enters it
    std::uint32_t to_router = kNoRouter;    ///< none of a cut link that leaves it
    std::uint32_t to_turn = 0;              ///< PacketRouter::turn of to_router
    PortId peer_port;                       ///< of a cut link: its number in the other partition
    std::uint16_t channel = 0;              ///< of a cut link: index in PartitionState::neighbours
    std::uint16_t port_class = 0;
    std::uint16_t last_granted = 0;  ///< number of the buffer: the round robin goes on after it
    // No bytes: compilers take stores of bytes to change everything.
    Cut cut : 2 = Cut::kNone;
    std::uint16_t has_waiting : 1 = 0;      ///< any PacketBuffer::waiting of its channels
    std::uint16_t is_watched : 1 = 0;       ///< for a buffer history, of all packets that leave its buffers
    std::uint16_t has_own_entries : 1 = 0;  ///< PartitionState::own_entries has those of its buffers
    std::uint16_t entries_awaited : 8 = 0;  ///< of which VCs it is to be woken when an entry is known to become free

    /// Virtual channels and injection buffers as one number; the order is that of (port, VC).
    static constexpr int kVcBits = 3;
    static BufferId buffer(PortId port, std::int32_t vc) { return BufferId(port.value << kVcBits | vc); }
    static PortId port_of(BufferId buffer) { return PortId(buffer.value >> kVcBits); }
    static std::int32_t vc_of(BufferId buffer) { return buffer.value & ((1 << kVcBits) - 1); }
};
static_assert(sizeof(PacketPort) == 48);

/// What does not change of a router.
struct PacketRouter {
    std::uint64_t position = 0;  ///< with GridSteps
    VertexId vertex;
    std::uint32_t turn = 0;          ///< in WindowQueue
    std::uint32_t first_buffer = 0;  ///< in PartitionState::buffers_of_routers
    PortId first_port;               ///< with GridSteps: of its link 0
    PortId first_ejection;           ///< with GridSteps: the port of the ejection channel of its first NIC
};
static_assert(sizeof(PacketRouter) == 32);

/// A network interface of a node: its messages in order.
struct PacketNic {
    std::int64_t ready_ps = 0;  ///< not before: the gap of the last packet
    MessageId first_message;
    MessageId last_message;
    MessageId leaving_message;        ///< its last packet is being sent
    std::uint32_t message_count = 0;  ///< so far
    std::uint32_t turn = 0;           ///< PacketRouter::turn of its router
    bool is_idle = true;              ///< no event will come by itself
};
static_assert(sizeof(PacketNic) == 32);

/// What the NICs and the ranks of a node share.
struct PacketHost {
    std::int64_t dma_free_ps = 0;            ///< DMA and memory have moved the packets that asked so far
    std::int64_t shared_memory_free_ps = 0;  ///< the node's messages to itself are copied
};

}  // namespace haichi
