#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/route_table.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using Names = std::vector<std::string>;

using namespace testing_fabrics;

Network ordered_grid_network(std::vector<Axis> axes, const std::string& routing, NetworkOptions options = {},
                             std::vector<VertexId> nodes = {}) {
    Grid grid(std::move(axes));
    DimensionOrder order = parse_dimension_order(routing, grid);
    return Network(grid_fabric(std::move(grid), order), std::move(options), std::move(nodes));
}

// A ring of 4: every node has one destination at the same distance in both directions.
//
//     0 --> 1 --> 2 --> 3 --> (0)
TEST(TorusRouting, half_ring_tie_goes_up_from_every_source) {
    const Network network = ordered_grid_network({{"X", 4, true}}, "dor:X");
    for (std::int32_t s = 0; s < 4; ++s) {
        const std::vector<std::string> names = route_names(network, s, (s + 2) % 4);
        ASSERT_EQ(names.size(), 2U);
        for (const std::string& name : names) EXPECT_TRUE(name.starts_with("X+ ")) << name;
    }
}

TEST(TorusRouting, half_ring_tie_goes_down_when_asked) {
    const Network network = ordered_grid_network({{"X", 4, true}}, "dor:X,tie=-");
    for (std::int32_t s = 0; s < 4; ++s) {
        for (const std::string& name : route_names(network, s, (s + 2) % 4)) {
            EXPECT_TRUE(name.starts_with("X- ")) << name;
        }
    }
}

TEST(TorusRouting, axes_are_travelled_in_the_order_given) {
    //  (0,0) (0,1) (0,2)
    //  (1,0) (1,1) (1,2)   Y first, then X
    const Network network = ordered_grid_network({{"X", 2, false}, {"Y", 3, false}}, "dor:YX");
    EXPECT_EQ(route_names(network, 0, 5),
              (std::vector<std::string>{"Y+ (0,0)->(0,1)", "Y+ (0,1)->(0,2)", "X+ (0,2)->(1,2)"}));
}

TEST(TorusRouting, repeated_axis_passes_through_its_column) {
    //  (0,0) (0,1) (0,2)    from (0,0) to (2,0) by column 1 of Y
    //  (1,0) (1,1) (1,2)    around a faulty (1,0)
    //  (2,0) (2,1) (2,2)
    const Network network = ordered_grid_network({{"X", 3, false}, {"Y", 3, false}}, "dor:YXY,column=1");
    EXPECT_EQ(route_names(network, 0, 6),
              (std::vector<std::string>{"Y+ (0,0)->(0,1)", "X+ (0,1)->(1,1)", "X+ (1,1)->(2,1)", "Y- (2,1)->(2,0)"}));
    EXPECT_EQ(network.hops(NodeId(0), NodeId(6)), 4);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(0)), 0);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(2)), 2);
    EXPECT_FALSE(network.routes_are_shortest());
    EXPECT_EQ(network.routing_name(), "dor:YXY,tie=+,column=1");
}

TEST(Network, injection_and_ejection_channels_follow_the_fabric_links) {
    const Network network = ordered_grid_network({{"X", 3, true}}, "dor:X", {.count_nic = true});
    EXPECT_EQ(network.link_count(), 6 + 3 + 3);
    std::vector<LinkId> links;
    network.append_route(NodeId(2), NodeId(0), links);
    EXPECT_EQ(links, (std::vector<LinkId>{LinkId(6 + 2), LinkId(2 * 2), LinkId(6 + 3 + 0)}));
    EXPECT_EQ(network.hops(NodeId(2), NodeId(0)), 3);
    EXPECT_EQ(network.link_name(LinkId(8)), "injection (2)");
    EXPECT_EQ(network.link_name(LinkId(9)), "ejection (0)");
    EXPECT_EQ(network.largest_out_degree(), 1);
    links.clear();
    network.append_route(NodeId(1), NodeId(1), links);
    EXPECT_TRUE(links.empty());
}

