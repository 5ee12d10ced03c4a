#pragma once

#include <optional>
#include <string>

#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

/// The timing that a machine states. What it leaves out: times and header 0, packets of 2,048 bytes, buffers that cover
/// the round trip of credits (covering_buffer), switches, DMA and memory without a limit, NICs as fast as the links
/// that take the packets of their messages in turn. Link bandwidths stay with the Network (link_bandwidth 0), and
/// unstated virtual channels are 0: as many as the routes need, see VirtualChannels::count. Throws OptionError, naming
/// the key of the machine file, for a machine without link bandwidth and for values that a simulation cannot have.
[[nodiscard]] PacketTimingOptions packet_timing_of(const Machine& machine);

/// The round of an entry in the buffer downstream of a link, as full packets take it.
struct CreditLoop {
    std::int64_t packet_ps = 0;    ///< a full packet on the link
    std::int64_t own_time_ps = 0;  ///< from its head to its tail: as on the slowest of link, NIC and DMA
    std::int64_t latency_ps = 0;   ///< of the passage: routing, allocation, switch and cable
};

/// Packets that a buffer has to hold so that the link never waits for an entry. An entry is taken from the grant of the
/// link until one latency after the tail has left on the next router: the head takes a latency to come, and leaves at
/// once at best, the tail follows in the packet's own time, and the news takes a latency back.
[[nodiscard]] std::int64_t packets_that_cover(const CreditLoop& loop);

/// The buffer of a machine that states none: what covers its links, rounded up to whole eights so that streams that
/// meet find some room, but at most PacketTiming::kMostBufferPackets.
[[nodiscard]] std::int32_t covering_buffer(std::int64_t packets_that_cover);

/// Where a machine's buffers hold its links back most.
struct BufferShortage {
    std::string links;  ///< the name of their class
    std::int64_t link_bandwidth_bytes_per_s = 0;
    double share = 1;                 ///< of the bandwidth that one virtual channel reaches, below 1
    std::int32_t buffer_packets = 0;  ///< as stated, or the most there can be
    std::int64_t packets_that_cover = 0;
};
/// Nothing where the buffers cover every link. Throws what packet_timing_of() throws.
[[nodiscard]] std::optional<BufferShortage> buffer_shortage_of(const Machine& machine);

}  // namespace haichi
