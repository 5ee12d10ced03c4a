#include <gtest/gtest.h>

#include <algorithm>

#include "commlog/workload/patterns.h"
#include "mapper/start/bisection.h"
#include "mapper/start/distance_blocks.h"
#include "mapper/start/graph_bisection.h"
#include "mapper/start/greedy.h"
#include "mapper/start/start.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using namespace testing_fabrics;

Allocation job(Fabric fabric, std::int32_t ranks_per_node = 1, std::vector<VertexId> nodes = {}) {
    const bool is_node_list = !nodes.empty();
    Network network(std::move(fabric), {}, std::move(nodes));
    const std::int32_t count = network.node_count();
    return {.machine_name = "test",
            .shape = {count},
            .origin = {},
            .machine_sizes = {},
            .is_node_list = is_node_list,
            .network = std::move(network),
            .fold = row_major_fold(count, "row-major"),
            .logical_axes = {},
            .ranks_per_node = ranks_per_node};
}

Fabric grid(const std::vector<std::int32_t>& sizes, bool wraps) {
    std::vector<Axis> axes;
    for (const std::int32_t size : sizes)
        axes.push_back({std::string(1, static_cast<char>('P' + axes.size())), size, wraps});
    Grid topology(std::move(axes));
    DimensionOrder routing = default_dimension_order(topology);
    return grid_fabric(std::move(topology), routing);
}

Fabric tree(std::vector<std::int32_t> children, std::vector<std::int32_t> parents) {
    return fat_tree_fabric(FatTree(std::move(children), std::move(parents)));
}

Mapping placed(const Workload& workload, const Allocation& allocation, std::uint64_t seed = 1) {
    const Problem problem(workload, allocation.network, allocation.ranks_per_node);
    return bisection_placement(problem, allocation, seed, [] { return true; }).value();
}

void expect_valid(const Mapping& mapping) {
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        const SlotId slot = mapping.slot(RankId(r));
        ASSERT_TRUE(slot.valid()) << "rank " << r;
        ASSERT_LT(slot.value, mapping.slot_count());
        EXPECT_EQ(mapping.rank(slot), RankId(r));
    }
}

double hops_per_byte(const Workload& workload, const Allocation& allocation, const Mapping& mapping) {
    double hop_bytes = 0;
    double bytes = 0;
    for (const Message& message : workload.messages()) {
        const std::int32_t hops =
            allocation.network.hops(mapping.node(message.source), mapping.node(message.destination));
        hop_bytes += static_cast<double>(message.size_bytes) * hops;
        bytes += static_cast<double>(message.size_bytes);
    }
    return hop_bytes / bytes;
}

Workload ring(std::int32_t ranks, std::int64_t bytes = 1000) {
    Workload workload(ranks);
    workload.add_set("ring");
    for (std::int32_t r = 0; r < ranks; ++r) workload.add_message(RankId(r), RankId((r + 1) % ranks), bytes);
    return workload;
}

/// Returns the pattern with shuffled ranks. Grids are periodic.
Workload pattern(const std::string& name, int ranks, std::vector<int> dims, std::uint64_t shuffle_seed = 1) {
    PatternOptions options;
    options.ranks = ranks;
    options.periodic = !dims.empty();
    options.dims = std::move(dims);
    options.shuffle_seed = shuffle_seed;
    return make_pattern(name, options);
}

WeightedGraph path_graph(std::int32_t count) {
    WeightedGraph graph;
    for (std::int32_t v = 0; v < count; ++v) {
        if (v > 0) graph.edges.push_back({v - 1, 10});
        if (v + 1 < count) graph.edges.push_back({v + 1, 10});
        graph.first.push_back(graph.edges.size());
    }
    graph.vertex_weight.assign(static_cast<std::size_t>(count), 1);
    graph.pull.assign(static_cast<std::size_t>(count), 0);
    return graph;
}

