#pragma once

#include <cstdint>

#include "netmodel/packetsim/packet_message.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// Sends messages through a PacketEngine and receives its callbacks. Callbacks of one node come in an order that
/// depends only on the traffic, but different nodes may run in different threads. A callback belongs to one node: the
/// destination, the source or the timer's node. It may only touch the client's state of that node, send messages from
/// there and set timers there. It affects other nodes only by messages and call_across().
class PacketClient {
  public:
    /// The destination has the whole message: the tails of all packets have arrived, and DMA has moved their payload.
    virtual void message_delivered(const PacketMessage& message, std::int64_t time_ps) = 0;
    /// The tail of the last packet has left the source's NIC.
    virtual void message_injected(const PacketMessage& /*message*/, std::int64_t /*time_ps*/) {}
    /// A timer of call_at() is due; `data` belongs to the client.
    virtual void timer(NodeId /*node*/, std::uint32_t /*data*/, std::int64_t /*time_ps*/) {}

  protected:
    PacketClient() = default;
    PacketClient(const PacketClient&) = default;
    PacketClient& operator=(const PacketClient&) = default;
    ~PacketClient() = default;
};

}  // namespace haichi
