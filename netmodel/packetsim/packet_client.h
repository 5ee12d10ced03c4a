#pragma once

#include <cstdint>

#include "netmodel/packetsim/packet_message.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// Who feeds a PacketEngine. What happens at a node is told in an order that depends on nothing but the traffic, but
/// different nodes may be in different threads: a callback touches the client's state of its node (the destination, the
/// source, the timer's) alone, sends messages from there and sets timers there; others are reached by messages and
/// call_across().
class PacketClient {
  public:
    /// The destination has the whole message: the tails of all packets, and DMA has moved them.
    virtual void message_delivered(const PacketMessage& message, std::int64_t time_ps) = 0;
    /// The tail of the last packet has left the source's NIC.
    virtual void message_injected(const PacketMessage& /*message*/, std::int64_t /*time_ps*/) {}
    /// A timer set with call_at; `data` is the client's own.
    virtual void timer(NodeId /*node*/, std::uint32_t /*data*/, std::int64_t /*time_ps*/) {}

  protected:
    PacketClient() = default;
    PacketClient(const PacketClient&) = default;
    PacketClient& operator=(const PacketClient&) = default;
    ~PacketClient() = default;
};

}  // namespace haichi