TEST(GraphBisection, path_is_cut_once_in_the_exact_middle) {
    for (const std::int32_t count : {2, 10, 1000}) {
        Random random(3);
        const Sides sides = bisect(path_graph(count), {count / 2, count / 2}, 4, random);
        EXPECT_EQ(std::ranges::count(sides, 0), count / 2);
        std::int32_t cut = 0;
        for (std::size_t v = 1; v < sides.size(); ++v) cut += sides[v] != sides[v - 1] ? 1 : 0;
        EXPECT_LE(cut, count == 1000 ? 3 : 1) << count;
    }
}

TEST(GraphBisection, pulls_decide_which_side_is_which) {
    WeightedGraph graph = path_graph(10);
    graph.pull.front() = -5;  // cheaper on side 1
    Random random(1);
    const Sides sides = bisect(graph, {5, 5}, 4, random);
    EXPECT_EQ(sides.front(), 1);
    EXPECT_EQ(sides.back(), 0);
}

TEST(GraphBisection, refinement_restores_a_violated_range) {
    const WeightedGraph graph = path_graph(20);
    Sides sides(20, 0);
    refine_bisection(graph, {7, 7}, sides);
    EXPECT_EQ(std::ranges::count(sides, 0), 7);
}

TEST(BisectionPlacement, every_rank_gets_a_slot_of_its_own_on_every_shape) {
    const std::vector<Fabric> fabrics = {grid({1}, true),
                                         grid({2}, true),
                                         grid({7}, true),
                                         grid({5, 3}, false),
                                         grid({3, 4, 5}, true),
                                         grid({2, 3, 2, 2, 3, 2}, true),
                                         tree({4, 3}, {1, 1}),
                                         tree({3, 5, 2}, {1, 2, 1}),
                                         tree({1, 6}, {1, 1}),
                                         dragonfly_fabric(Dragonfly(2, 3, 1)),
                                         dragonfly_fabric(Dragonfly(1, 4, 2))};
    for (std::size_t f = 0; f < fabrics.size(); ++f) {
        for (std::int32_t ppn = 1; ppn <= 4; ++ppn) {
            const Allocation allocation = job(fabrics[f], ppn);
            const auto slots = static_cast<std::int32_t>(allocation.slot_count());
            for (const std::int32_t ranks : {1, (slots + 1) / 2, slots - 1, slots}) {
                if (ranks < 1) continue;
                SCOPED_TRACE(testing::Message() << "fabric " << f << ", " << ppn << " per node, " << ranks << " ranks");
                expect_valid(placed(ring(ranks), allocation));
            }
        }
    }
}

TEST(BisectionPlacement, ranks_without_messages_fill_up) {
    expect_valid(placed(Workload(16), job(grid({4, 4}, true))));
    expect_valid(placed(Workload(5), job(tree({4, 4}, {1, 1}))));
    Workload one_pair(300);
    one_pair.add_set("pair");
    one_pair.add_message(RankId(7), RankId(290), 1);
    const Allocation allocation = job(grid({10, 30}, false));
    const Mapping mapping = placed(one_pair, allocation);
    expect_valid(mapping);
    EXPECT_EQ(hops_per_byte(one_pair, allocation, mapping), 1);
}

TEST(BisectionPlacement, stars_and_largest_messages_are_placed) {
    Workload star(400);
    star.add_set("star");
    for (std::int32_t r = 1; r < 400; ++r) star.add_message(RankId(0), RankId(r), kLargestMessageBytes);
    expect_valid(placed(star, job(grid({20, 20}, true))));
    expect_valid(placed(star, job(tree({20, 5}, {1, 1}), 4)));
}

