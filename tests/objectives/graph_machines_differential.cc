// Built-in machines and the same machines as graph files give the same results.

#include <gtest/gtest.h>

#include <algorithm>

#include "netmodel/topology/dragonfly.h"
#include "netmodel/topology/fat_tree.h"
#include "netmodel/topology/graphml.h"
#include "objectives/metrics.h"
#include "tests/base/temporary_folder.h"
#include "tests/netmodel/graph_files.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;
using testing_problems::started;

std::string graph_of(const std::string& machine) {
    const Machine loaded = load_machine(machine);
    const std::int64_t bandwidth = loaded.link_bandwidth_bytes_per_s;
    if (const auto* grid = topology_value<Grid>(*loaded.topology)) {
        return testing_graphs::graphml_of(*grid, grid->vertex_count(), bandwidth);
    }
    if (const auto* dragonfly = topology_value<Dragonfly>(*loaded.topology)) {
        return testing_graphs::graphml_of(*dragonfly, dragonfly->terminal_count(), bandwidth);
    }
    const auto& tree = *topology_value<FatTree>(*loaded.topology);
    return testing_graphs::graphml_of(tree, tree.terminal_count(), bandwidth);
}

class GraphMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(GraphMachine, has_the_hop_bytes_of_the_built_in_one) {
    const std::string machine = GetParam();
    std::string name = machine;
    std::replace(name.begin(), name.end(), ':', '_');
    const std::string file = testing_files::written(name + ".graphml", graph_of(machine));
    const std::int32_t nodes = terminal_count(load_machine(machine));
    const Workload workload = random_workload(nodes, 3, 4 * nodes, true, 7);
    const Posed built_in = pose(machine, workload, machine, {});
    const Posed graph = pose("graph", workload, "graph:" + file, {});
    const Network& network = graph.allocation->network;
    EXPECT_EQ(network.node_count(), nodes);
    EXPECT_EQ(network.existing_link_count(), built_in.allocation->network.existing_link_count());
    EXPECT_EQ(network.largest_bandwidth_bytes_per_s(), built_in.allocation->network.largest_bandwidth_bytes_per_s());
    EXPECT_EQ(network.nearest_distance_bound(20), built_in.allocation->network.nearest_distance_bound(20));
    for (std::int32_t s = 0; s < nodes; ++s) {
        for (std::int32_t d = 0; d < nodes; ++d) {
            ASSERT_EQ(network.hops(NodeId(s), NodeId(d)), built_in.allocation->network.hops(NodeId(s), NodeId(d)));
        }
    }
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Mapping mapping = started("random", *graph.problem, *graph.allocation, seed);
        EXPECT_EQ(measure(*graph.problem, mapping).hop_bytes, measure(*built_in.problem, mapping).hop_bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(, GraphMachine,
                         ::testing::Values("mesh:4x3x2", "torus:4x4", "torus:5x3x4", "torus:7", "fattree:2x4",
                                           "fattree:3x3", "fx10:2x1x2", "dragonfly:2,4,1", "dragonfly:1,3,1,2"));

TEST(GraphFile, with_one_path_only_has_all_the_values_of_the_built_in_one) {
    // On a line and on a tree each shortest path is unique, so loads are the same, too.
    for (const std::string machine : {"mesh:9", "fattree:1x6"}) {
        const std::string file = testing_files::written("one_path.graphml", graph_of(machine));
        const std::int32_t nodes = terminal_count(load_machine(machine));
        const Workload workload = random_workload(nodes, 2, 20, true, 3);
        const Posed built_in = pose(machine, workload, machine, {});
        const Posed graph = pose("graph", workload, "graph:" + file, {});
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Mapping mapping = started("random", *graph.problem, *graph.allocation, seed);
            const Metrics a = measure(*graph.problem, mapping);
            const Metrics b = measure(*built_in.problem, mapping);
            EXPECT_EQ(a.set_contention, b.set_contention);
            EXPECT_EQ(a.set_max_link_bytes, b.set_max_link_bytes);
            EXPECT_EQ(a.tac3_seconds, b.tac3_seconds);
            EXPECT_EQ(a.max_link_bytes, b.max_link_bytes);
        }
    }
}

TEST(GraphFile, gives_the_contention_of_the_papers_example_with_two_switches) {
    // Six ranks with the steps {1-2}, {4-5}, {1-3, 4-6}, {1-6, 2-4, 3-5}. The placement 1,2,3 | 4,5,6 has contention 3
    // in the last step; 1,3,5 | 2,4,6 has contention 1 in every step.
    Workload workload(6, 1);
    const std::vector<std::vector<std::pair<int, int>>> steps = {
        {{1, 2}}, {{4, 5}}, {{1, 3}, {4, 6}}, {{1, 6}, {2, 4}, {3, 5}}};
    for (const auto& step : steps) {
        workload.add_set("");
        for (const auto& [a, b] : step) workload.add_message(RankId(a - 1), RankId(b - 1), 1000);
    }
    const std::string file = testing_files::written("two_switches.graphml", testing_graphs::two_switches());
    const Posed posed = pose("two switches", workload, "graph:" + file, {});
    const auto contention = [&](const std::vector<std::int32_t>& nodes) {
        std::vector<NodeId> node_of_rank;
        for (const std::int32_t n : nodes) node_of_rank.push_back(NodeId(n));
        return measure(*posed.problem, Mapping::from_nodes(node_of_rank, 6, 1)).set_contention;
    };
    EXPECT_EQ(contention({0, 1, 2, 3, 4, 5}), (std::vector<std::int64_t>{1, 1, 1, 3}));
    EXPECT_EQ(contention({0, 3, 1, 4, 2, 5}), (std::vector<std::int64_t>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace haichi
