// How graph routes are spread over shortest routes.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/shortest_paths.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using testing_fabrics::expect_equal_routes;
using testing_fabrics::fat_tree_fabric;

struct Joined {
    std::int32_t terminals = 0;
    std::int32_t vertices = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> links;
};

template <class Topology>
Joined joined(const Topology& topology, std::int32_t terminals) {
    Joined all{terminals, topology.vertex_count(), {}};
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if constexpr (requires { topology.link_exists(LinkId(l)); }) {
            if (!topology.link_exists(LinkId(l))) continue;
        }
        const auto ends = topology.link_ends(LinkId(l));
        all.links.emplace_back(ends.from.value, ends.to.value);
    }
    return all;
}

Joined joined(const FatTree& tree) { return joined(tree, tree.terminal_count()); }

/// Repeats every link between switches `times` times.
Joined with_parallel_links(Joined all, int times) {
    const auto links = all.links;
    for (const auto& link : links) {
        if (std::min(link.first, link.second) < all.terminals) continue;
        all.links.insert(all.links.end(), static_cast<std::size_t>(times - 1), link);
    }
    return all;
}

enum class Shuffle { kNothing, kSwitchesAndLinks, kAll };

Graph graph_of(const Joined& all, Shuffle shuffle = Shuffle::kNothing, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<std::int32_t> number(static_cast<std::size_t>(all.vertices));
    std::iota(number.begin(), number.end(), 0);
    const auto hosts = static_cast<std::size_t>(all.terminals);
    if (shuffle == Shuffle::kAll) random.shuffle(std::span(number).first(hosts));
    if (shuffle != Shuffle::kNothing) random.shuffle(std::span(number).subspan(hosts));
    std::vector<Graph::Link> links;
    for (const auto& [a, b] : all.links) {
        links.push_back({VertexId(number[static_cast<std::size_t>(a)]), VertexId(number[static_cast<std::size_t>(b)]),
                         100, std::nullopt});
    }
    if (shuffle != Shuffle::kNothing) random.shuffle(std::span(links));
    std::vector<std::string> names;
    for (std::int32_t v = 0; v < all.vertices; ++v) names.push_back(std::to_string(v));
    return Graph(std::move(names), all.terminals, std::move(links));
}

Network network_routed_by(const Graph& graph, GraphRouting routing = GraphRouting::kSpread) {
    return Network({graph_topology(graph), to_string(routing)}, {});
}

/// Returns the number of routes on the most loaded link when every node s sends to s + k, for k = 1, 2, ..
std::vector<std::int32_t> busiest_of_shifts(const Network& network) {
    std::vector<std::int32_t> busiest;
    std::vector<LinkId> route;
    const std::int32_t n = network.node_count();
    for (std::int32_t k = 1; k < n; ++k) {
        std::vector<std::int32_t> load(static_cast<std::size_t>(network.link_count()));
        for (std::int32_t s = 0; s < n; ++s) {
            route.clear();
            network.append_route(NodeId(s), NodeId((s + k) % n), route);
            for (const LinkId link : route) ++load[link.index()];
        }
        busiest.push_back(*std::ranges::max_element(load));
    }
    return busiest;
}

/// Returns the number of routes on the most loaded link of an all-to-all.
std::int32_t busiest_of_all(const Network& network) {
    std::vector<std::int32_t> load(static_cast<std::size_t>(network.link_count()));
    std::vector<LinkId> route;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            route.clear();
            network.append_route(NodeId(s), NodeId(d), route);
            for (const LinkId link : route) ++load[link.index()];
        }
    }
    return *std::ranges::max_element(load);
}

std::vector<FatTree> fat_trees() {
    return {FatTree({4, 4, 4}, {1, 4, 4}), FatTree({6, 6}, {1, 6}),       FatTree({3, 3, 3, 3}, {1, 3, 3, 3}),
            FatTree({2, 3, 4}, {1, 3, 2}), FatTree({6, 4, 5}, {1, 4, 3}), FatTree({8, 4}, {1, 2}),
            FatTree({5, 7, 3}, {2, 3, 2}), FatTree({4, 4, 4}, {1, 2, 1})};
}

