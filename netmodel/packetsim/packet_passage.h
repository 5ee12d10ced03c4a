#pragma once

#include <cstdint>
#include <tuple>

#include "netmodel/packetsim/packet_ids.h"
#include "netmodel/packetsim/packet_message.h"

namespace haichi {

/// A packet to which an output of a watched router has granted its channel.
struct PacketPassage {
    std::int64_t time_ps = 0;     ///< time of the grant
    std::int64_t arrival_ps = 0;  ///< time at which the head reached the buffer
    InputId buffer;
    OutputId output;
    PacketMessage message;

    friend bool operator<(const PacketPassage& a, const PacketPassage& b) {
        return std::tie(a.time_ps, a.buffer) < std::tie(b.time_ps, b.buffer);
    }
};

}  // namespace haichi
