#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netmodel/packetsim/message_pool.h"
#include "netmodel/packetsim/packet_ports.h"
#include "netmodel/packetsim/packet_state.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/packetsim/waiting_buffers.h"
#include "netmodel/packetsim/zeroed_array.h"
#include "netmodel/routing/grid_steps.h"

namespace haichi {

/// The simulated machine: its parameters and the state of its ports, buffers and NICs. Vertices belong to partitions;
/// the state of a router or node is touched by its partition only. State is O(links * VCs * buffer).
///
/// A link that leads to another partition has two sets of buffers: the real ones, which belong to its target, and their
/// shadows, which belong to its source and hold nothing but the credits. What passes between them is sent as mail.
struct PacketMachine {
    /// `partitions`: as many at most. Throws what VirtualChannels and PacketPorts throw.
    PacketMachine(const Network& network, const PacketTiming& timing, int partitions);

    [[nodiscard]] PacketSlot& slot(std::int32_t buffer, std::int32_t place) { return slots[slot_index(buffer, place)]; }
    [[nodiscard]] const PacketSlot& slot(std::int32_t buffer, std::int32_t place) const {
        return slots[slot_index(buffer, place)];
    }
    [[nodiscard]] const PacketPorts::Class& class_of(const PacketOutput& output) const {
        return ports.classes()[output.port_class];
    }
    /// The buffer, or its shadow, behind VC `vc` of output `link`: what the credits of that output are looked up in.
    [[nodiscard]] std::int32_t buffer_behind(std::int32_t link, std::int32_t vc) const { return link * vcs + vc; }
    [[nodiscard]] std::int32_t shadow_behind(std::int32_t link, std::int32_t vc) const {
        return first_shadow_of_link[static_cast<std::size_t>(link)] + vc;
    }
    [[nodiscard]] int partition_of(NodeId node) const { return partition_of(network->vertex(node)); }
    [[nodiscard]] int partition_of(VertexId vertex) const {
        return partition_count == 1 ? 0 : partition_of_vertex[vertex.index()];
    }

    [[nodiscard]] std::size_t memory_bytes() const;

    const Network* network;
    PacketTiming timing;
    VirtualChannels virtual_channels;
    std::int32_t vcs;  ///< of every link: as stated, or as the routes need
    PacketPorts ports;
    std::optional<GridSteps> steps;  ///< else every message has its route
    std::int32_t buffer_packets;
    std::int32_t nics_per_node;
    std::int32_t first_injection_buffer;
    /// How long it takes at least until anything at a router is felt at another one; 0: no time at all.
    std::int64_t lookahead_ps = 0;

    int partition_count = 1;
    std::vector<std::uint8_t> partition_of_vertex;   ///< empty with one partition
    std::vector<std::int32_t> first_shadow_of_link;  ///< empty with one partition; -1 where the link is not cut
    std::vector<PacketOutput> outputs;
    std::vector<PacketBuffer> buffers;  ///< the real ones, then shadows
    ZeroedArray<PacketSlot> slots;
    std::vector<std::int32_t> buffers_of_routers;
    std::optional<WaitingBuffers> waiting;
    std::vector<PacketNic> nics;
    std::vector<PacketHost> hosts;
    MessagePool messages{1};
    std::vector<std::int64_t> bytes_passed;  ///< per output; empty: not counted

  private:
    /// A place behind the last one is counted from the first again.
    [[nodiscard]] std::size_t slot_index(std::int32_t buffer, std::int32_t place) const {
        if (place >= buffer_packets) place -= buffer_packets;
        return static_cast<std::size_t>(buffer) * static_cast<std::size_t>(buffer_packets) +
               static_cast<std::size_t>(place);
    }
    void find_lookahead();
    void divide(int partitions);
    void join_hosts();
    void add_shadows();
    void build_buffers();
    void build_outputs(const std::vector<std::uint32_t>& first_of_router);
};

}  // namespace haichi
