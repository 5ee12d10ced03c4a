#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/hyperx.h"
#include "tests/netmodel/fabrics.h"
#include "tests/netmodel/topology_contract.h"

namespace haichi {
namespace {

using testing_fabrics::route_names;
using Names = std::vector<std::string>;

// hyperx:3x2,2: terminals 2r and 2r + 1 on router r
//
//     0.0 ---- 0.1        r = 0  1     along axis 0 all three routers of a column
//     1.0 ---- 1.1            2  3     are joined: 0.0, 1.0, 2.0
//     2.0 ---- 2.1            4  5
TEST(HyperX, routes_take_one_hop_along_every_axis_that_differs) {
    const Network network({hyperx_topology(HyperX({3, 2}, 2))}, {});
    EXPECT_EQ(route_names(network, 0, 1), (Names{"up (terminal 0)->(router 0.0)", "down (router 0.0)->(terminal 1)"}));
    EXPECT_EQ(route_names(network, 0, 11),
              (Names{"up (terminal 0)->(router 0.0)", "axis0 (router 0.0)->(router 2.0)",
                     "axis1 (router 2.0)->(router 2.1)", "down (router 2.1)->(terminal 11)"}));
    EXPECT_EQ(route_names(network, 11, 0),
              (Names{"up (terminal 11)->(router 2.1)", "axis0 (router 2.1)->(router 0.1)",
                     "axis1 (router 0.1)->(router 0.0)", "down (router 0.0)->(terminal 0)"}));
    EXPECT_EQ(network.longest_route(), 4);
    EXPECT_EQ(network.existing_link_count(), 2 * 12 + 6 * (2 + 1));
    EXPECT_EQ(VirtualChannels(network).needed(), 1);
    // the router itself at 2 hops, 2 + 1 routers at 3 hops, 2 at 4 hops, two terminals each
    EXPECT_EQ(network.nearest_distance_bound(20), (std::vector<std::int32_t>{2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4}));
}

TEST(HyperX, near_nodes_are_on_the_same_router_or_one_hop_away) {
    const auto near = [](const Network& network, std::int32_t node) {
        std::vector<std::int32_t> numbers;
        for (const NodeId other : network.near_nodes(NodeId(node))) numbers.push_back(other.value);
        return numbers;
    };
    const Network pairs({hyperx_topology(HyperX({3, 2}, 2))}, {});
    EXPECT_EQ(near(pairs, 4), (std::vector<std::int32_t>{5}));
    const Network single({hyperx_topology(HyperX({3, 2}, 1))}, {});
    EXPECT_EQ(near(single, 2), (std::vector<std::int32_t>{3, 4, 0}));
    const Network with_fault({hyperx_topology(HyperX({3, 2}, 1))}, {.faulty = {VertexId(3)}});
    EXPECT_EQ(near(with_fault, 2), (std::vector<std::int32_t>{4, 0}));
}

TEST(HyperX, near_nodes_of_a_large_router_are_those_that_follow_cyclically) {
    constexpr std::int32_t kNodes = 100;
    const Network network({hyperx_topology(HyperX({1}, kNodes))}, {.faulty = {VertexId(3), VertexId(90)}});
    for (std::int32_t node = 0; node < kNodes; ++node) {
        std::vector<NodeId> expected;
        for (std::int32_t k = 1; expected.size() < NearNodes::kMost; ++k) {
            const NodeId next((node + k) % kNodes);
            if (network.is_usable(next)) expected.push_back(next);
        }
        EXPECT_TRUE(std::ranges::equal(network.near_nodes(NodeId(node)), expected)) << node;
    }
}

TEST(HyperX, every_shape_keeps_the_contract) {
    const std::vector<std::pair<std::vector<std::int32_t>, std::int32_t>> shapes = {
        {{1}, 1}, {{1}, 4}, {{5}, 1}, {{3, 4}, 1}, {{2, 2, 2}, 3}, {{3, 1, 4}, 2}, {{1, 3, 1}, 2}, {{4, 4}, 2}};
    for (const auto& [sizes, terminals] : shapes) {
        SCOPED_TRACE(testing::PrintToString(sizes) + "," + std::to_string(terminals));
        const Fabric fabric{hyperx_topology(HyperX(sizes, terminals))};
        const NetworkOptions options{.link_bandwidth_bytes_per_s = 100};
        topology_contract::expect_contract(Network(fabric, options));
        topology_contract::expect_contract_of_parts(fabric, options);
    }
}

TEST(HyperX, links_have_the_bandwidth_of_their_axis) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "hyperx", "sizes": [3, 2], "terminals": 2,
            "bandwidth": ["1GB/s", "2GB/s", "3GB/s"]}, "link": {"bandwidth": "9GB/s"}})",
        "m.json");
    const Network network({machine.topology}, {.link_bandwidth_bytes_per_s = machine.link_bandwidth_bytes_per_s});
    std::vector<std::int64_t> bandwidths;
    for (const LinkId link : topology_contract::route(network, NodeId(0), NodeId(11))) {
        bandwidths.push_back(network.bandwidth_bytes_per_s(link) / 1'000'000'000);
    }
    EXPECT_EQ(bandwidths, (std::vector<std::int64_t>{1, 2, 3, 1}));
}

TEST(HyperX, presets_have_one_terminal_per_router_unless_stated) {
    EXPECT_EQ(*topology_value<HyperX>(*load_machine("hyperx:4x3").topology), HyperX({4, 3}, 1));
    EXPECT_EQ(*topology_value<HyperX>(*load_machine("hyperx:4x3,5").topology), HyperX({4, 3}, 5));
    const Machine machine = load_machine("hyperx:4x3,5");
    EXPECT_EQ(terminal_count(machine), 60);
    EXPECT_EQ(machine.routing, "dimension-order");
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, load_machine("dragonfly:2,4,2").link_bandwidth_bytes_per_s);
}

TEST(HyperX, refuses_what_is_none) {
    EXPECT_THROW(HyperX({}, 1), OptionError);
    EXPECT_THROW(HyperX({4, 0}, 1), OptionError);
    EXPECT_THROW(HyperX({4}, 0), OptionError);
    EXPECT_THROW(HyperX({4096, 4096}, 1), OptionError);
    EXPECT_THROW(HyperX({1 << 22}, 1), OptionError);  // too many links
    for (const char* name : {"hyperx", "hyperx:", "hyperx:4x", "hyperx:4x4,", "hyperx:4x4,0", "hyperx:4x4,1,2"}) {
        EXPECT_THROW((void)load_machine(name), OptionError) << name;
    }
}

}  // namespace
}  // namespace haichi