TEST(Network, counts_only_links_that_exist) {
    // 3 x 2 mesh: 4 vertical and 3 horizontal edges, two links each
    const Network network = ordered_grid_network({{"X", 3, false}, {"Y", 2, false}}, "dor:XY");
    EXPECT_EQ(network.link_count(), 18);
    EXPECT_EQ(network.existing_link_count(), 14);
    std::int64_t existing = 0;
    for (std::int32_t link = -1; link <= network.link_count(); ++link) existing += network.link_exists(LinkId(link));
    EXPECT_EQ(existing, 14);
    EXPECT_EQ(network.largest_out_degree(), 3);
}

TEST(Network, node_list_uses_links_of_nodes_that_are_not_its_own) {
    // a ring of 6 whose nodes 4 and 0 belong to the job; the route crosses node 5
    const Network network = ordered_grid_network({{"X", 6, true}}, "dor:X", {}, {VertexId(4), VertexId(0)});
    EXPECT_EQ(network.node_count(), 2);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(1)), 2);
    EXPECT_EQ(route_names(network, 0, 1), (std::vector<std::string>{"X+ (4)->(5)", "X+ (5)->(0)"}));
    EXPECT_EQ(network.node_at(VertexId(4)), NodeId(0));
    EXPECT_EQ(network.node_at(VertexId(0)), NodeId(1));
    EXPECT_FALSE(network.node_at(VertexId(5)).valid());
    EXPECT_TRUE(network.near_nodes(NodeId(0)).empty());
    EXPECT_EQ(network.nearest_distance_bound(10), std::vector<std::int32_t>{2});
}

TEST(Network, refuses_nodes_that_are_listed_twice_or_do_not_exist) {
    const std::vector<Axis> ring = {{"X", 6, true}};
    EXPECT_THROW(ordered_grid_network(ring, "dor:X", {}, {VertexId(4), VertexId(4)}), OptionError);
    EXPECT_THROW(ordered_grid_network(ring, "dor:X", {}, {VertexId(6)}), OptionError);
    EXPECT_THROW(ordered_grid_network(ring, "dor:X", {}, {VertexId(-1)}), OptionError);
}

TEST(Network, refuses_a_routing_that_does_not_arrive) {
    const Grid grid({{"X", 3, true}, {"Y", 3, true}});
    EXPECT_THROW(Network({grid_topology(grid), "dor:X"}, {}), OptionError);
    EXPECT_THROW(Network({grid_topology(grid), "dor:XYYY"}, {}), OptionError);
    EXPECT_THROW(Network({grid_topology(grid), "minimal"}, {}), OptionError);
}

TEST(Network, tree_links_have_the_bandwidth_of_their_level) {
    const FatTree tree({3, 2}, {1, 1});
    const Network network(fat_tree_fabric(tree, FatTreeRouting::kSourceModK, {5}), {.link_bandwidth_bytes_per_s = 7});
    EXPECT_EQ(network.bandwidth_bytes_per_s(tree.up_link(0, 3, 0)), 5);
    EXPECT_EQ(network.bandwidth_bytes_per_s(tree.down_link(1, 1, 0)), 7);
    EXPECT_EQ(network.largest_bandwidth_bytes_per_s(), 7);
    EXPECT_FALSE(network.bandwidth_is_uniform());
    EXPECT_EQ(network.link_name(tree.up_link(1, 1, 0)), "up (switch 1.1)->(switch 2.0)");
    EXPECT_EQ(network.link_name(tree.down_link(0, 4, 0)), "down (switch 1.1)->(terminal 4)");
    EXPECT_THROW((void)fat_tree_topology(tree, std::vector<std::int64_t>{1, 2, 3}), OptionError);
}

TEST(Network, nic_bandwidth_counts_only_when_its_channels_do) {
    const std::vector<Axis> ring = {{"X", 4, true}};
    NetworkOptions options{.link_bandwidth_bytes_per_s = 4, .nic_bandwidth_bytes_per_s = 9};
    EXPECT_TRUE(ordered_grid_network(ring, "dor:X", options).bandwidth_is_uniform());
    EXPECT_EQ(ordered_grid_network(ring, "dor:X", options).largest_bandwidth_bytes_per_s(), 4);
    options.count_nic = true;
    const Network network = ordered_grid_network(ring, "dor:X", options);
    EXPECT_FALSE(network.bandwidth_is_uniform());
    EXPECT_EQ(network.bandwidth_bytes_per_s(network.ejection_link(NodeId(3))), 9);
    EXPECT_EQ(network.bandwidth_bytes_per_s(LinkId(0)), 4);
}

