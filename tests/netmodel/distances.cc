#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/hop_distance.h"

namespace haichi {
namespace {

Network network_of(const Machine& machine, const AllocationRequest& request = {}) {
    return allocate(machine, request).network;
}
Network network_of(const std::string& machine) { return network_of(load_machine(machine)); }

/// Every path of HopDistance gives the network's distances, which `network.diameter()` limits.
void expect_consistent(const Network& network) {
    const HopDistance by_table(network);
    const HopDistance by_shape(network, {.table_budget_bytes = 0, .walked_table_budget_bytes = 0});
    const HopDistance by_network(network,
                                 {.table_budget_bytes = 0, .walked_table_budget_bytes = 0, .pack_coordinates = false});
    for (std::int32_t a = 0; a < network.node_count(); ++a) {
        for (std::int32_t b = 0; b < network.node_count(); ++b) {
            const std::int32_t distance = network.hops(NodeId(a), NodeId(b));
            ASSERT_EQ(by_table(NodeId(a), NodeId(b)), distance) << a << " " << b;
            ASSERT_EQ(by_shape(NodeId(a), NodeId(b)), distance) << a << " " << b;
            ASSERT_EQ(by_network(NodeId(a), NodeId(b)), distance) << a << " " << b;
            ASSERT_LE(distance, network.diameter());
            std::vector<LinkId> links;
            network.append_route(NodeId(a), NodeId(b), links);
            ASSERT_EQ(network.route_length(NodeId(a), NodeId(b)), static_cast<std::int32_t>(links.size()));
            ASSERT_LE(distance, network.most_hops_of_link() * static_cast<std::int32_t>(links.size()));
        }
    }
}

std::string refusal(const std::string& machine) {
    try {
        (void)load_machine(machine);
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
}

TEST(Distances, a_tree_has_one_for_each_level) {
    const Network network = network_of("tree:4x8x6,distance=1:10:100");
    EXPECT_EQ(network.node_count(), 192);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(3)), 1);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(4)), 10);
    EXPECT_EQ(network.hops(NodeId(191), NodeId(0)), 100);
    expect_consistent(network);
    EXPECT_EQ(network.nearest_distance_bound(36).front(), 1);
    EXPECT_EQ(network.nearest_distance_bound(36)[3], 10);
    EXPECT_EQ(network.nearest_distance_bound(36).back(), 100);
    expect_consistent(network_of("tree:2x3x2,distance=1:300:30000"));
}

TEST(Distances, a_grid_has_one_for_each_axis) {
    const Network torus = network_of("torus:5x4,distance=3:7");
    EXPECT_EQ(torus.hops(NodeId(0), NodeId(1)), 7);
    EXPECT_EQ(torus.hops(NodeId(0), NodeId(4 * 4 + 3)), 3 + 7);
    expect_consistent(torus);
    expect_consistent(network_of("mesh:3x2x4,distance=200:1:50"));
    EXPECT_EQ(torus.nearest_distance_bound(4), (std::vector<std::int32_t>{3, 3, 6, 6}));
    EXPECT_FALSE(torus.hops_are_links());
}

TEST(Distances, of_a_job_around_faulty_nodes_are_summed_along_the_route) {
    AllocationRequest request;
    request.shape = {2, 2, 2, 2, 3, 2};
    Machine machine = load_machine("fx10-kyushu,distance=10:10:10:1:1:1");
    machine.faulty = {coordinates(machine)->vertex({0, 0, 0, 1, 0, 0})};
    const Network network = network_of(machine, request);
    std::vector<LinkId> links;
    for (std::int32_t n = 1; n < network.node_count(); ++n) {
        if (!network.is_usable(NodeId(n))) continue;
        links.clear();
        network.append_route(NodeId(0), NodeId(n), links);
        std::int32_t sum = 0;
        for (const LinkId link : links) sum += network.coordinates()->link_ends(link).axis < 3 ? 10 : 1;
        ASSERT_EQ(network.hops(NodeId(0), NodeId(n)), sum) << n;
    }
}

