#pragma once

#include "base/strong_id.h"

namespace haichi {

// In one partition (PartitionState), which numbers everything from 0.

/// A link that leaves or enters a router of the partition, or the ejection channel of a NIC.
using PortId = StrongId<struct PortTag>;
/// A virtual channel downstream of a port, or the injection buffer of a NIC: see PacketPort::buffer().
using BufferId = StrongId<struct BufferTag>;
/// A NIC: of every node its NICs in order.
using NicId = StrongId<struct NicTag>;
/// A node among those of the partition.
using LocalNodeId = StrongId<struct LocalNodeTag>;
/// A message that the partition has to do with (MessageTable). Numbers are used again.
using MessageId = StrongId<struct MessageTag>;

// In the machine, as PacketPorts numbers them.

/// A link of the fabric or an ejection channel.
using OutputId = StrongId<struct OutputTag>;
/// An input buffer.
using InputId = StrongId<struct InputTag>;

}  // namespace haichi