// p = 1, a = 2, h = 1, as drawn in topology.cc: 0-(0.0)-(0.1)-1, 2-(1.0)-(1.1)-3, 4-(2.0)-(2.1)-5, with the
// global links (0.0)-(1.0), (0.1)-(2.0), (1.1)-(2.1).
TEST(Network, dragonfly_routes_go_over_the_one_link_between_two_groups) {
    const Network network(dragonfly_fabric(Dragonfly(1, 2, 1)), {});
    const auto names = [&](std::int32_t s, std::int32_t d) {
        std::vector<LinkId> links;
        network.append_route(NodeId(s), NodeId(d), links);
        std::vector<std::string> text;
        for (const LinkId link : links) text.push_back(network.link_name(link));
        return text;
    };
    EXPECT_EQ(names(0, 1), (Names{"up (terminal 0)->(router 0.0)", "local (router 0.0)->(router 0.1)",
                                  "down (router 0.1)->(terminal 1)"}));
    EXPECT_EQ(names(0, 2), (Names{"up (terminal 0)->(router 0.0)", "global (router 0.0)->(router 1.0)",
                                  "down (router 1.0)->(terminal 2)"}));
    EXPECT_EQ(names(1, 3), (Names{"up (terminal 1)->(router 0.1)", "local (router 0.1)->(router 0.0)",
                                  "global (router 0.0)->(router 1.0)", "local (router 1.0)->(router 1.1)",
                                  "down (router 1.1)->(terminal 3)"}));
    EXPECT_EQ(network.hops(NodeId(1), NodeId(3)), 5);
    EXPECT_EQ(network.longest_route(), 5);
    EXPECT_TRUE(network.hops_are_symmetric());
    EXPECT_FALSE(network.routes_are_shortest());
    EXPECT_EQ(network.routing_name(), "minimal");
    EXPECT_EQ(network.node_name(NodeId(3)), "3");
    // The nearest nodes are in the same group and, over one global link, in another group; the others are one or two
    // hops farther.
    EXPECT_EQ(network.nearest_distance_bound(9), (std::vector<std::int32_t>{3, 3, 4, 4, 5}));
    EXPECT_THROW((void)dragonfly_fabric(Dragonfly(1, 2, 1), {1, 2, 3, 4}), OptionError);
}

TEST(Network, dragonfly_links_have_the_bandwidth_of_their_kind) {
    const Dragonfly dragonfly(1, 2, 1);
    const Network network(dragonfly_fabric(dragonfly, {5, 7}), {.link_bandwidth_bytes_per_s = 10});
    EXPECT_EQ(network.bandwidth_bytes_per_s(dragonfly.up_link(VertexId(3))), 5);
    EXPECT_EQ(network.bandwidth_bytes_per_s(dragonfly.down_link(VertexId(3))), 5);
    EXPECT_EQ(network.bandwidth_bytes_per_s(dragonfly.local_link(1, 0)), 7);
    EXPECT_EQ(network.bandwidth_bytes_per_s(dragonfly.global_link(2, 1)), 10);
    EXPECT_FALSE(network.bandwidth_is_uniform());
    EXPECT_EQ(network.largest_bandwidth_bytes_per_s(), 10);
}

TEST(Network, near_nodes_of_a_tree_share_its_lowest_switch) {
    const Network network(fat_tree_fabric(FatTree({3, 2}, {1, 1})), {});
    const auto near = network.near_nodes(NodeId(4));
    EXPECT_EQ(std::vector<NodeId>(near.begin(), near.end()), (std::vector<NodeId>{NodeId(5), NodeId(3)}));
}

TEST(Network, near_nodes_of_a_wide_switch_are_the_next_sixty_four) {
    const Network network(fat_tree_fabric(FatTree({100}, {1})), {});
    const auto near = network.near_nodes(NodeId(90));
    ASSERT_EQ(near.size(), 64U);
    EXPECT_EQ(near.front(), NodeId(91));
    EXPECT_EQ(near.back(), NodeId(54));
}

