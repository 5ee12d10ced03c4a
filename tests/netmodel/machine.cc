#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using namespace testing_fabrics;

std::vector<std::int64_t> stated_bandwidths(const Machine& machine) {
    std::vector<std::int64_t> bandwidths;
    for (const PortClass& links : machine.topology->link_classes()) {
        if (links.bandwidth_bytes_per_s) bandwidths.push_back(*links.bandwidth_bytes_per_s);
    }
    return bandwidths;
}

const Grid& grid_of(const Machine& machine) { return *coordinates(machine); }

TEST(MachinePresets, kyushu_fx10_is_a_torus_of_768_nodes) {
    const Machine machine = load_machine("fx10-kyushu");
    EXPECT_EQ(grid_of(machine), Grid({{"X", 4, true}, {"Y", 2}, {"Z", 8, true}, {"A", 2}, {"B", 3, true}, {"C", 2}}));
    EXPECT_EQ(grid_of(machine).vertex_count(), 768);
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, 5'000'000'000);
    EXPECT_EQ(machine.node.nics, 4);
    EXPECT_EQ(machine.packet_payload_bytes, 1920);
    EXPECT_EQ(machine.packet_header_bytes, 72);
    EXPECT_EQ(machine.node.rendezvous_overhead_ps, 36'000'000);
    EXPECT_EQ(machine.node.mpi_call_overhead_ps, 1'000'000);
    EXPECT_EQ(machine.node.eager_limit_bytes, 16'384);
    EXPECT_EQ(machine.node.nic_bandwidth_bytes_per_s, machine.link_bandwidth_bytes_per_s);
    EXPECT_EQ(machine.node.barrier_ps, 5'000'000);
    EXPECT_EQ(machine.routing, "dor:XYZACB,tie=+");
    EXPECT_EQ(machine.logical, (std::vector<std::vector<std::size_t>>{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(MachinePresets, large_tofu_machines_have_their_published_sizes) {
    EXPECT_EQ(grid_of(load_machine("k")).vertex_count(), 82'944);
    const Machine fugaku = load_machine("fugaku");
    EXPECT_EQ(grid_of(fugaku).vertex_count(), 158'976);
    EXPECT_EQ(fugaku.link_bandwidth_bytes_per_s, 6'800'000'000);
    EXPECT_EQ(fugaku.node.nics, 6);
    EXPECT_TRUE(grid_of(fugaku).axis(0).wraps);
    EXPECT_FALSE(grid_of(fugaku).axis(1).wraps);
}

TEST(MachinePresets, fx_sizes_and_wraps_come_from_the_name) {
    const Machine machine = load_machine("fx10:10x5x8:XZ");
    EXPECT_EQ(grid_of(machine), Grid({{"X", 10, true}, {"Y", 5}, {"Z", 8, true}, {"A", 2}, {"B", 3, true}, {"C", 2}}));
    EXPECT_FALSE(grid_of(load_machine("fx10:10x5x8")).axis(0).wraps);
    EXPECT_EQ(load_machine("fx100:1x2x3:Y").link_bandwidth_bytes_per_s, 12'500'000'000);
    EXPECT_TRUE(load_machine("fx10").size_is_open);
    EXPECT_FALSE(machine.size_is_open);
}

TEST(MachinePresets, plain_grids_name_their_axes) {
    const Machine torus = load_machine("torus:16x16x4");
    EXPECT_EQ(grid_of(torus), Grid({{"X", 16, true}, {"Y", 16, true}, {"Z", 4, true}}));
    EXPECT_EQ(torus.routing, "dor:XYZ,tie=+");
    const Machine mesh = load_machine("mesh:2x3x4x5");
    EXPECT_EQ(grid_of(mesh), Grid({{"d0", 2}, {"d1", 3}, {"d2", 4}, {"d3", 5}}));
    EXPECT_EQ(mesh.routing, "dor:d0.d1.d2.d3,tie=+");
}

TEST(MachinePresets, fat_tree_is_the_k_ary_n_tree) {
    const Machine machine = load_machine("fattree:3x4");
    EXPECT_EQ(value_of<FatTree>(*machine.topology), FatTree({4, 4, 4}, {1, 4, 4}));
    EXPECT_EQ(value_of<FatTree>(*machine.topology).terminal_count(), 64);
    EXPECT_EQ(value_of<FatTree>(*load_machine("fattree:1x8").topology), FatTree({8}, {1}));
}

TEST(MachinePresets, the_studies_have_their_columns_of_node_parameters) {
    for (const char* name : {"torus:4x4x4", "mesh:4", "fattree:2x3"}) {
        const Machine machine = load_machine(name);
        EXPECT_EQ(machine.node.dma_bandwidth_bytes_per_s, 10'000'000'000) << name;
        EXPECT_EQ(machine.node.memory_bandwidth_bytes_per_s, 10'000'000'000) << name;
        EXPECT_EQ(machine.node.mpi_call_overhead_ps, 200'000) << name;
    }
    const Machine rdma = load_machine("switch");
    EXPECT_EQ(value_of<FatTree>(*rdma.topology), FatTree({16}, {1}));
    EXPECT_EQ(rdma.link_bandwidth_bytes_per_s, 4'000'000'000);
    EXPECT_EQ(rdma.node.dma_bandwidth_bytes_per_s, 2'800'000'000);
    EXPECT_FALSE(rdma.node.memory_bandwidth_bytes_per_s.has_value());
    EXPECT_EQ(rdma.node.mpi_call_overhead_ps, 1'000'000);
    EXPECT_EQ(value_of<FatTree>(*load_machine("switch:3").topology).terminal_count(), 3);
}

TEST(MachinePresets, every_row_of_the_table_has_a_pattern_and_a_sentence) {
    ASSERT_EQ(machine_presets().size(), preset_words().size());
    for (std::size_t i = 0; i < preset_words().size(); ++i) {
        EXPECT_TRUE(machine_presets()[i].pattern.starts_with(preset_words()[i]));
        EXPECT_FALSE(machine_presets()[i].description.empty());
    }
}

TEST(MachineFile, the_bus_of_a_node_is_its_dma) {
    const auto read = [](const std::string& node) {
        return parse_machine(R"({"schema": "haichi-machine/1", "link": {"bandwidth": "1GB/s"},
"topology": {"kind": "tree", "children": [2]}, "node": )" +
                                 node + "}",
                             "m.json");
    };
    EXPECT_EQ(read(R"({"shared_bus": "132MB/s"})").node.dma_bandwidth_bytes_per_s, 132'000'000);
    try {
        (void)read("{\n\"dma_bandwidth\": \"1GB/s\",\n\"shared_bus\": \"132MB/s\"}");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()), "m.json:4: node.shared_bus: cannot be combined with 'node.dma_bandwidth'");
    }
}

TEST(MachineFile, tofu_file_reads_as_the_preset) {
    const Machine machine = parse_machine(R"({"schema": "haichi-machine/1", "name": "fx10-kyushu",
     "topology": {"kind": "torus", "axes": [{"name": "X", "size": 4, "wraps": true}, {"name": "Y", "size": 2},
                                            {"name": "Z", "size": 8, "wraps": true}, {"name": "A", "size": 2},
                                            {"name": "B", "size": 3, "wraps": true}, {"name": "C", "size": 2}],
                  "logical": [["X", "A"], ["Y", "B"], ["Z", "C"]]},
     "routing": {"kind": "dimension-order", "order": "XYZACB", "tie": "+"},
     "link": {"bandwidth": "5GB/s", "cable_latency": "1ns"},
     "router": {"routing_time": "2ns", "vc_allocation_time": "3ns", "switch_allocation_time": "4ns",
                "switch_latency": "5ns", "bandwidth": "6GB/s", "virtual_channels": 2, "buffer": "8 packets"},
     "packet": {"payload": "1920B", "header": "72B"},
     "node": {"nics": 4, "nic_bandwidth": "5GB/s", "nic_packet_time": "20ns", "dma_bandwidth": "10GB/s", "memory_bandwidth": "85GB/s",
              "mpi_call_overhead": "1us", "eager_overhead": "2us", "rendezvous_overhead": "36us", "rdma_overhead": "700ns", "eager_limit": "4KiB", "barrier": "5us",
              "barrier_step": "90ns", "barrier_groups": 7, "trunk": 2, "trunk_from": "64KiB",
              "rendezvous_round_trips": 2, "sends": "one-by-one", "send_buffer": "128KiB",
              "slots": 16, "progress": "calls", "nic_order": "packets", "send_copy": "always",
              "shared_memory_latency": "300ns", "shared_memory_bandwidth": "20GB/s"}})",
                                          "m.json");
    const Machine preset = load_machine("fx10-kyushu");
    EXPECT_EQ(machine.name, preset.name);
    EXPECT_EQ(grid_of(machine), grid_of(preset));
    EXPECT_EQ(machine.logical, preset.logical);
    EXPECT_EQ(machine.routing, preset.routing);
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, preset.link_bandwidth_bytes_per_s);
    EXPECT_EQ(machine.cable_latency_ps, 1'000);
    EXPECT_EQ(machine.router.routing_time_ps, 2'000);
    EXPECT_EQ(machine.router.vc_allocation_time_ps, 3'000);
    EXPECT_EQ(machine.router.switch_allocation_time_ps, 4'000);
    EXPECT_EQ(machine.router.switch_latency_ps, 5'000);
    EXPECT_EQ(machine.router.bandwidth_bytes_per_s, 6'000'000'000);
    EXPECT_EQ(machine.router.virtual_channels, 2);
    EXPECT_EQ(machine.router.buffer_packets, preset.router.buffer_packets);
    EXPECT_EQ(machine.packet_payload_bytes, preset.packet_payload_bytes);
    EXPECT_EQ(machine.packet_header_bytes, preset.packet_header_bytes);
    EXPECT_EQ(machine.node.nics, preset.node.nics);
    EXPECT_EQ(machine.node.nic_bandwidth_bytes_per_s, preset.node.nic_bandwidth_bytes_per_s);
    EXPECT_EQ(machine.node.nic_packet_time_ps, 20'000);
    EXPECT_EQ(machine.node.dma_bandwidth_bytes_per_s, 10'000'000'000);
    EXPECT_EQ(machine.node.memory_bandwidth_bytes_per_s, 85'000'000'000);
    EXPECT_EQ(machine.node.mpi_call_overhead_ps, preset.node.mpi_call_overhead_ps);
    EXPECT_EQ(machine.node.rendezvous_overhead_ps, preset.node.rendezvous_overhead_ps);
    EXPECT_EQ(machine.node.rdma_overhead_ps, 700'000);
    EXPECT_EQ(machine.node.barrier_step_ps, 90'000);
    EXPECT_EQ(machine.node.barrier_groups, 7);
    EXPECT_EQ(machine.node.trunk, 2);
    EXPECT_EQ(machine.node.trunk_from_bytes, 65'536);
    EXPECT_EQ(machine.node.rendezvous_round_trips, 2);
    EXPECT_EQ(machine.node.sends, "one-by-one");
    EXPECT_EQ(machine.node.send_buffer_bytes, 131'072);
    EXPECT_EQ(machine.node.eager_limit_bytes, 4096);
    EXPECT_EQ(machine.node.barrier_ps, preset.node.barrier_ps);
    EXPECT_EQ(machine.node.slots, preset.node.slots);
    EXPECT_EQ(machine.node.progress, "calls");
    EXPECT_EQ(machine.node.eager_overhead_ps, 2'000'000);
    EXPECT_EQ(machine.node.nic_order, "packets");
    EXPECT_EQ(machine.node.send_copy, "always");
    EXPECT_EQ(machine.node.shared_memory_latency_ps, 300'000);
    EXPECT_EQ(machine.node.shared_memory_bandwidth_bytes_per_s, 20'000'000'000);
}

TEST(MachineFile, smallest_file_is_schema_topology_and_link) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "row", "size": 3},
            {"name": "column", "size": 4}]}, "link": {"bandwidth": "1GB/s"}})",
        "small.json");
    EXPECT_EQ(machine.name, "small.json");
    EXPECT_EQ(machine.routing, "dor:row.column,tie=+");
    EXPECT_EQ(machine.node.nics, 1);
    EXPECT_FALSE(machine.cable_latency_ps.has_value());
}

TEST(MachineFile, allocations_are_shapes_in_the_order_of_the_file) {
    const std::string text = R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [
        {"name": "X", "size": 3}, {"name": "Y", "size": 4}]}, "link": {"bandwidth": "1GB/s"})";
    EXPECT_TRUE(parse_machine(text + "}", "m.json").allocations.empty());
    const Machine machine = parse_machine(text + R"(, "allocations": [[3, 4], [1, 4], [3, 1]]})", "m.json");
    EXPECT_EQ(machine.allocations, (std::vector<std::vector<std::int32_t>>{{3, 4}, {1, 4}, {3, 1}}));
}

TEST(MachineFile, trees_have_bandwidths_by_level) {
    const Machine tree = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "tree", "children": [3, 2], "bandwidth": ["5GB/s"]},
            "link": {"bandwidth": "10GB/s"}})",
        "tree.json");
    EXPECT_EQ(value_of<FatTree>(*tree.topology), FatTree({3, 2}, {1, 1}));
    EXPECT_EQ(stated_bandwidths(tree), std::vector<std::int64_t>{5'000'000'000});
    const Machine fat = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "fattree", "children": [3, 2], "parents": [1, 3]},
            "routing": {"kind": "s-mod-k"}, "link": {"bandwidth": "10GB/s"}})",
        "fat.json");
    EXPECT_EQ(value_of<FatTree>(*fat.topology), FatTree({3, 2}, {1, 3}));
    EXPECT_EQ(fat.routing, "s-mod-k");
    const Machine reduced = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "fattree", "children": [4, 4], "parents": [1, 2]},
            "link": {"bandwidth": "10GB/s"}})",
        "reduced.json");  // half the bisection: 2 spines for 4 hosts per leaf
    EXPECT_EQ(value_of<FatTree>(*reduced.topology), FatTree({4, 4}, {1, 2}));
    EXPECT_EQ(reduced.routing, "d-mod-k");
}

TEST(MachinePresets, dragonflies_have_all_the_groups_their_ports_allow_unless_stated) {
    const Machine machine = load_machine("dragonfly:2,4,2");
    EXPECT_EQ(value_of<Dragonfly>(*machine.topology), Dragonfly(2, 4, 2, 9));
    EXPECT_EQ(terminal_count(machine), 72);
    EXPECT_EQ(machine.routing, "minimal");
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, 4'000'000'000);
    EXPECT_EQ(value_of<Dragonfly>(*load_machine("dragonfly:2,4,2,5").topology).group_count(), 5);
}

TEST(MachineFile, dragonflies_have_bandwidths_of_host_local_and_global_links) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "dragonfly", "terminals": 2, "routers": 3,
            "global_links": 1, "groups": 3, "bandwidth": ["1GB/s", "2GB/s", "3GB/s"]}, "link": {"bandwidth": "10GB/s"}})",
        "m.json");
    EXPECT_EQ(value_of<Dragonfly>(*machine.topology), Dragonfly(2, 3, 1, 3));
    EXPECT_EQ(stated_bandwidths(machine), (std::vector<std::int64_t>{1'000'000'000, 2'000'000'000, 3'000'000'000}));
    EXPECT_EQ(machine.routing, "minimal");
}

TEST(MachineFile, extended_order_has_a_column) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "torus", "axes": [{"name": "X", "size": 3},
            {"name": "B", "size": 3, "wraps": true}]}, "link": {"bandwidth": "1GB/s"},
            "routing": {"kind": "dimension-order", "order": "BXB", "tie": "-", "column": "2"}})",
        "m.json");
    EXPECT_EQ(machine.routing, "dor:BXB,tie=-,column=2");
}

TEST(MachineSource, holds_all_that_a_machine_is_made_of) {
    MachineSource preset{.name = "torus:4x4"};
    EXPECT_EQ(load_machine(preset).name, "torus:4x4");
    EXPECT_FALSE(preset.text || preset.graph.text);
    const std::string graph = R"(<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="b">1GB/s</data></edge>
</graph></graphml>)";
    MachineSource by_name{.name = "graph:/no/such/file", .graph = {.text = graph}};
    EXPECT_EQ(terminal_count(load_machine(by_name)), 2);
    MachineSource file{.name = "nowhere.json",
                       .text = R"({"schema": "haichi-machine/1", "link": {"bandwidth": "1GB/s"},
"topology": {"kind": "graph", "file": "missing.graphml"}})",
                       .graph = {.text = graph}};
    EXPECT_EQ(terminal_count(load_machine(file)), 2);
    EXPECT_EQ(file.graph.path, "missing.graphml");
    file.graph.text.reset();
    EXPECT_THROW(load_machine(file), InputError);
}

}  // namespace
}  // namespace haichi
