#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/dragonfly_plus.h"
#include "tests/netmodel/fabrics.h"
#include "tests/netmodel/topology_contract.h"

namespace haichi {
namespace {

using testing_fabrics::route_names;
using Names = std::vector<std::string>;
using Shape = DragonflyPlus::Shape;

const std::vector<Shape> kShapes = {{1, 1, 1, 1}, {1, 3, 4, 1}, {2, 3, 2, 1}, {2, 2, 1, 2}, {3, 4, 2, 4},
                                    {2, 6, 1, 3}, {2, 7, 2, 3}, {2, 2, 2, 6}, {1, 3, 2, 4}, {3, 1, 1, 4}};

std::string text_of(const Shape& s) {
    return testing::PrintToString(std::vector{s.leaves, s.spines, s.hosts, s.groups});
}

// dragonfly-plus:2,2,1,3: terminals 2g and 2g + 1 in group g, one on each leaf
//
//     spines   0.0  0.1      1.0  1.1      2.0  2.1      0.0 - 1.0, 0.1 - 2.0, 1.1 - 2.1
//               | \/ |
//               | /\ |
//     leaves   0.0  0.1      1.0  1.1      2.0  2.1
TEST(DragonflyPlus, routes_go_up_over_the_global_link_and_down) {
    const Network network({dragonfly_plus_topology(DragonflyPlus({2, 2, 1, 3}))}, {});
    EXPECT_EQ(route_names(network, 0, 1), (Names{"up (terminal 0)->(leaf 0.0)", "local (leaf 0.0)->(spine 0.1)",
                                                 "local (spine 0.1)->(leaf 0.1)", "down (leaf 0.1)->(terminal 1)"}));
    EXPECT_EQ(route_names(network, 1, 0), (Names{"up (terminal 1)->(leaf 0.1)", "local (leaf 0.1)->(spine 0.0)",
                                                 "local (spine 0.0)->(leaf 0.0)", "down (leaf 0.0)->(terminal 0)"}));
    EXPECT_EQ(route_names(network, 1, 4),
              (Names{"up (terminal 1)->(leaf 0.1)", "local (leaf 0.1)->(spine 0.1)", "global (spine 0.1)->(spine 2.0)",
                     "local (spine 2.0)->(leaf 2.0)", "down (leaf 2.0)->(terminal 4)"}));
    EXPECT_EQ(network.hops(NodeId(1), NodeId(4)), 5);
    EXPECT_EQ(VirtualChannels(network).needed(), 1);
    EXPECT_EQ(network.nearest_distance_bound(9), (std::vector<std::int32_t>{4, 5, 5, 5, 5}));
}

TEST(DragonflyPlus, every_shape_keeps_the_contract) {
    for (const Shape& shape : kShapes) {
        SCOPED_TRACE(text_of(shape));
        const Fabric fabric{dragonfly_plus_topology(DragonflyPlus(shape))};
        const NetworkOptions options{.link_bandwidth_bytes_per_s = 100};
        topology_contract::expect_contract(Network(fabric, options));
        topology_contract::expect_contract_of_parts(fabric, options);
    }
}

TEST(DragonflyPlus, every_two_groups_are_joined_and_spines_have_equally_many_ports) {
    for (const Shape& shape : kShapes) {
        SCOPED_TRACE(text_of(shape));
        const DragonflyPlus dragonfly(shape);
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> between;
        std::vector<std::int32_t> ports(static_cast<std::size_t>(shape.spines * shape.groups), 0);
        for (std::int32_t l = 0; l < dragonfly.link_count(); ++l) {
            const DragonflyPlus::LinkEnds ends = dragonfly.link_ends(LinkId(l));
            if (ends.kind != DragonflyPlus::LinkKind::kGlobal) continue;
            const std::int32_t from = ends.from.value - dragonfly.first_spine();
            const std::int32_t to = ends.to.value - dragonfly.first_spine();
            ++between[{from / shape.spines, to / shape.spines}];
            ++ports[static_cast<std::size_t>(from)];
        }
        EXPECT_EQ(between.size(), static_cast<std::size_t>(shape.groups * (shape.groups - 1)));
        for (const auto& [groups, links] : between) {
            EXPECT_NE(groups.first, groups.second);
            EXPECT_EQ(links, dragonfly.links_between_groups());
        }
        const auto [least, most] = std::ranges::minmax(ports);
        EXPECT_LE(most - least, 1);
    }
}

TEST(DragonflyPlus, destinations_are_spread_evenly_over_spines_and_parallel_links) {
    const Network network({dragonfly_plus_topology(DragonflyPlus({4, 6, 3, 3}))}, {});  // 3 links between two groups
    std::map<std::string, int> within;
    std::map<std::string, int> across;
    for (std::int32_t d = 3; d < 12; ++d) ++within[route_names(network, 0, d)[1]];
    for (std::int32_t d = 12; d < 24; ++d) ++across[route_names(network, 0, d)[2]];
    EXPECT_EQ(within.size(), 6U);
    for (const auto& [link, routes] : within) EXPECT_LE(routes, 2) << link;
    EXPECT_EQ(across.size(), 3U);
    for (const auto& [link, routes] : across) EXPECT_EQ(routes, 4) << link;
}

TEST(DragonflyPlus, links_have_the_bandwidth_of_their_class) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "dragonfly-plus", "leaves": 2, "spines": 2, "hosts": 1,
            "groups": 3, "bandwidth": ["1GB/s", "2GB/s", "3GB/s"]}, "link": {"bandwidth": "9GB/s"}})",
        "m.json");
    const Network network({machine.topology}, {.link_bandwidth_bytes_per_s = machine.link_bandwidth_bytes_per_s});
    std::vector<std::int64_t> bandwidths;
    for (const LinkId link : topology_contract::route(network, NodeId(1), NodeId(4))) {
        bandwidths.push_back(network.bandwidth_bytes_per_s(link) / 1'000'000'000);
    }
    EXPECT_EQ(bandwidths, (std::vector<std::int64_t>{1, 2, 3, 2, 1}));
}

TEST(DragonflyPlus, presets_and_what_is_refused) {
    const Machine machine = load_machine("dragonfly-plus:4,5,2,3");
    EXPECT_EQ(*topology_value<DragonflyPlus>(*machine.topology), DragonflyPlus({4, 5, 2, 3}));
    EXPECT_EQ(terminal_count(machine), 24);
    EXPECT_EQ(machine.routing, "minimal");
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, load_machine("fattree:3x4").link_bandwidth_bytes_per_s);
    EXPECT_THROW(DragonflyPlus({0, 1, 1, 1}), OptionError);
    EXPECT_THROW(DragonflyPlus({1, 1, 1, 0}), OptionError);
    EXPECT_THROW(DragonflyPlus({4096, 1, 4096, 1}), OptionError);
    EXPECT_THROW(DragonflyPlus({1 << 20, 1 << 20, 1, 1}),
                 OptionError);  // too many links
    for (const char* name : {"dragonfly-plus", "dragonfly-plus:2,2,1", "dragonfly-plus:2,2,1,x"}) {
        EXPECT_THROW((void)load_machine(name), OptionError) << name;
    }
}

}  // namespace
}  // namespace haichi
