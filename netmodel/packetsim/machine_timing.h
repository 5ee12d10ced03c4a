#pragma once

#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

/// The timing that a machine states. What it leaves out: times and header 0, packets of 2,048 bytes, buffers of 8
/// packets, switches, DMA and memory without a limit, NICs as fast as the links that take the packets of their messages
/// in turn. Link bandwidths stay with the Network (link_bandwidth 0), and unstated virtual channels are 0: as many as
/// the routes need, see VirtualChannels::count. Throws OptionError, naming the key of the machine file, for a machine
/// without link bandwidth and for values that a simulation cannot have.
[[nodiscard]] PacketTimingOptions packet_timing_of(const Machine& machine);

}  // namespace haichi
