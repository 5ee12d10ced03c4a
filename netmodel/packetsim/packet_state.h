#pragma once

#include <cstdint>
#include <limits>

#include "netmodel/topology/ids.h"

namespace haichi {

/// A place of an input buffer. While a packet is in it: the packet. Afterwards, until the next one is sent: since when
/// it is free, which is the credit that the upstream port looks at.
struct PacketSlot {
    static constexpr std::int64_t kAlwaysFree = std::numeric_limits<std::int64_t>::min() / 2;

    std::int64_t time_ps = 0;            ///< arrival of the head; or 1 + when the tail left, 0 before the first packet
    std::uint32_t message_and_last = 0;  ///< message * 2, + 1 in the last packet of its message
    std::uint32_t duration_ps = 0;       ///< size / slowest bandwidth so far: from the head's arrival to the tail's

    [[nodiscard]] std::int32_t message() const { return static_cast<std::int32_t>(message_and_last / 2); }
    [[nodiscard]] bool is_last() const { return message_and_last % 2 != 0; }
    /// Of a free place.
    [[nodiscard]] std::int64_t free_since_ps() const { return time_ps == 0 ? kAlwaysFree : time_ps - 1; }
    void set_free_since(std::int64_t leave_ps) { time_ps = leave_ps + 1; }
};
static_assert(sizeof(PacketSlot) == 16);

/// An input buffer: a ring of slots, one virtual channel of one input of a router.
struct alignas(32) PacketBuffer {
    static constexpr std::int32_t kNotRouted = -1;

    std::int64_t next_front_ps = PacketSlot::kAlwaysFree;  ///< when the packet granted last has been read out
    VertexId vertex;                                       ///< the router
    std::int32_t request = kNotRouted;                     ///< output that the packet at the front asks for
    std::uint32_t number = 0;                              ///< among the buffers of the router
    std::uint16_t first = 0;                               ///< slot of the front
    std::uint16_t count = 0;                               ///< packets sent here and not granted yet
    std::uint8_t request_vc = 0;
    bool upstream_waits = false;  ///< the upstream port has to be woken when a slot's leaving time is known
    bool is_cut = false;          ///< the upstream port is another partition's and has a shadow of this buffer
    bool is_watched = false;      ///< for a buffer history
};
static_assert(sizeof(PacketBuffer) == 32);

/// An output port.
struct alignas(32) PacketOutput {
    static constexpr std::int64_t kNoWake = std::numeric_limits<std::int64_t>::max();

    std::int64_t busy_until_ps = 0;
    std::int64_t wake_ps = kNoWake;  ///< the earliest event that makes it look at the packets waiting for it
    std::uint32_t first_buffer = 0;  ///< of its router, in PacketMachine::buffers_of_routers
    std::uint32_t last_granted = 0;  ///< number of the buffer: the round robin goes on behind it
    std::uint16_t port_class = 0;
    bool has_waiting = false;  ///< spares a look at WaitingBuffers
    bool is_cut = false;       ///< leads to another partition
};
static_assert(sizeof(PacketOutput) == 32);

/// A network interface of a node: its messages in order.
struct PacketNic {
    static constexpr std::int32_t kNone = -1;

    std::int64_t ready_ps = 0;  ///< not before: the gap of the last packet
    std::int32_t first_message = kNone;
    std::int32_t last_message = kNone;
    std::int32_t leaving_message = kNone;  ///< its last packet is being sent
    std::uint32_t message_count = 0;       ///< so far
    bool is_idle = true;                   ///< no event will come by itself
};

/// What the NICs and the ranks of a node share.
struct PacketHost {
    std::int64_t dma_free_ps = 0;            ///< DMA and memory have moved the packets that asked so far
    std::int64_t shared_memory_free_ps = 0;  ///< the node's messages to itself are copied
};

}  // namespace haichi
