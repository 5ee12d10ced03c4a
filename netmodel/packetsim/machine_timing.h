#pragma once

#include <optional>
#include <string>

#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

/// The simulator's timing for a machine: the stated values, with defaults for the others. By default, times and the
/// header are 0, and packets have 2,048 bytes. The default buffers cover the round trip of credits (covering_buffer).
/// By default, switches, DMA and memory have no limit, NICs are as fast as the links, and a NIC's messages send packets
/// in turn. Link bandwidths stay with the Network (link_bandwidth 0). Unstated virtual channels are 0: as many as the
/// routes need, see VirtualChannels::count. Throws OptionError, naming the key of the machine file, for a machine
/// without link bandwidth and for values that a simulation cannot have.
[[nodiscard]] PacketTimingOptions packet_timing_of(const Machine& machine);

/// The terms of the time from the use of a buffer entry to its return, for full packets on a link.
struct CreditLoop {
    std::int64_t packet_ps = 0;    ///< time of a full packet on the link
    std::int64_t own_time_ps = 0;  ///< time from its head to its tail, on the slowest of link, NIC and DMA
    std::int64_t latency_ps = 0;   ///< latency of the hop: routing, allocation, switch and cable
};

/// Packets that a buffer must hold so that the link never waits for an entry. An entry is taken when the link grants a
/// packet, and is free one latency after the tail has left the next router. The head takes one latency to arrive and at
/// best leaves at once. The tail follows after own_time_ps, and the credit takes one latency back.
[[nodiscard]] std::int64_t packets_that_cover(const CreditLoop& loop);

/// The buffer size for a machine that states none: as many packets as cover its links, at most
/// PacketTiming::kMostBufferPackets. The number is rounded up to a multiple of eight, so that crossing streams find
/// some free entries.
[[nodiscard]] std::int32_t covering_buffer(std::int64_t packets_that_cover);

/// The class of links that a machine's buffers limit most.
struct BufferShortage {
    std::string links;  ///< name of the class
    std::int64_t link_bandwidth_bytes_per_s = 0;
    double share = 1;                 ///< fraction of the bandwidth that one virtual channel reaches, below 1
    std::int32_t buffer_packets = 0;  ///< buffer entries: as stated, or the largest allowed number
    std::int64_t packets_that_cover = 0;
};
/// Empty if the buffers cover every link. Throws what packet_timing_of() throws.
[[nodiscard]] std::optional<BufferShortage> buffer_shortage_of(const Machine& machine);

}  // namespace haichi
