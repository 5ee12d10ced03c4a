#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodel/packetsim/packet_ports.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// The partition of every vertex of a machine. Partitions are about equally large and have few neighbours. With
/// coordinates they are blocks, made by halving the longest axis repeatedly. Otherwise they are ranges of routers, cut
/// separately within each of Topology::router_ranges(), so that neighbouring switches stay together. A node without a
/// router belongs to its switch's partition.
struct MachineBlocks {
    static constexpr int kMostBlocks = 1 << 14;

    int count = 1;
    std::vector<std::uint16_t> block_of_vertex;  ///< empty if there is one block
};

/// Divides into `wanted` blocks, or as many as possible. O(vertices + links).
MachineBlocks divide_machine(const Network& network, const PacketPorts& ports, int wanted);

}  // namespace haichi
