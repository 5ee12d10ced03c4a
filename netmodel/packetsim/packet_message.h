#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "netmodel/topology/ids.h"

namespace haichi {

/// A message of a client: its size and labels, without payload. Partitions exchange it as a value.
struct PacketMessage {
    NodeId source;
    NodeId destination;  ///< a message to its source goes through the node's shared memory
    std::int64_t bytes = 0;
    std::uint64_t tag = 0;    ///< for the client's own use
    std::int64_t gap_ps = 0;  ///< pause of the NIC after each packet of the message
    std::int32_t nic = 0;     ///< index of the sending NIC; the message arrives at the NIC of the same index
    std::array<std::uint32_t, 7> note{};  ///< for the client's own use
};
static_assert(sizeof(PacketMessage) == 64 && std::has_unique_object_representations_v<PacketMessage>);

}  // namespace haichi