TEST(SpreadRoutes, on_a_fat_tree_are_those_of_its_d_mod_k_routing) {
    for (const FatTree& tree : fat_trees()) {
        const Network network = network_routed_by(graph_of(joined(tree)));
        const Network preset(fat_tree_fabric(tree, FatTreeRouting::kDestinationModK), {});
        ASSERT_EQ(network.node_count(), preset.node_count());
        for (std::int32_t s = 0; s < network.node_count(); ++s) {
            for (std::int32_t d = 0; d < network.node_count(); ++d) {
                std::vector<LinkId> route;
                std::vector<LinkId> expected;
                network.append_route(NodeId(s), NodeId(d), route);
                preset.append_route(NodeId(s), NodeId(d), expected);
                ASSERT_EQ(route, expected) << tree.terminal_count() << ": " << s << " to " << d;
            }
        }
    }
}

TEST(SpreadRoutes, on_a_fat_tree_carry_every_shift_as_well_however_switches_and_links_are_numbered) {
    for (const FatTree& tree : fat_trees()) {
        const std::vector<std::int32_t> expected =
            busiest_of_shifts(Network(fat_tree_fabric(tree, FatTreeRouting::kDestinationModK), {}));
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Graph graph = graph_of(joined(tree), Shuffle::kSwitchesAndLinks, seed);
            EXPECT_EQ(busiest_of_shifts(network_routed_by(graph)), expected)
                << tree.terminal_count() << " seed " << seed;
        }
    }
}

TEST(SpreadRoutes, on_a_full_fat_tree_share_all_links_evenly_however_everything_is_numbered) {
    for (const FatTree& tree : {FatTree({4, 4, 4}, {1, 4, 4}), FatTree({6, 6}, {1, 6}), FatTree({8, 4}, {1, 8})}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Graph graph = graph_of(joined(tree), Shuffle::kAll, seed);
            EXPECT_EQ(busiest_of_all(network_routed_by(graph)), tree.terminal_count() - 1) << seed;
        }
    }
}

TEST(SpreadRoutes, take_parallel_links_in_turn_on_the_way_up_and_down) {
    // Leaves of 8 nodes, 4 spines, two links each: as many uplinks as nodes.
    const Graph two_levels = graph_of(with_parallel_links(joined(FatTree({8, 4}, {1, 4})), 2));
    EXPECT_EQ(std::ranges::max(busiest_of_shifts(network_routed_by(two_levels))), 1);
    EXPECT_EQ(std::ranges::max(busiest_of_shifts(network_routed_by(two_levels, GraphRouting::kUnspread))), 8);
    const Graph three = graph_of(with_parallel_links(joined(FatTree({6, 4}, {1, 3})), 2), Shuffle::kSwitchesAndLinks);
    EXPECT_EQ(std::ranges::max(busiest_of_shifts(network_routed_by(three))), 1);
    const Graph pair = graph_of(with_parallel_links(joined(FatTree({8, 8, 4}, {1, 4, 4})), 2), Shuffle::kNothing);
    EXPECT_EQ(std::ranges::max(busiest_of_shifts(network_routed_by(pair))), 2);
}

TEST(SpreadRoutes, on_other_networks_carry_no_shift_worse_than_the_first_ones_in_the_file) {
    const Dragonfly dragonfly(2, 4, 2);
    for (const Joined& all :
         {joined(Grid({{"X", 8, true}, {"Y", 8, true}}), 64), joined(Grid({{"X", 7, true}, {"Y", 5, true}}), 35),
          joined(Grid({{"X", 5, true}, {"Y", 5, true}, {"Z", 5, true}}), 125),
          joined(dragonfly, dragonfly.terminal_count())}) {
        for (const Shuffle shuffle : {Shuffle::kNothing, Shuffle::kSwitchesAndLinks}) {
            const Graph graph = graph_of(all, shuffle);
            const auto worst = [&](GraphRouting routing) {
                return std::ranges::max(busiest_of_shifts(network_routed_by(graph, routing)));
            };
            EXPECT_LE(worst(GraphRouting::kSpread), worst(GraphRouting::kUnspread)) << all.vertices;
        }
    }
}

TEST(SpreadRoutes, that_meet_no_faulty_node_stay_as_they_are) {
    const Graph graph = graph_of(joined(FatTree({4, 4, 4}, {1, 4, 4})), Shuffle::kSwitchesAndLinks);
    const std::vector<VertexId> faulty = {VertexId(0), VertexId(17), VertexId(18)};
    const ShortestPaths whole(graph);
    const ShortestPaths with_faults(graph, faulty);
    expect_equal_routes(graph, whole, with_faults, faulty);
}

