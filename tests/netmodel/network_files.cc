#include "netmodel/networkfiles/network_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/networkfiles/graph_builder.h"
#include "netmodel/networkfiles/yaml_value.h"
#include "netmodel/topology/breadth_first.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

struct Read {
    Graph graph;
    std::vector<std::string> notes;
    std::string format;
};

Read read(const std::string& text, std::optional<std::int64_t> bandwidth = {}) {
    std::vector<std::string> notes;
    static const std::string kFile = "net";
    const NetworkFileRow* row = recognised_network_file(text);
    const std::string format = row == nullptr ? "" : row->name;
    Graph graph = read_network({text, kFile, bandwidth, notes}, "hint");
    return {std::move(graph), std::move(notes), format};
}

Read read_as(const std::string& format, const std::string& text) {
    std::vector<std::string> notes;
    static const std::string kFile = "net";
    Graph graph = network_files().at(format).read({text, kFile, {}, notes});
    return {std::move(graph), std::move(notes), format};
}

/// Returns the error as "message | hint".
std::string refusal(const std::string& text) {
    try {
        (void)read(text);
    } catch (const InputError& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
}

VertexId vertex(const Graph& graph, const std::string& name) {
    for (std::int32_t v = 0; v < graph.vertex_count(); ++v) {
        if (graph.vertex_name(VertexId(v)) == name) return VertexId(v);
    }
    ADD_FAILURE() << "no vertex " << name;
    return VertexId(0);
}

std::int32_t hops(const Graph& graph, const std::string& a, const std::string& b) {
    BreadthFirst search(graph);
    search.search_from(vertex(graph, a));
    return search.distance(vertex(graph, b));
}

/// Bandwidth of the first link from a to b; 0 without one.
std::int64_t bandwidth(const Graph& graph, const std::string& a, const std::string& b) {
    for (std::int32_t l = 0; l < graph.link_count(); ++l) {
        const Graph::Link& link = graph.link(LinkId(l));
        if (graph.vertex_name(link.from) == a && graph.vertex_name(link.to) == b) return link.bandwidth_bytes_per_s;
    }
    return 0;
}

bool has_note(const Read& read, const std::string& part) {
    return std::ranges::any_of(read.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(SlurmTopology, a_tree_has_its_switches_and_unequal_leaves) {
    const Read read_tree = read(
        "# two leaves under a spine\n"
        "SwitchName=spine Switches=leaf[1-2]\n"
        "switchname=leaf1 nodes=n[1-3] # lower case\n"
        "SwitchName=leaf2 \\\n  Nodes=n[4-8],gpu1\n");
    const Graph& graph = read_tree.graph;
    EXPECT_EQ(read_tree.format, "slurm");
    EXPECT_EQ(graph.terminal_count(), 9);
    EXPECT_EQ(graph.vertex_count(), 12);
    EXPECT_EQ(graph.vertex_name(VertexId(0)), "n1");
    EXPECT_EQ(hops(graph, "n1", "n3"), 2);
    EXPECT_EQ(hops(graph, "n1", "gpu1"), 4);
    EXPECT_EQ(bandwidth(graph, "n1", "leaf1"), 12'500'000'000);
    EXPECT_TRUE(has_note(read_tree, "states no bandwidths"));
    EXPECT_TRUE(read("SwitchName=s Nodes=a,b", 5).notes.empty());
}

TEST(SlurmTopology, scontrol_repeats_the_nodes_of_the_leaves) {
    const Read read_tree = read(
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-1]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[2-3]\n"
        "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-4] Switches=s[0-1]\n");
    EXPECT_EQ(read_tree.graph.terminal_count(), 5);
    EXPECT_EQ(hops(read_tree.graph, "tux0", "tux3"), 4);
    EXPECT_EQ(hops(read_tree.graph, "tux0", "tux4"), 3);  // at the spine itself
    EXPECT_EQ(read_tree.graph.link_count(), 2 * (5 + 2));
}

TEST(SlurmTopology, several_roots_are_several_spines) {
    const Read read_tree = read(
        "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n"
        "SwitchName=x Switches=a,b\nSwitchName=y Switches=a,b\n");
    EXPECT_EQ(read_tree.graph.vertex_count(), 8);
    EXPECT_EQ(hops(read_tree.graph, "n1", "n4"), 4);
    EXPECT_FALSE(has_note(read_tree, "without a common root"));
}

TEST(SlurmTopology, trunks_without_a_root_get_one) {
    const Read read_tree = read(
        "SwitchName=spineA Switches=leaf[1-2]\nSwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n"
        "SwitchName=leafC Nodes=n[5-6]\n");
    EXPECT_TRUE(has_note(read_tree, "without a common root (spineA, leafC)"));
    EXPECT_EQ(hops(read_tree.graph, "n1", "n5"), 5);
}

TEST(SlurmTopology, link_speed_is_a_ratio) {
    const Read read_tree =
        read("SwitchName=s Switches=a,b\nSwitchName=a Nodes=n1 LinkSpeed=100\nSwitchName=b Nodes=n2 LinkSpeed=250\n");
    EXPECT_EQ(bandwidth(read_tree.graph, "a", "s"), 12'500'000'000);
    EXPECT_EQ(bandwidth(read_tree.graph, "b", "s"), 31'250'000'000);
    EXPECT_TRUE(has_note(read_tree, "250/100"));
}

TEST(SlurmTopology, blocks_form_larger_blocks) {
    const Read read_blocks = read(
        "BlockName=b1 Nodes=n[01-02]\nBlockName=b2 Nodes=n[03-04]\nBlockName=b3 Nodes=n[05-06]\n"
        "BlockName=b4 Nodes=n[07-08]\nBlockSizes=2,4,8\n");
    EXPECT_EQ(hops(read_blocks.graph, "n01", "n02"), 2);
    EXPECT_EQ(hops(read_blocks.graph, "n01", "n03"), 4);
    EXPECT_EQ(hops(read_blocks.graph, "n01", "n08"), 6);
    const Read printed = read(
        "BlockName=b0 BlockIndex=0 Nodes=10.0.0.1,10.0.0.2 BlockSize=2\n"
        "BlockName=b1 BlockIndex=1 Nodes=10.0.0.3,10.0.0.4 BlockSize=2\n"
        "AggregatedBlock=b[0-1] BlockIndex=2 Nodes=10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4 BlockSize=4\n");
    EXPECT_EQ(printed.graph.terminal_count(), 4);
    EXPECT_EQ(hops(printed.graph, "10.0.0.1", "10.0.0.4"), 4);
}

TEST(SlurmTopology, block_sizes_are_powers_of_two_times_the_first) {
    const std::string blocks = "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\n";
    EXPECT_EQ(refusal(blocks + "BlockSizes=4,12\n").substr(0, 37), "net:3: block size 12 follows 4, but S");
    EXPECT_EQ(refusal(blocks + "BlockSizes=4,4\n").substr(0, 36), "net:3: block size 4 follows 4, but S");
    EXPECT_EQ(refusal(blocks + "BlockSizes=0,8\n").substr(0, 24), "net:3: a block size of 0");
    EXPECT_TRUE(has_note(read(blocks + "BlockSizes=8\n"), "2 blocks of net have fewer nodes"));
    EXPECT_FALSE(has_note(read(blocks + "BlockSizes=4,8\n"), "fewer nodes"));
}

TEST(SlurmTopology, faults_name_the_line) {
    EXPECT_EQ(refusal("SwitchName=s Switches=leaf1\nSwitchName=leaf2 Nodes=a\n"),
              "net:1: switch 'leaf1' has no line of its own | did you mean 'leaf2'?");
    EXPECT_EQ(refusal("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"), "net:1: switch 'a' is below itself | ");
    EXPECT_EQ(refusal("SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n"),
              "net:2: duplicate switch 'a', first on line 1 | ");
    EXPECT_EQ(refusal("SwitchName=a Node=x\n"), "net:1: unknown key 'node' | did you mean 'nodes'?");
    EXPECT_EQ(refusal("SwitchName=a Nodes=x[1-\n"), "net:1: brackets do not match in 'x[1-' | ");
    EXPECT_EQ(refusal("BlockName=a Nodes=x\nBlockName=b Nodes=x\n"), "net:2: duplicate node 'x', first on line 1 | ");
    EXPECT_EQ(refusal("SwitchName=a Nodes=x\ninclude m\n").substr(0, 25), "net:2: expected KEY=VALUE");
}

const char* const kYaml =
    "---\n"
    "- topology: tree1\n"
    "  cluster_default: false\n"
    "  tree:\n"
    "    switches:\n"
    "      - switch: root  # the top\n"
    "        children: s[1-2]\n"
    "      - switch: s1\n"
    "        nodes: node[01-02]\n"
    "      - switch: s2\n"
    "        nodes: node[03-04]\n";

TEST(SlurmYaml, the_default_topology_is_read) {
    const Read tree = read(kYaml);
    EXPECT_EQ(tree.format, "slurm");
    EXPECT_EQ(hops(tree.graph, "node01", "node04"), 4);
    const Read block = read(std::string(kYaml) +
                            "- topology: block1\n"
                            "  cluster_default: true\n"
                            "  block:\n"
                            "    block_sizes: [2, 4]\n"
                            "    blocks:\n"
                            "    - block: b1\n"
                            "      nodes: m[1-2]\n"
                            "    - block: b2\n"
                            "      nodes: m[3-4]\n");
    EXPECT_EQ(hops(block.graph, "m1", "m4"), 4);
    EXPECT_TRUE(has_note(block, "has 2 topologies; haichi uses 'block1'"));
    EXPECT_NE(refusal("- topology: f\n  flat: true\n  tree: {switches: []}\n").find("expected one kind of topology"),
              std::string::npos);
    EXPECT_NE(refusal("- topology: f\n  flat: true\n").find("is flat and names no nodes"), std::string::npos);
}

TEST(SlurmYaml, rings_and_toruses_have_cables_between_nodes) {
    const Read rings = read(
        "- topology: t\n  ring:\n    rings:\n      - ring: r0\n        nodes: a[1-5]\n      - ring: r1\n        nodes: "
        "b[1-4]\n");
    EXPECT_EQ(hops(rings.graph, "a1", "a3"), 2);
    EXPECT_EQ(hops(rings.graph, "a1", "a5"), 1);
    EXPECT_TRUE(has_note(rings, "how its 2 rings are connected"));
    const Read torus = read(
        "- topology: t\n  torus3d:\n    toruses:\n      - name: pod\n        dims: {x: 4, y: 2, z: 1}\n"
        "        nodes: n[0-7]\n        placements:\n          - dims: {x: 2, y: 2, z: 1}\n");
    EXPECT_EQ(hops(torus.graph, "n0", "n3"), 1);
    EXPECT_EQ(hops(torus.graph, "n0", "n6"), 3);
    EXPECT_EQ(torus.graph.link_count(), 2 * (8 + 4));
    const Read regions = read(
        "- topology: t\n  torus3d:\n    toruses:\n    - name: pod\n      dims: {x: 4, y: 1, z: 1}\n      regions:\n"
        "      - anchor: {x: 1, y: 0, z: 0}\n        dims: {x: 2, y: 1, z: 1}\n        nodes: n[1-2]\n");
    EXPECT_EQ(regions.graph.terminal_count(), 2);
    EXPECT_EQ(regions.graph.vertex_count(), 4);
    EXPECT_EQ(hops(regions.graph, "n1", "n2"), 1);
}

TEST(Yaml, faults_are_reported_with_their_line) {
    const auto error_of = [](const std::string& text) -> std::string {
        try {
            (void)read_yaml(text, "y");
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of("a: 1\na: 2\n"), "y:2: duplicate key 'a'");
    EXPECT_TRUE(error_of("a:\n\tb: 1\n").starts_with("y:2: not valid YAML: "));
    EXPECT_TRUE(error_of("a: [1, 2\n").starts_with("y:2: not valid YAML: "));
    EXPECT_TRUE(error_of("a: 1\n   b: 2\n").starts_with("y:2: not valid YAML: "));
    EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "y:3: a second YAML document");
    EXPECT_EQ(error_of("[a]: 1\n"), "y:1: expected a string as a key");
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
        bomb += "]\n";
    }
    EXPECT_TRUE(error_of(bomb).ends_with("aliases repeat too many values")) << error_of(bomb);
}

TEST(Yaml, values_have_all_styles) {
    const YamlValue value = read_yaml("a: \"x # y\"\nb:\n- ['n[1-2]', q]\n-\n  c: d\ne: n[1-2]\nf: ~\n", "y");
    EXPECT_EQ(value.text_at("a"), "x # y");
    EXPECT_EQ(value.list("b")[0].items[0].text, "n[1-2]");
    EXPECT_EQ(value.list("b")[0].items[1].text, "q");
    EXPECT_EQ(value.text_at("e"), "n[1-2]");
    EXPECT_EQ(value.at("f").kind, YamlValue::Kind::kNothing);
    EXPECT_EQ(value.at("e").place.line, 6U);
    EXPECT_EQ(value.list("b")[1].text_at("c"), "d");
}

TEST(Topograph, a_model_is_a_tree) {
    const Read model = read(
        "switches:\n  S1:\n    labels:\n      region: west\n    switches:\n    - S2\n    - S3\nblocks:\n"
        "- switch: S2\n  nodes: [\"I[21-22]\", \"I25\"]\n  annotations:\n    domain: nvl2\n"
        "- switch: S3\n  nodes:\n  - \"I[34-36]\"\n");
    EXPECT_EQ(model.format, "topograph");
    EXPECT_EQ(model.graph.terminal_count(), 6);
    EXPECT_EQ(hops(model.graph, "I21", "I36"), 4);
    EXPECT_EQ(read("switches:\n  S1:\n    switches:\n    - S2\n    - S3\nblocks:\n- switch: S2\n  nodes: [a, b]\n")
                  .graph.terminal_count(),
              2);
}

const char* const kFabric =
    "#\n# Topology file: generated on Mon Dec 18 12:34:08 2023\n#\n"
    "vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x1\nswitchguid=0x1(1)\n"
    "Switch\t36 \"S-0000000000000001\"\t\t# \"MF0;leaf1:MQM8700/U1\" enhanced port 0 lid 48 lmc 0\n"
    "[1]\t\"H-00000000000000a1\"[1](a1) \t\t# \"n10 HCA-1\" lid 67 4xHDR\n"
    "[2]\t\"H-00000000000000a2\"[1](a2) \t\t# \"n2 mlx5_0\" lid 68 2xHDR\n"
    "[3]\t\"S-0000000000000002\"[1]\t\t# \"MF0;leaf2:MQM8700/U1\" lid 21 4xHDR\n"
    "[4]\t\"S-0000000000000002\"[2]\t\t# \"MF0;leaf2:MQM8700/U1\" lid 21 4xHDR\n"
    "[41]\t\"H-00000000000000b1\"[1](b1) \t\t# \"Mellanox Technologies Aggregation Node\" lid 7 4xHDR\n"
    "\nswitchguid=0x2(2)\n"
    "Switch\t36 \"S-0000000000000002\"\t\t# \"MF0;leaf2:MQM8700/U1\" enhanced port 0 lid 21 lmc 0\n"
    "[1]\t\"S-0000000000000001\"[3]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 48 4xHDR\n"
    "[2]\t\"S-0000000000000001\"[4]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 48 4xHDR\n"
    "[3]\t\"H-00000000000000a3\"[1](a3) \t\t# \"n2 mlx5_1\" lid 69 4xHDR\n"
    "[4]\t\"H-00000000000000a4\"[1](a4) \t\t# \"MT4123 ConnectX6   Mellanox Technologies\" lid 70 4xEDR\n"
    "\ncaguid=0xa1\n"
    "Ca\t1 \"H-00000000000000a1\"\t\t# \"n10 HCA-1\"\n"
    "[1](a1) \t\"S-0000000000000001\"[1]\t\t# lid 67 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 48 4xHDR\n"
    "\ncaguid=0xa2\nCa\t1 \"H-00000000000000a2\"\t\t# \"n2 mlx5_0\"\n"
    "[1](a2) \t\"S-0000000000000001\"[2]\t\t# lid 68 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 48 2xHDR\n"
    "\ncaguid=0xb1\nCa\t1 \"H-00000000000000b1\"\t\t# \"Mellanox Technologies Aggregation Node\"\n"
    "[1](b1) \t\"S-0000000000000001\"[41]\t\t# lid 7 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 48 4xHDR\n"
    "\ncaguid=0xa3\nCa\t1 \"H-00000000000000a3\"\t\t# \"n2 mlx5_1\"\n"
    "[1](a3) \t\"S-0000000000000002\"[3]\t\t# lid 69 lmc 0 \"MF0;leaf2:MQM8700/U1\" lid 21 4xHDR\n"
    "\ncaguid=0xa4\nCa\t1 \"H-00000000000000a4\"\t\t# \"MT4123 ConnectX6   Mellanox Technologies\"\n"
    "[1](a4) \t\"S-0000000000000002\"[4]\t\t# lid 70 lmc 0 \"MF0;leaf2:MQM8700/U1\" lid 21 4xEDR\n";

TEST(InfiniBand, hosts_join_their_adapters_and_cables_are_counted_once) {
    const Read fabric = read(kFabric);
    const Graph& graph = fabric.graph;
    EXPECT_EQ(fabric.format, "ibnetdiscover");
    ASSERT_EQ(graph.terminal_count(), 3);
    EXPECT_EQ(graph.vertex_name(VertexId(0)), "H-a4");
    EXPECT_EQ(graph.vertex_name(VertexId(1)), "n2");
    EXPECT_EQ(graph.vertex_name(VertexId(2)), "n10");
    EXPECT_EQ(graph.vertex_count(), 5);
    EXPECT_EQ(graph.link_count(), 2 * (4 + 2));
    EXPECT_EQ(bandwidth(graph, "n10", "leaf1 1"), 25'000'000'000);
    EXPECT_EQ(bandwidth(graph, "n2", "leaf1 1"), 12'500'000'000);
    EXPECT_EQ(bandwidth(graph, "H-a4", "leaf2 2"), 12'500'000'000);
    EXPECT_EQ(hops(graph, "n2", "n10"), 2);
    ASSERT_EQ(fabric.notes.size(), 1U);
    EXPECT_TRUE(has_note(fabric, "1 adapter has no host name"));
}

TEST(InfiniBand, faults_name_the_line) {
    const std::string start = "Switch\t36 \"S-01\"\t# \"sw\" base port 0 lid 1\n";
    EXPECT_EQ(refusal(start + "[1]\t\"H-02\"[1](2)\t# \"n1 HCA-1\" lid 2 4xABC\n").substr(0, 34),
              "net:2: unknown link speed '4xABC' ");
    EXPECT_EQ(refusal(start).substr(0, 41), "net: the file has no adapter with a cable");
    EXPECT_EQ(refusal(start + "nonsense\n").substr(0, 45), "net:2: expected a device or a port, found 'no");
    EXPECT_EQ(refusal(start + "[1]\t\"X-02\"[1]\n").substr(0, 23), "net:2: expected a devic");
}

TEST(InfiniBand, an_output_that_was_cut_off_between_switches_is_refused) {
    const std::string whole = kFabric;
    const std::string error = refusal(whole.substr(0, whole.find("\nswitchguid=0x2")));
    EXPECT_EQ(error.substr(0, 70), "net:11: the record of device '2' does not state this cable at its port");
    EXPECT_TRUE(has_note(read(whole.substr(0, whole.find("\ncaguid"))), "net has no records of adapters"));
}

TEST(InfiniBand, subnet_lst_has_a_cable_per_line) {
    const Read fabric = read(
        "{ CA Ports:01 SystemGUID:01 NodeGUID:0a1 PortGUID:0a2 VenID:0 DevID:0 Rev:0 {n1 HCA-1} LID:0001 PN:01 } { SW "
        "Ports:24 SystemGUID:02 NodeGUID:0b1 PortGUID:0b1 VenID:0 DevID:0 Rev:0 {sw1} LID:0002 PN:0D } PHY=4x LOG=ACT "
        "SPD=25\n"
        "{ SW Ports:24 SystemGUID:02 NodeGUID:0b1 PortGUID:0b1 VenID:0 DevID:0 Rev:0 {sw1} LID:0002 PN:0E } { CA "
        "Ports:01 SystemGUID:01 NodeGUID:0a3 PortGUID:0a4 VenID:0 DevID:0 Rev:0 {n2 HCA-1} LID:0003 PN:01 } PHY=4x "
        "LOG=ACT SPD=50\n");
    EXPECT_EQ(fabric.format, "subnet-lst");
    EXPECT_EQ(fabric.graph.terminal_count(), 2);
    EXPECT_EQ(hops(fabric.graph, "n1", "n2"), 2);
    EXPECT_EQ(bandwidth(fabric.graph, "n2", "sw1 b1"), 25'000'000'000);
}

const char* const kHwloc = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0">
  <object type="Package" os_index="0">
   <object type="NUMANode" os_index="0"/>
   <object type="L3Cache"><object type="Core" os_index="0"><object type="PU" os_index="0"/></object>
    <object type="Core" os_index="1"><object type="PU" os_index="1"/></object></object>
   <object type="L3Cache"><object type="Core" os_index="2"><object type="PU" os_index="2"/></object></object>
   <object type="Bridge" bridge_type="0-1"><object type="PCIDev" pci_busid="0000:3b:00.0" pci_type="0302 [10de:1eb8]"
     pci_link_speed="15.753846"><object type="OSDev" name="cuda0" osdev_type="5"/></object></object>
  </object>
  <object type="Package" os_index="1">
   <object type="Core" os_index="0"><object type="PU" os_index="3"/></object>
   <object type="Bridge"><object type="PCIDev" pci_busid="0000:af:00.0" pci_type="0302 [10de:1eb8]"/>
     <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0300 [1a03:2000]"/></object>
  </object>
 </object>
</topology>)";

TEST(Hwloc, cores_are_nodes_and_levels_are_hops) {
    const Read node = read(kHwloc);
    EXPECT_EQ(node.format, "hwloc");
    EXPECT_EQ(node.graph.terminal_count(), 4);
    EXPECT_EQ(hops(node.graph, "core/0", "core/1"), 2);
    EXPECT_EQ(hops(node.graph, "core/0", "core/2"), 3);
    EXPECT_EQ(hops(node.graph, "core/0", "core/3"), 4);
    const Read gpus = read_as("hwloc-gpus", kHwloc);
    EXPECT_EQ(gpus.graph.terminal_count(), 2);
    EXPECT_EQ(hops(gpus.graph, "gpu/cuda0", "gpu/0000:af:00.0"), 2);
}

TEST(ScotchTarget, a_tleaf_has_faster_links_where_costs_are_lower) {
    const Read target = read("tleaf 3 2 500 2 100 2 10\n");
    EXPECT_EQ(target.format, "scotch");
    EXPECT_EQ(target.graph.terminal_count(), 8);
    EXPECT_EQ(hops(target.graph, "0", "1"), 2);
    EXPECT_EQ(hops(target.graph, "0", "7"), 6);
    EXPECT_EQ(bandwidth(target.graph, "level 1 number 0", "root"), 250'000'000);
    EXPECT_EQ(hops(read("torus2D 4 3\n").graph, "0", "3"), 1);
    EXPECT_EQ(hops(read("mesh3D 4 3 2\n").graph, "0", "23"), 6);
    EXPECT_EQ(hops(read("hcub 3\n").graph, "0", "7"), 3);
    EXPECT_EQ(hops(read("cmplt 5\n").graph, "0", "4"), 2);
    EXPECT_EQ(refusal("tleaf 2 2 1 2\n"), "net:1: the cost of a level is missing | ");
    EXPECT_NE(refusal("deco 0\n3 5\n").find("a Scotch target of the kind 'deco'"), std::string::npos);
}

TEST(LibTopoMap, vertices_with_one_neighbour_are_nodes) {
    const Read star = read("num: 4\n0 sw\n1 a\n2 b\n3 c\n0 1 2 3\n1 0\n2 0\n3 0\n");
    EXPECT_EQ(star.format, "libtopomap");
    EXPECT_EQ(star.graph.terminal_count(), 3);
    EXPECT_EQ(hops(star.graph, "a", "c"), 2);
    const Read ring = read("num: 3 w\n1 blub\n0 bla\n2 blib\n1 2(2) 0(1)\n2 0(1) 1(2)\n0 1(1) 2(1)\n");
    EXPECT_EQ(ring.graph.terminal_count(), 3);
    EXPECT_EQ(ring.graph.link_count(), 8);
    EXPECT_EQ(refusal("num: 2\n0 a\n1 b\n0 1\n"), "net:1: expected 4 lines after 'num: 2', found 3 | ");
}

TEST(BookSim, routers_are_switches) {
    const Read net = read("router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3 15 router 0\n");
    EXPECT_EQ(net.format, "anynet");
    EXPECT_EQ(net.graph.terminal_count(), 4);
    EXPECT_EQ(hops(net.graph, "0", "3"), 3);
    EXPECT_EQ(net.graph.link_count(), 2 * (4 + 1));
    EXPECT_TRUE(has_note(net, "cycles"));
}

TEST(NetworkFiles, other_kinds_are_named_with_a_way_to_a_machine) {
    const std::vector<std::pair<std::string, std::string>> texts = {
        {"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'x'>\n<platform version='4.1'/>", "a SimGrid platform"},
        {"Unicast lids [0x0-0x30] of switch Lid 5\n", "opensm's forwarding tables"},
        {"Nodes 16\nTiers 2\nPodsize 16\n", "an htsim topology"},
        {"digraph g { a -> b; }\n", "a Graphviz file"},
        {"{\"directed\": true, \"nodes\": [], \"links\": []}", "networkx's node-link JSON"},
        {"CA    12  1 0x506b4b0300cc02a6 4x EDR - SW 7 35 0x506b ( 'n1' - 'leaf1' )\n", "(ibnetdiscover -p)"},
        {R"({"execution": {"R_lite": [{"rank": "0-3"}], "nodelist": ["n[0-3]"]}})", "a resource set of Flux"},
        {R"(<graphml><key id="rrelation" for="edge" attr.name="rrelation" attr.type="string"/></graphml>)",
         "a resource recipe of flux-sched"},
        {R"({"provider": {"name": "aws"}, "engine": {"name": "slurm"}})", "a request to topograph"},
        {"SlurmctldHost=x\nNodeName=n[1-2]\n", "a slurm.conf"},
        {"<svg/>", "XML of an unknown kind"}};
    for (const auto& [text, noun] : texts) {
        const std::string message = refusal(text);
        EXPECT_NE(message.find(noun), std::string::npos) << message;
        EXPECT_EQ(message.find("JSON: syntax"), std::string::npos) << message;
        EXPECT_FALSE(message.ends_with("| ")) << message;
    }
    EXPECT_EQ(refusal("hello\n"),
              "net:1: neither a machine file (JSON) nor a network file of a known format: 'hello' | hint");
    EXPECT_EQ(refusal(" \n"), "net:1: expected a machine, found an empty file | hint");
}

struct Loaded {
    Machine machine;
    std::vector<std::string> notes;
};

Loaded load(const std::string& name) {
    std::vector<std::string> notes;
    const Reading reading({}, {}, {}, [&notes](const std::string& note) { notes.push_back(note); });
    Machine machine = load_machine(name, reading);
    return {std::move(machine), std::move(notes)};
}

const char* const kTwoLeaves = "SwitchName=s Switches=a,b\nSwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n";

TEST(NetworkMachines, a_file_is_a_machine_by_its_name_alone_or_with_its_format) {
    const testing_files::TemporaryFolder folder;
    const std::string file = folder.written("topology.conf", kTwoLeaves);
    for (const std::string& name : {file, "slurm:" + file, "graph:" + file}) {
        const Loaded loaded = load(name);
        EXPECT_EQ(terminal_count(loaded.machine), 4);
        EXPECT_EQ(loaded.machine.name, name);
        EXPECT_EQ(loaded.machine.link_bandwidth_bytes_per_s, 12'500'000'000);
        EXPECT_EQ(loaded.machine.topology->node_name(VertexId(3)), "(n4)");
        EXPECT_EQ(loaded.notes.size(), 1U) << name;
    }
    const std::string machine = folder.written(
        "m.json", R"({"schema": "haichi-machine/1", "topology": {"kind": "graph", "file": "topology.conf"},
                      "link": {"bandwidth": "25GB/s"}})");
    const Loaded loaded = load(machine);
    EXPECT_EQ(loaded.machine.topology->link_classes()[0].bandwidth_bytes_per_s, 25'000'000'000);
    EXPECT_TRUE(loaded.notes.empty());
}

std::string hint_for(const std::string& name) {
    try {
        (void)load_machine(name);
    } catch (const Error& error) {
        return error.hint();
    }
    return "no error";
}

TEST(NetworkMachines, near_misses_lead_to_a_machine) {
    EXPECT_EQ(hint_for("torus8x8"), "did you mean 'torus:8x8'?");
    EXPECT_EQ(hint_for("fattree4x4"), "did you mean 'fattree:4x4'?");
    EXPECT_EQ(hint_for("dragonfly4,8,4"), "did you mean 'dragonfly:4,8,4'?");
    EXPECT_EQ(hint_for("dragonfly-plus4,4,2,5"), "did you mean 'dragonfly-plus:4,4,2,5'?");
    EXPECT_EQ(hint_for("fx1010x5x8") + hint_for("tours:8x8"), "did you mean 'fx10:10x5x8'?did you mean 'torus'?");
    EXPECT_EQ(hint_for("4:8:2"), "did you mean 'tree:4x8x2'?");
    EXPECT_EQ(hint_for("4").find("did you mean"), std::string::npos);
    EXPECT_EQ(hint_for("slurm:"), "use the form slurm:FILE");
}

TEST(NetworkFiles, names_are_sorted_by_their_numbers) {
    EXPECT_TRUE(is_before_by_number("n2", "n10") && is_before_by_number("r1n10", "r2n9") &&
                is_before_by_number("n", "n1"));
    EXPECT_FALSE(is_before_by_number("n1", "n1"));
    EXPECT_TRUE(is_before_by_number("n01", "n1") != is_before_by_number("n1", "n01"));
}

}  // namespace
}  // namespace haichi