TEST(Network, nearest_distances_are_those_of_the_centre) {
    // a line of 5: distances from the middle are 1 1 2 2
    EXPECT_EQ(ordered_grid_network({{"X", 5, false}}, "dor:X").nearest_distance_bound(100),
              (std::vector<std::int32_t>{1, 1, 2, 2}));
    EXPECT_EQ(ordered_grid_network({{"X", 5, false}}, "dor:X", {.count_nic = true}).nearest_distance_bound(3),
              (std::vector<std::int32_t>{3, 3, 4}));
    EXPECT_EQ(Network(fat_tree_fabric(FatTree({3, 2}, {1, 1})), {}).nearest_distance_bound(9),
              (std::vector<std::int32_t>{2, 2, 4, 4, 4}));
    EXPECT_TRUE(ordered_grid_network({{"X", 1, false}}, "dor:X").nearest_distance_bound(3).empty());
}

TEST(Network, single_node_job_has_no_links) {
    const Network network = ordered_grid_network({{"X", 1, true}}, "dor:X");
    EXPECT_EQ(network.link_count(), 0);
    EXPECT_EQ(network.existing_link_count(), 0);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(0)), 0);
    EXPECT_TRUE(network.near_nodes(NodeId(0)).empty());
    EXPECT_EQ(HopDistance(network)(NodeId(0), NodeId(0)), 0);
}

TEST(HopDistance, chooses_its_path_by_the_size_of_the_job) {
    const auto path = [](std::vector<Axis> axes) {
        Grid grid(std::move(axes));
        DimensionOrder order = default_dimension_order(grid);
        const Network network(grid_fabric(std::move(grid), order), {});
        return HopDistance(network).path();
    };
    EXPECT_EQ(path({{"X", 32, true}, {"Y", 32, true}}), HopDistance::Path::kTable8);
    EXPECT_EQ(path({{"X", 700, false}}), HopDistance::Path::kTable16);
    EXPECT_EQ(path({{"X", 800, false}}), HopDistance::Path::kPacked4);
    EXPECT_EQ(path({{"X", 16, true}, {"Y", 16, true}, {"Z", 16, true}}), HopDistance::Path::kPacked4);
    EXPECT_EQ(path({{"a", 5, true}, {"b", 5, true}, {"c", 5, true}, {"d", 5, true}, {"e", 5, true}}),
              HopDistance::Path::kPacked8);
    EXPECT_EQ(path({{"X", 20000, false}}), HopDistance::Path::kNetwork);
}

TEST(HopDistance, long_axes_give_the_numbers_of_the_network) {
    for (const std::vector<Axis>& axes : {std::vector<Axis>{{"X", 32767, true}},
                                          {{"X", 16383, false}},
                                          {{"X", 32768, true}},
                                          {{"X", 16384, false}},
                                          {{"X", 8191, false}, {"Y", 2, false}, {"Z", 3, true}}}) {
        Grid grid(axes);
        DimensionOrder order = default_dimension_order(grid);
        const Network network(grid_fabric(std::move(grid), order), {});
        const HopDistance distance(network);
        for (std::int32_t i = 0; i < 1000; ++i) {
            const NodeId a(static_cast<std::int32_t>(std::int64_t{i} * 7919 % network.node_count()));
            const NodeId b(network.node_count() - 1 - i);
            ASSERT_EQ(distance(a, b), network.hops(a, b));
            ASSERT_EQ(distance(NodeId(0), b), network.hops(NodeId(0), b));
        }
    }
}

TEST(RouteTable, keeps_routes_only_within_its_budget) {
    const Network network = ordered_grid_network({{"X", 4, true}, {"Y", 4, true}}, "dor:XY");
    EXPECT_TRUE(RouteTable(network).is_stored());
    // 16 * 16 pairs and the end marker, 2 hops on average
    const std::size_t bytes = (256 + 1 + 256 * 2) * 4;
    EXPECT_TRUE(RouteTable(network, bytes).is_stored());
    EXPECT_FALSE(RouteTable(network, bytes - 1).is_stored());
}

}  // namespace
}  // namespace haichi
