#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "netmodel/topology/ids.h"

namespace haichi {

/// What a client hands to the packet simulator: sizes only, no payload. A value, which travels with the first packet.
struct PacketMessage {
    NodeId source;
    NodeId destination;  ///< may be the source: then it goes through the node's shared memory
    std::int64_t bytes = 0;
    std::uint64_t tag = 0;    ///< the client's own
    std::int64_t gap_ps = 0;  ///< pause of the NIC after each packet of the message
    std::int32_t nic = 0;     ///< of the source's NICs the one that sends it; it arrives at that of the same number
    std::array<std::uint32_t, 7> note{};  ///< the client's own
};
static_assert(sizeof(PacketMessage) == 64 && std::has_unique_object_representations_v<PacketMessage>);

}  // namespace haichi