TEST(SpreadRoutes, go_through_a_terminal_only_where_no_switch_is_as_near) {
    //     s5     2, 3, 4 and s5 each join 0 and 1
    const std::vector<std::pair<std::int32_t, std::int32_t>> edges = {{0, 2}, {2, 1}, {0, 3}, {3, 1},
                                                                      {0, 4}, {4, 1}, {0, 5}, {5, 1}};
    Joined all{5, 6, {}};
    for (const auto& [a, b] : edges) all.links.insert(all.links.end(), {{a, b}, {b, a}});
    const Graph graph = graph_of(all);
    std::vector<LinkId> links;
    ShortestPaths(graph).append_route(graph, VertexId(0), VertexId(1), links);
    EXPECT_EQ(graph.link(links.front()).to, VertexId(5));
}

Grid torus_of(const std::vector<std::int32_t>& sizes, bool wraps = true) {
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < sizes.size(); ++k) axes.push_back({std::string(1, "XYZ"[k]), sizes[k], wraps});
    return Grid(std::move(axes));
}

Joined joined(const Grid& grid) { return joined(grid, grid.vertex_count()); }

TEST(SpreadRoutes, give_way_to_unspread_ones_where_they_need_too_many_layers) {
    const Graph torus = graph_of(joined(torus_of({4, 4, 4})));
    const ShortestPaths spread(torus);
    EXPECT_EQ(spread.routing(), GraphRouting::kSpread);
    EXPECT_GT(spread.layers(), 1);
    for (std::int32_t most = 1; most <= kMostLayers; ++most) {
        const ShortestPaths paths(torus, {}, {.most_layers = most});
        EXPECT_EQ(paths.routing(), most < spread.layers() ? GraphRouting::kUnspread : GraphRouting::kSpread) << most;
    }
    EXPECT_EQ(ShortestPaths(torus, {}, {GraphRouting::kUnspread}).routing(), GraphRouting::kUnspread);
    const Graph tree = graph_of(joined(FatTree({3, 3}, {1, 3})));
    EXPECT_EQ(ShortestPaths(tree, {}, {.most_layers = 1}).routing(), GraphRouting::kSpread);
}

TEST(SpreadRoutes, that_give_way_are_those_that_were_asked_for_unspread) {
    const Graph torus = graph_of(joined(torus_of({4, 4, 4})));
    const ShortestPaths fallen(torus, {}, {.most_layers = 1});
    const ShortestPaths asked(torus, {}, {GraphRouting::kUnspread});
    expect_equal_routes(torus, fallen, asked);
}

TEST(UpDownLayers, are_one_on_fat_trees_and_at_most_one_more_than_half_the_links_anywhere) {
    for (const FatTree& tree : fat_trees()) {
        EXPECT_EQ(ShortestPaths(graph_of(joined(tree), Shuffle::kAll)).layers(), 1);
    }
    const Dragonfly dragonfly(2, 4, 2);
    std::vector<Joined> others = {joined(dragonfly, dragonfly.terminal_count())};
    for (const std::vector<std::int32_t>& sizes :
         {std::vector<std::int32_t>{9}, {5, 5}, {7, 5}, {8, 8}, {12, 12}, {4, 4, 4}, {6, 6, 6}, {8, 8, 8}}) {
        others.push_back(joined(torus_of(sizes)));
        others.push_back(joined(torus_of(sizes, false)));
    }
    for (const Joined& all : others) {
        for (const Shuffle shuffle : {Shuffle::kNothing, Shuffle::kSwitchesAndLinks, Shuffle::kAll}) {
            const ShortestPaths paths(graph_of(all, shuffle), {}, {.most_layers = 100});
            ASSERT_EQ(paths.routing(), GraphRouting::kSpread);
            EXPECT_LE(paths.layers(), 1 + paths.longest_route() / 2) << all.vertices;
        }
    }
}

TEST(UpDownLayers, are_6_on_an_8x8x8_torus_and_too_many_on_32x32) {
    EXPECT_EQ(ShortestPaths(graph_of(joined(torus_of({8, 8, 8})))).layers(), 6);
    EXPECT_EQ(ShortestPaths(graph_of(joined(torus_of({32, 32})))).routing(), GraphRouting::kUnspread);
}

TEST(GraphRouting, has_two_names) {
    for (const GraphRouting routing : {GraphRouting::kSpread, GraphRouting::kUnspread}) {
        EXPECT_EQ(parse_graph_routing(to_string(routing)), routing);
    }
    EXPECT_THROW((void)parse_graph_routing("shortest-path,unspred"), OptionError);
}

}  // namespace
}  // namespace haichi