// Four rings of 4 ranks on four nodes with 4 slots: no message needs to cross a link.
TEST(BisectionPlacement, separate_groups_share_nodes) {
    Workload groups(16);
    groups.add_set("groups");
    for (std::int32_t r = 0; r < 16; ++r) groups.add_message(RankId(r), RankId((r + 4) % 16), 1 << 20);
    for (const Fabric& fabric : {grid({4}, true), tree({2, 2}, {1, 1})}) {
        const Allocation allocation = job(fabric, 4);
        const Mapping mapping = placed(groups, allocation);
        expect_valid(mapping);
        EXPECT_EQ(hops_per_byte(groups, allocation, mapping), 0);
    }
}

TEST(BisectionPlacement, few_ranks_on_many_nodes_stay_together) {
    const Allocation allocation = job(grid({16, 16}, true));
    const Workload workload = ring(8);
    EXPECT_LE(hops_per_byte(workload, allocation, placed(workload, allocation)), 1.5);
}

// A node list across the seam of a ring of 12 is contiguous: nodes 10 11 0 1.
//
//     X X - - - - - - - - X X
TEST(BisectionPlacement, node_list_across_the_seam_is_one_piece) {
    const Allocation allocation = job(grid({12}, true), 1, {VertexId(0), VertexId(1), VertexId(10), VertexId(11)});
    Workload chain(4);
    chain.add_set("chain");
    for (std::int32_t r = 0; r < 3; ++r) chain.add_message(RankId(r), RankId(r + 1), 100);
    const Mapping mapping = placed(chain, allocation);
    expect_valid(mapping);
    EXPECT_EQ(hops_per_byte(chain, allocation, mapping), 1);
}

TEST(BisectionPlacement, scattered_node_lists_are_filled) {
    std::vector<VertexId> nodes;
    for (std::int32_t v = 0; v < 200; v += 3) nodes.push_back(VertexId((v * 77) % 200));
    for (const Fabric& fabric : {grid({10, 20}, true), tree({10, 20}, {1, 3})}) {
        const Allocation allocation = job(fabric, 2, nodes);
        for (const auto ranks : {nodes.size(), 2 * nodes.size()}) {
            expect_valid(placed(ring(static_cast<std::int32_t>(ranks)), allocation));
        }
    }
}

TEST(BisectionPlacement, same_seed_gives_same_mapping) {
    const Workload workload = pattern("random-geometric", 200, {});
    const Allocation allocation = job(grid({6, 6, 6}, true));
    EXPECT_EQ(placed(workload, allocation, 5), placed(workload, allocation, 5));
    EXPECT_NE(placed(workload, allocation, 5), placed(workload, allocation, 6));
}

// Shuffled, so that rank numbers give no hint; 1 is optimal, random placement gives 6.
TEST(BisectionPlacement, shuffled_periodic_stencil_comes_near_its_own_torus) {
    const Allocation allocation = job(grid({8, 8, 8}, true));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Workload workload = pattern("stencil3d", 0, {8, 8, 8}, seed);
        const Mapping mapping = placed(workload, allocation, seed);
        expect_valid(mapping);
        EXPECT_LE(hops_per_byte(workload, allocation, mapping), 1.6);
    }
}

TEST(BisectionPlacement, irregular_graph_on_a_tree_beats_greedy) {
    const Workload workload = pattern("random-geometric", 256, {});
    const Allocation allocation = job(tree({4, 4, 4, 4}, {1, 4, 4, 4}));
    const Problem problem(workload, allocation.network, 1);
    EXPECT_LT(
        hops_per_byte(workload, allocation, bisection_placement(problem, allocation, 1, [] { return true; }).value()),
        hops_per_byte(workload, allocation, greedy_placement(problem, allocation, {}, [] { return true; }).value()));
}

TEST(BisectionPlacement, is_the_same_for_any_number_of_threads) {
    const Workload workload = pattern("random-geometric", 256, {});
    const Allocation allocation = job(grid({8, 8, 4}, true));
    const Problem problem(workload, allocation.network, 1);
    const auto placed_by = [&](int threads) {
        return bisection_placement(problem, allocation, 1, MayGoOn([] { return true; }, threads)).value();
    };
    const Mapping alone = placed_by(1);
    EXPECT_EQ(placed_by(2), alone);
    EXPECT_EQ(placed_by(5), alone);
}

