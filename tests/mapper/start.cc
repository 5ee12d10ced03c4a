#include "mapper/start/start.h"

#include <gtest/gtest.h>

#include <set>

#include "objectives/metrics.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::started;

TEST(Start, every_start_places_every_rank_once) {
    for (const Posed& posed : testing_problems::varied_problems()) {
        for (const StartRow& row : start_rows()) {
            if (row.name == "unit-blocks" && posed.allocation->logical_axes.empty()) continue;
            SCOPED_TRACE(posed.name + ", " + row.name);
            const Mapping mapping = started(row.name, *posed.problem, *posed.allocation);
            std::set<SlotId> slots;
            for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
                ASSERT_TRUE(mapping.slot(RankId(r)).valid());
                ASSERT_TRUE(posed.allocation->network.is_usable(mapping.node(RankId(r))));
                slots.insert(mapping.slot(RankId(r)));
            }
            EXPECT_EQ(slots.size(), static_cast<std::size_t>(posed.problem->rank_count()));
            EXPECT_EQ(mapping, started(row.name, *posed.problem, *posed.allocation)) << "not reproducible";
        }
    }
}

TEST(Start, fills_every_slot_of_the_usable_nodes_and_no_other) {
    const std::string down = testing_files::written("down_of_mesh", "4\n");
    for (const std::string& machine :
         {std::string("mesh:5"), "graph:" + testing_files::written("six.graphml", testing_graphs::two_switches())}) {
        const std::int32_t ranks = machine == "mesh:5" ? 8 : 10;
        const Posed posed = pose(machine, testing_problems::random_workload(ranks, 1, 20, true, 1), machine,
                                 {.faulty = down, .ranks_per_node = 2});
        for (const StartRow& row : start_rows()) {
            if (row.name == "unit-blocks") continue;
            SCOPED_TRACE(machine + ", " + row.name);
            const Mapping mapping = started(row.name, *posed.problem, *posed.allocation);
            for (std::int32_t s = 0; s < mapping.slot_count(); ++s) {
                EXPECT_EQ(mapping.rank(SlotId(s)).valid(), s / 2 != 4) << "slot " << s;
            }
        }
    }
    EXPECT_THROW(pose("too many", testing_problems::random_workload(9, 1, 5, true, 1), "mesh:5",
                      {.faulty = down, .ranks_per_node = 2}),
                 OptionError);
}

TEST(Start, default_fills_a_node_before_the_next) {
    const Posed posed =
        pose("two a node", testing_problems::random_workload(5, 1, 5, false, 1), "mesh:3", {.ranks_per_node = 2});
    std::vector<std::int32_t> nodes;
    for (const NodeId node : posed.default_placement.node_of_rank()) nodes.push_back(node.value);
    EXPECT_EQ(nodes, (std::vector<std::int32_t>{0, 0, 1, 1, 2}));
}

TEST(Start, no_ring_has_x_fastest_and_row_major_the_last_axis) {
    const Posed posed = pose("tofu", testing_problems::random_workload(24, 1, 5, false, 1), "fx10-kyushu",
                             {.shape = {2, 1, 1, 2, 3, 2}});
    const auto machine_axis = [&](const char* start, std::size_t axis) {
        const Mapping mapping = started(start, *posed.problem, *posed.allocation);
        std::vector<std::int32_t> along;
        for (std::int32_t r = 0; r < 4; ++r) {
            along.push_back(posed.allocation->machine_coordinates(mapping.node(RankId(r)))[axis]);
        }
        return along;
    };
    EXPECT_EQ(machine_axis("no-ring", 0), (std::vector<std::int32_t>{0, 1, 0, 1}));
    EXPECT_EQ(machine_axis("no-ring", 3), (std::vector<std::int32_t>{0, 0, 1, 1}));
    EXPECT_EQ(machine_axis("row-major", 5), (std::vector<std::int32_t>{0, 1, 0, 1}));
    EXPECT_EQ(machine_axis("row-major", 4), (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(Start, unit_blocks_fills_a_unit_hop_by_hop_before_the_next) {
    const Posed posed = pose("tofu", testing_problems::random_workload(96, 1, 5, false, 1), "fx10-kyushu",
                             {.shape = {2, 1, 2, 2, 3, 2}, .ranks_per_node = 2});
    const Mapping mapping = started("unit-blocks", *posed.problem, *posed.allocation);
    const std::vector<std::vector<std::int32_t>> units = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    for (std::int32_t r = 0; r < 96; ++r) {
        const NodeId node = mapping.node(RankId(r));
        const Coordinates at = posed.allocation->machine_coordinates(node);
        EXPECT_EQ(std::vector<std::int32_t>(at.begin(), at.begin() + 3), units[static_cast<std::size_t>(r / 24)]);
        if (r % 24 == 23) continue;
        EXPECT_EQ(posed.problem->hop_distance()(node, mapping.node(RankId(r + 1))), r % 2) << "rank " << r;
    }
}

TEST(Start, unit_blocks_of_a_list_of_nodes_passes_over_those_that_are_not_in_it) {
    AllocationRequest request;
    request.nodes =
        std::vector<Coordinates>{{1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0}, {1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1}};
    const Posed posed = pose("list", testing_problems::random_workload(4, 1, 5, false, 1), "fx10-kyushu", request);
    const Mapping mapping = started("unit-blocks", *posed.problem, *posed.allocation);
    std::vector<std::int32_t> x;
    for (std::int32_t r = 0; r < 4; ++r) {
        x.push_back(posed.allocation->machine_coordinates(mapping.node(RankId(r)))[0]);
    }
    EXPECT_EQ(x, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(Start, unit_blocks_says_that_a_machine_has_no_units) {
    const Posed posed = pose("torus", testing_problems::random_workload(4, 1, 5, false, 1), "torus:4x4", {});
    try {
        (void)started("unit-blocks", *posed.problem, *posed.allocation);
        FAIL() << "no error";
    } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find("requires a machine with units, but machine torus:4x4 has none"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Start, a_long_start_gives_up_when_told_to) {
    PatternOptions options;
    options.dims = {24, 32};
    const Posed posed = pose("stencil", make_pattern("stencil2d", options), "fx10-kyushu", {});
    for (const char* name : {"greedy", "bisection"}) {
        const auto given_up = find_start(name)->place(*posed.problem, *posed.allocation, 1, [] { return false; });
        EXPECT_FALSE(given_up.has_value()) << name;
    }
    // Bisection returns the best of the constructions finished so far.
    int questions = 0;
    const auto first =
        find_start("bisection")->place(*posed.problem, *posed.allocation, 1, [&] { return ++questions < 4000; });
    EXPECT_TRUE(first.has_value());
}

TEST(Start, greedy_beats_random_on_a_shuffled_stencil) {
    PatternOptions options;
    options.dims = {8, 8};
    options.shuffle_seed = 3;
    const Posed posed = pose("stencil", make_pattern("stencil2d", options), "mesh:8x8", {});
    const auto hop_bytes = [&](const Mapping& mapping) { return measure(*posed.problem, mapping).hop_bytes; };
    const Mapping random = started("random", *posed.problem, *posed.allocation);
    EXPECT_LT(2 * hop_bytes(started("greedy", *posed.problem, *posed.allocation)), hop_bytes(random));
}

}  // namespace
}  // namespace haichi
