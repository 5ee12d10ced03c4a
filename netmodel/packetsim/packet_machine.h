#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "netmodel/packetsim/machine_blocks.h"
#include "netmodel/packetsim/packet_ports.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/partition_state.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/packetsim/zeroed_array.h"
#include "netmodel/routing/grid_steps.h"

namespace haichi {

/// The simulated machine: its constant parameters and the state of its partitions.
class PacketMachine {
  public:
    struct Division {
        int partitions = 0;  ///< maximum; 0 means chosen by the size of the state
        int threads = 1;
        /// Minimum time after which one node affects another by means other than packets.
        std::int64_t shortest_client_latency_ps = std::numeric_limits<std::int64_t>::max();
    };

    /// Throws what VirtualChannels and PacketPorts throw.
    PacketMachine(const Network& network, const PacketTiming& timing, const Division& division);

    [[nodiscard]] const PacketPorts::Class& class_of(const PacketPort& port) const {
        return ports.classes()[port.port_class];
    }
    [[nodiscard]] int partition_count() const { return blocks.count; }
    [[nodiscard]] int partition_of(VertexId vertex) const {
        return blocks.count == 1 ? 0 : blocks.block_of_vertex[vertex.index()];
    }
    [[nodiscard]] int partition_of(NodeId node) const { return partition_of(network->vertex(node)); }
    /// The id of the node in its partition.
    [[nodiscard]] LocalNodeId local_node(NodeId node) const { return local_nodes[node.index()]; }
    /// The index of the router in its partition.
    [[nodiscard]] std::uint32_t local_router(VertexId v) const { return local_routers_[v.index()]; }

    // The current state of ports, which are identified by their ids in PacketPorts.
    /// Number of ungranted packets in the buffer, or on their way to it inside its partition.
    [[nodiscard]] std::int32_t packets_waiting(InputId buffer) const;
    /// Payload and headers of all packets that the channel has carried or is carrying.
    [[nodiscard]] std::int64_t bytes_passed(OutputId output) const { return port_of_output(output).bytes_passed; }
    [[nodiscard]] std::int64_t busy_until_ps(OutputId output) const { return port_of_output(output).busy_until_ps; }
    [[nodiscard]] const PacketPorts::Class& class_of_output(OutputId output) const {
        return ports.classes()[ports.class_of_output()[output.index()]];
    }
    [[nodiscard]] bool is_ejection(OutputId output) const { return output.value >= ports.link_count(); }
    [[nodiscard]] bool is_injection(InputId buffer) const { return buffer.value >= first_injection_buffer; }
    [[nodiscard]] MachineNicId nic_of(OutputId ejection) const {
        return MachineNicId(ejection.value - ports.link_count());
    }
    [[nodiscard]] MachineNicId nic_of(InputId injection) const {
        return MachineNicId(injection.value - first_injection_buffer);
    }
    [[nodiscard]] NodeId node_of(MachineNicId nic) const { return NodeId(nic.value / nics_per_node); }
    /// The index of the NIC in its node.
    [[nodiscard]] std::int32_t number_of(MachineNicId nic) const { return nic.value % nics_per_node; }
    /// Converts a partition's port or buffer id to the id in PacketPorts.
    [[nodiscard]] OutputId output_number(const PartitionState& at, PortId port) const;
    [[nodiscard]] InputId buffer_number(const PartitionState& at, BufferId buffer) const;

    [[nodiscard]] std::size_t memory_bytes() const;

    const Network* network;
    PacketTiming timing;
    VirtualChannels virtual_channels;
    std::int32_t vcs;  ///< per link: as stated, or as many as the routes need
    PacketPorts ports;
    std::optional<GridSteps> steps;  ///< empty if every message has its own route
    std::int32_t buffer_packets;
    std::int32_t nics_per_node;
    std::int32_t first_injection_buffer;
    /// Minimum time after which an event at a router or its nodes affects another router. 0 means that it affects
    /// others at once.
    std::int64_t lookahead_ps = 0;
    MachineBlocks blocks;
    std::vector<LocalNodeId> local_nodes;
    std::vector<PartitionState> parts;

  private:
    void find_lookahead();
    [[nodiscard]] int partitions_by_size(int threads) const;
    [[nodiscard]] const PacketPort& port_of_output(OutputId output) const;
    /// The partition of the NIC, and the port of its ejection channel in that partition.
    [[nodiscard]] std::pair<const PartitionState&, PortId> ejection_of(MachineNicId nic) const;
    /// The router that the link leaves. For a missing link of a grid, returns the router at its position. Other missing
    /// links have no valid source.
    [[nodiscard]] VertexId source_of(std::int32_t link) const;

    void number_ports();
    void take_memory();
    void build_routers();
    void find_turns(int p);
    void number_nics(PartitionState& part);
    void build_ports(int p);
    void build_inputs(PartitionState& part) const;
    void join_cut_links();

    std::vector<std::uint32_t> local_routers_;  ///< by vertex: its index in its partition
    ZeroedArray<std::byte> port_memory_;
    ZeroedArray<Packet> packet_memory_;
    ZeroedArray<std::int64_t> entered_memory_;
    ZeroedArray<std::int64_t> credit_memory_;
};

}  // namespace haichi