TEST(Distances, others_have_one_for_each_class_of_links) {
    const Network network = network_of("dragonfly:2,3,1,distance=1:5:50");
    EXPECT_EQ(network.hops(NodeId(0), NodeId(1)), 2);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(2)), 1 + 5 + 1);
    expect_consistent(network);
}

TEST(Distances, follow_from_latency_or_bandwidth) {
    const auto machine = [](const std::string& distances) {
        return parse_machine(R"({"schema": "haichi-machine/1", "link": {"bandwidth": "4GB/s", "cable_latency": "100ns",
            "host_cable_latency": "50ns"}, "topology": {"kind": "tree", "children": [2, 2], "bandwidth": ["4GB/s",
            "1GB/s"]}, "distances": )" +
                                 distances + "}",
                             "m.json");
    };
    EXPECT_EQ(machine("\"latency\"").distances, (std::vector<std::int32_t>{1, 3}));
    EXPECT_EQ(machine("\"bandwidth\"").distances, (std::vector<std::int32_t>{1, 5}));
    EXPECT_EQ(machine("[1, 7]").distances, (std::vector<std::int32_t>{1, 7}));
    try {
        (void)machine("[7, 1]");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).substr(0, 8), "m.json:3") << error.what();
    }
    EXPECT_NE(refusal("switch:4,distance=latency"), "");
    EXPECT_EQ(refusal("torus:4x4,distance=bandwidth"),
              "distances by bandwidth do not suit machine torus:4x4,distance=bandwidth, because all of its links are "
              "equal | state the distance of a step along each axis: 1:10");
}

TEST(Distances, of_any_size_have_bounds_at_once) {
    // Tables by distance would have 10^9 entries.
    const auto bound_of = [](const std::string& name) { return network_of(name).nearest_distance_bound(4); };
    EXPECT_EQ(bound_of("torus:60000x4,distance=32768:32768"), std::vector<std::int32_t>(4, 32768));
    EXPECT_EQ(bound_of("mesh:2000,distance=32768"), (std::vector<std::int32_t>{32768, 32768, 65536, 65536}));
    EXPECT_EQ(bound_of("mesh:40x40,distance=30000:20000"), (std::vector<std::int32_t>{20000, 20000, 30000, 30000}));
}

TEST(Distances, must_fit_the_machine) {
    EXPECT_EQ(refusal("tree:4x8x6,distance=1:10"),
              "machine tree:4x8x6,distance=1:10 has 3 levels, but 2 distances are stated | state a distance for each: "
              "1:10:20");
    EXPECT_EQ(refusal("torus:4x4,distance=1"),
              "machine torus:4x4,distance=1 has 2 axes (X, Y), but 1 distance is stated | state a distance for each: "
              "1:10");
    EXPECT_NE(refusal("dragonfly:2,3,1,distance=1").find("(host links, local links, global links)"), std::string::npos);
    EXPECT_NE(refusal("tree:4x8,distance=10:1").find("lowest level first"), std::string::npos);
    EXPECT_NE(refusal("tree:4x8,distance=0:1").find("outside 1..32768"), std::string::npos);
    EXPECT_NE(refusal("tree:4x8,distance=near").find("numbers (1:10), latency or bandwidth"), std::string::npos);
    EXPECT_NE(refusal("tree:4x8,distance=").find("numbers (1:10)"), std::string::npos);
    EXPECT_NE(refusal("tree:4x8,distance=1:x").find("joined by ':'"), std::string::npos);
}

TEST(Distances, survive_a_machine_file) {
    const std::string name = "tree:2x3,distance=1:4";
    const Machine read = parse_machine(preset_text(name), "tree.json");
    EXPECT_EQ(read.name, name);
    EXPECT_EQ(read.distances, (std::vector<std::int32_t>{1, 4}));
    EXPECT_EQ(parse_machine(preset_text("k,distance=2:2:2:1:1:1"), "k.json").distances.size(), 6U);
}

}  // namespace
}  // namespace haichi
