#pragma once

#include <cstdint>
#include <limits>

#include "netmodel/packetsim/packet_ids.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// A packet in a buffer, or on its way to it. It contains all data that a router needs, so that a hop never reads the
/// message.
struct alignas(32) Packet {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::int64_t time_ps = 0;  ///< when the head arrives at the buffer
    /// With GridSteps: the destination's position in the low bits, the ejection channel of its router in the high bits.
    /// Otherwise: the number of hops already taken on its route.
    std::uint64_t way = 0;
    std::uint32_t message_and_last = 0;  ///< message * 2, + 1 in the last packet of its message
    std::uint32_t duration_ps = 0;       ///< size / slowest bandwidth so far: from the head's arrival to the tail's
    std::uint32_t bytes = 0;             ///< payload and header
    std::uint32_t next = kNone;          ///< the next packet in the buffer, or the next unused packet

    [[nodiscard]] MessageId message() const { return MessageId(static_cast<std::int32_t>(message_and_last / 2)); }
    [[nodiscard]] bool is_last() const { return message_and_last % 2 != 0; }
};
static_assert(sizeof(Packet) == 32);

/// An input buffer: a queue of packets for one virtual channel of one input of a router. The upstream port reads its
/// credits: an entry is free again when the tail of the granted packet has left.
struct PacketBuffer {
    static constexpr std::int64_t kAlwaysFree = std::numeric_limits<std::int64_t>::min() / 2;

    /// Time at which the tails of all packets granted so far have left. The last packet may be faster than an earlier
    /// one.
    std::int64_t leave_ps = kAlwaysFree;
    /// Input buffers of the upstream router, as bits by number, whose front packet waits for this channel. If the
    /// router has more than 64 of them, the bits are a row of words in PartitionState::wide_waiting.
    std::uint64_t waiting = 0;
    std::uint32_t first = Packet::kNone;
    std::uint32_t last = Packet::kNone;
    BufferId request;                 ///< the channel that the front packet waits for, as the buffer downstream of it
    std::uint32_t read_ahead_ps = 0;  ///< the last granted packet has been read out this long before leave_ps
    std::uint16_t count = 0;          ///< packets sent here and not granted yet
    std::uint16_t number = 0;         ///< number among the input buffers of its router
    std::uint16_t next_credit = 0;    ///< index of the next departure time in its row of PartitionState::credits
    /// Number of granted packets whose entries the upstream port does not yet count as free. Their departure times are
    /// the latest ones in the row.
    std::uint16_t leaving = 0;

    /// Time at which the last granted packet has been read out.
    [[nodiscard]] std::int64_t next_front_ps() const { return leave_ps - read_ahead_ps; }
};
static_assert(sizeof(PacketBuffer) == 40);

/// A channel: a link of the fabric with its downstream buffers, or a NIC's ejection channel with its injection buffer.
/// With two virtual channels it is two cache lines. A hop touches only the lines of two channels and of its packet.
struct PacketPort {
    static constexpr std::int64_t kNotPlanned = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint32_t kNoRouter = std::numeric_limits<std::uint32_t>::max();
    enum class Cut : std::uint16_t { kNone, kOut, kIn };

    std::int64_t busy_until_ps = 0;
    /// Time of the earliest event at which the port arbitrates among the packets that wait for it.
    std::int64_t arbitrate_ps = kNotPlanned;
    std::int64_t bytes_passed = 0;
    std::uint32_t from_router = kNoRouter;  ///< number in the partition; none for a cut link that enters it
    std::uint32_t to_router = kNoRouter;    ///< none for a cut link that leaves it
    std::uint32_t to_turn = 0;              ///< PacketRouter::turn of to_router
    PortId peer_port;                       ///< number of a cut link in the other partition
    std::uint16_t channel = 0;              ///< index of a cut link's neighbour in PartitionState::neighbours
    std::uint16_t port_class = 0;
    std::uint16_t last_granted = 0;  ///< number of the buffer after which the round robin continues
    // Bit fields, not bytes: compilers assume that a store to a byte can change any object.
    Cut cut : 2 = Cut::kNone;
    std::uint16_t has_waiting : 1 = 0;      ///< a packet waits for one of its channels (PacketBuffer::waiting)
    std::uint16_t is_watched : 1 = 0;       ///< packets that leave its buffers are recorded (PacketEngine::watch)
    std::uint16_t has_own_entries : 1 = 0;  ///< PartitionState::own_entries has the rows of its buffers
    std::uint16_t shares_bus : 1 = 0;       ///< PartitionState::buses has the outputs of its router
    /// VCs, as bits, whose sender is woken when the time of a free entry is known.
    std::uint16_t entries_awaited : 8 = 0;

    /// Numbers virtual channels and injection buffers together, in the order of (port, VC).
    static constexpr int kVcBits = 3;
    static BufferId buffer(PortId port, std::int32_t vc) { return BufferId(port.value << kVcBits | vc); }
    static PortId port_of(BufferId buffer) { return PortId(buffer.value >> kVcBits); }
    static std::int32_t vc_of(BufferId buffer) { return buffer.value & ((1 << kVcBits) - 1); }
};
static_assert(sizeof(PacketPort) == 48);

/// Constants of a router.
struct PacketRouter {
    std::uint64_t position = 0;  ///< set with GridSteps
    VertexId vertex;
    std::uint32_t turn = 0;          ///< in WindowQueue
    std::uint32_t first_buffer = 0;  ///< in PartitionState::buffers_of_routers
    PortId first_port;               ///< with GridSteps: the port of link 0
    PortId first_ejection;           ///< with GridSteps: the ejection channel of the first NIC
};
static_assert(sizeof(PacketRouter) == 32);

/// A NIC of a node: its messages in order.
struct PacketNic {
    std::int64_t ready_ps = 0;  ///< earliest time of the next packet, after the pause
    MessageId first_message;
    MessageId last_message;
    MessageId leaving_message;        ///< the message whose last packet is being sent
    std::uint32_t message_count = 0;  ///< messages so far
    std::uint32_t turn = 0;           ///< PacketRouter::turn of its router
    bool is_idle = true;              ///< no scheduled event will wake it
};
static_assert(sizeof(PacketNic) == 32);

/// State shared by the NICs and the ranks of a node.
struct PacketHost {
    std::int64_t dma_free_ps = 0;            ///< time at which DMA and memory have moved all packets requested so far
    std::int64_t shared_memory_free_ps = 0;  ///< time at which all messages of the node to itself are copied
};

}  // namespace haichi
