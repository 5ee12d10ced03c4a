#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodel/packetsim/packet_ports.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// A machine cut into parts that are simulated one by one, or side by side: the part of every vertex. Parts are about
/// equally large and touch few others. With coordinates they are blocks, made by halving the longest axis again and
/// again; else ranges of routers, each of Topology::router_ranges() by itself, so neighbouring switches. A terminal
/// without a router goes with its switch.
struct MachineBlocks {
    static constexpr int kMostBlocks = 1 << 14;

    int count = 1;
    std::vector<std::uint16_t> block_of_vertex;  ///< empty: there is one
};

/// `wanted` blocks, or as many as there can be. O(vertices + links).
MachineBlocks divide_machine(const Network& network, const PacketPorts& ports, int wanted);

}  // namespace haichi