/// Hosts below leaf switches of the given sizes, below one root. Hosts of different leaves take turns in the numbering.
Graph leaves(const std::vector<std::int32_t>& sizes) {
    std::vector<std::string> names;
    std::vector<std::int32_t> leaf_of;
    for (std::int32_t i = 0; i < std::ranges::max(sizes); ++i) {
        for (std::size_t leaf = 0; leaf < sizes.size(); ++leaf) {
            if (i >= sizes[leaf]) continue;
            leaf_of.push_back(static_cast<std::int32_t>(leaf));
            names.push_back("h" + std::to_string(names.size()));
        }
    }
    const auto hosts = static_cast<std::int32_t>(names.size());
    std::vector<Graph::Link> links;
    const auto join = [&](std::int32_t a, std::int32_t b) {
        links.push_back({VertexId(a), VertexId(b), 1'000'000'000, std::nullopt});
        links.push_back({VertexId(b), VertexId(a), 1'000'000'000, std::nullopt});
    };
    for (std::int32_t h = 0; h < hosts; ++h) join(h, hosts + leaf_of[static_cast<std::size_t>(h)]);
    const auto root = hosts + static_cast<std::int32_t>(sizes.size());
    for (std::size_t leaf = 0; leaf < sizes.size(); ++leaf) {
        names.push_back("leaf" + std::to_string(leaf));
        join(hosts + static_cast<std::int32_t>(leaf), root);
    }
    names.emplace_back("root");
    return {std::move(names), hosts, std::move(links)};
}

TEST(DistanceBlocks, are_the_leaves_of_a_tree_in_a_graph) {
    const Allocation allocation = job(graph_fabric(leaves({3, 5, 4})));
    const Workload workload = ring(12);
    const Problem problem(workload, allocation.network, 1);
    const DistanceBlocks blocks = find_distance_blocks(problem);
    ASSERT_EQ(blocks.levels.size(), 1U);
    EXPECT_EQ(blocks.levels[0], (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 2, 1}));
}

TEST(DistanceBlocks, exist_only_if_near_nodes_are_a_partition) {
    // On a path, a node is as near to its neighbour on one side as on the other.
    std::vector<Graph::Link> links;
    for (std::int32_t v = 0; v < 5; ++v) {
        links.push_back({VertexId(v), VertexId(v + 1), 1'000'000'000, std::nullopt});
        links.push_back({VertexId(v + 1), VertexId(v), 1'000'000'000, std::nullopt});
    }
    const Allocation path = job(graph_fabric(Graph({"a", "b", "c", "d", "e", "f"}, 6, links)));
    const Workload workload = ring(6);
    EXPECT_TRUE(find_distance_blocks(Problem(workload, path.network, 1)).levels.empty());
    const Allocation torus = job(grid({4, 4}, true));
    EXPECT_TRUE(find_distance_blocks(Problem(workload, torus.network, 1)).levels.empty());
}

TEST(BisectionPlacement, never_cuts_a_leaf_of_a_tree_in_a_graph) {
    const std::vector<std::int32_t> sizes = {7, 3, 5, 4, 6, 3};
    const Allocation allocation = job(graph_fabric(leaves(sizes)));
    // Ranks that all communicate with each other, as many as a leaf has nodes.
    Workload workload(28);
    workload.add_set("cliques");
    std::int32_t first = 0;
    for (const std::int32_t size : sizes) {
        for (std::int32_t a = first; a < first + size; ++a) {
            for (std::int32_t b = first; b < first + size; ++b) {
                if (a != b) workload.add_message(RankId(a), RankId(b), 1000);
            }
        }
        first += size;
    }
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        EXPECT_EQ(hops_per_byte(workload, allocation, placed(workload, allocation, seed)), 2) << seed;
    }
}

}  // namespace
}  // namespace haichi
