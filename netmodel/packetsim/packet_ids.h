#pragma once

#include "base/strong_id.h"

namespace haichi {

// Ids within one partition (PartitionState), counted from 0.

/// A link that leaves or enters a router of the partition, or the ejection channel of a NIC.
using PortId = StrongId<struct PortTag>;
/// A virtual channel downstream of a port, or the injection buffer of a NIC: see PacketPort::buffer().
using BufferId = StrongId<struct BufferTag>;
/// A NIC: numbered node by node.
using NicId = StrongId<struct NicTag>;
/// A node of the partition.
using LocalNodeId = StrongId<struct LocalNodeTag>;
/// A message known to the partition (MessageTable). Ids are reused.
using MessageId = StrongId<struct MessageTag>;

// Ids within the machine, as PacketPorts numbers them.

/// A link of the fabric or an ejection channel.
using OutputId = StrongId<struct OutputTag>;
/// An input buffer.
using InputId = StrongId<struct InputTag>;
/// A NIC.
using MachineNicId = StrongId<struct MachineNicTag>;

}  // namespace haichi
