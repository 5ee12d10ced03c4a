#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/routing/grid_steps.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;

std::vector<ChannelHop> route(const Network& network, std::int32_t s, std::int32_t d) {
    std::vector<ChannelHop> hops;
    VirtualChannels(network).append_route(network, NodeId(s), NodeId(d), hops);
    return hops;
}

std::vector<int> vcs(const Network& network, std::int32_t s, std::int32_t d) {
    std::vector<int> numbers;
    for (const ChannelHop& hop : route(network, s, d)) numbers.push_back(hop.vc);
    return numbers;
}

TEST(FindCycle, gives_the_vertices_of_a_cycle_in_order) {
    //  0 -> 1 -> 2 -> 3 -> 1, 0 -> 3
    EXPECT_EQ(find_cycle({{1, 3}, {2}, {3}, {1}}), (std::vector<std::int32_t>{1, 2, 3}));
    EXPECT_EQ(find_cycle({{0}}), std::vector<std::int32_t>{0});
    EXPECT_TRUE(find_cycle({{1, 2}, {2}, {}}).empty());
}

TEST(VirtualChannels, hops_before_and_over_the_dateline_of_a_ring_take_vc_1) {
    // The ring 0 1 2 3 4 5 6 7: the dateline is between 7 and 0.
    const Network ring = grid_network({-8});
    EXPECT_EQ(vcs(ring, 1, 4), (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(vcs(ring, 6, 1), (std::vector<int>{1, 1, 0}));
    EXPECT_EQ(vcs(ring, 1, 6), (std::vector<int>{1, 1, 0}));
    EXPECT_EQ(vcs(ring, 6, 0), (std::vector<int>{1, 1}));
    EXPECT_EQ(vcs(ring, 4, 1), (std::vector<int>{0, 0, 0}));
}

TEST(VirtualChannels, meshes_and_trees_need_one_rings_two_detours_two_layers) {
    EXPECT_EQ(VirtualChannels(grid_network({4, 3})).needed(), 1);
    EXPECT_EQ(VirtualChannels(tree_network({4, 3}, {2, 2})).needed(), 1);
    EXPECT_EQ(VirtualChannels(grid_network({4, -3})).needed(), 2);
    EXPECT_EQ(VirtualChannels(grid_network({2, 2, 2, 2, -3, 2}, {VertexId(3)})).needed(), 4);
    EXPECT_NO_THROW(VirtualChannels(grid_network({-4})).check(2));
    EXPECT_EQ(VirtualChannels(grid_network({4})).count(0), 2);
    EXPECT_EQ(VirtualChannels(grid_network({4})).count(1), 1);
    EXPECT_EQ(VirtualChannels(grid_network({2, 2, 2, 2, -3, 2}, {VertexId(3)})).count(0), 4);
    try {
        (void)VirtualChannels(grid_network({-4})).count(1);
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(), "the routes of this machine require 2 virtual channels to avoid deadlocks, found 1");
    }
}

TEST(VirtualChannels, the_rule_for_grids_and_trees_agrees_with_the_search_over_all_pairs) {
    const std::vector<Network> machines = {grid_network({-4}),
                                           grid_network({-5}),
                                           grid_network({-9}),
                                           grid_network({6}),
                                           grid_network({-4, -4}),
                                           grid_network({-6, 3}),
                                           grid_network({4, 4}),
                                           grid_network({-3, -4, -5}),
                                           grid_network({2, -4, 2, 2, -3, 2}),
                                           grid_network({-5, 2, 1, 2, -3, 2}, {VertexId(7)}),
                                           grid_network({2, 2, 2, 2, -3, 2}, {VertexId(3), VertexId(40)}),
                                           tree_network({4, 4}, {1, 1}),
                                           tree_network({3, 3, 2}, {1, 2, 3}),
                                           tree_network({4, 4}, {2, 2}, FatTreeRouting::kSourceModK)};
    for (const Network& network : machines) {
        EXPECT_TRUE(VirtualChannels(network).find_cycle(network).empty()) << network.node_count();
    }
}

TEST(VirtualChannels, without_them_rings_of_four_and_more_would_have_cycles) {
    EXPECT_TRUE(links_alone_have_a_cycle(grid_network({-4})));
    EXPECT_TRUE(links_alone_have_a_cycle(grid_network({3, -6})));
    EXPECT_TRUE(links_alone_have_a_cycle(grid_network({-5, 2, 1, 2, -3, 2}, {VertexId(7)})));
    EXPECT_FALSE(links_alone_have_a_cycle(grid_network({-3})));
    EXPECT_FALSE(links_alone_have_a_cycle(grid_network({5, 4})));
}

TEST(GridSteps, give_the_hops_of_the_route_one_by_one) {
    Random random(3);
    const std::vector<std::vector<std::int32_t>> shapes = {{-4}, {5}, {-5, -6}, {2, -2, 1, -7}, {-3, 2, -4, 2, -3, 2}};
    for (const std::vector<std::int32_t>& shape : shapes) {
        for (const Sign tie : {Sign::kPlus, Sign::kMinus}) {
            const Grid grid = *grid_network(shape).coordinates();
            DimensionOrder routing = default_dimension_order(grid);
            random.shuffle(std::span(routing.stages));
            routing.tie = tie;
            const Network network(grid_fabric(grid, routing), {});
            const GridSteps steps(grid, routing);
            for (std::int32_t s = 0; s < network.node_count(); ++s) {
                for (std::int32_t d = 0; d < network.node_count(); ++d) {
                    VertexId at(s);
                    for (const ChannelHop& hop : route(network, s, d)) {
                        ASSERT_NE(at, VertexId(d));
                        const GridSteps::Step step = steps.next(steps.position(at), steps.position(VertexId(d)));
                        ASSERT_EQ(at.value * steps.links_per_vertex() + step.link, hop.link.value);
                        ASSERT_EQ(step.vc, hop.vc);
                        at = grid.link_ends(hop.link).to;
                    }
                    ASSERT_EQ(at, VertexId(d));
                    std::vector<LinkId> links;
                    network.append_route(NodeId(s), NodeId(d), links);
                    const std::vector<ChannelHop> hops = route(network, s, d);
                    ASSERT_TRUE(std::ranges::equal(links, hops, {}, {}, &ChannelHop::link));
                }
            }
        }
    }
}

}  // namespace
}  // namespace haichi
