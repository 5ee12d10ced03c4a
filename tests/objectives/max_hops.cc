// max-hops on small cases computed by hand.
#include "objectives/max_hops.h"

#include <gtest/gtest.h>

#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;

Mapping one_rank_on_each_of(const Posed& posed, std::vector<std::int32_t> nodes) {
    std::vector<NodeId> ids;
    for (const std::int32_t node : nodes) ids.emplace_back(node);
    return Mapping::from_nodes(ids, posed.allocation->node_count(), posed.allocation->ranks_per_node);
}

// Rank 0 sends to 1, 2 and 3 in two sets; messages to self and empty messages are ignored.
Workload star() {
    Workload workload(5);
    workload.add_set("near");
    workload.add_message(RankId(0), RankId(1), 8);
    workload.add_message(RankId(0), RankId(0), 8);
    workload.add_message(RankId(0), RankId(4), 0);
    workload.add_set("far");
    workload.add_message(RankId(0), RankId(2), 1 << 20);
    workload.add_message(RankId(3), RankId(0), 1);
    return workload;
}

//  0 - 1 - 2 - 3 - 4      a line of five nodes
TEST(MaxHops, the_longest_route_of_any_set_counts) {
    const Posed posed = pose("star on a line", star(), "mesh:5", {});
    const MaxHops objective(*posed.problem, {}, posed.default_placement);
    EXPECT_EQ(objective.value_from_scratch(one_rank_on_each_of(posed, {0, 1, 2, 3, 4})), 3);
    EXPECT_EQ(objective.value_from_scratch(one_rank_on_each_of(posed, {2, 1, 3, 4, 0})), 2);
    EXPECT_EQ(objective.value_from_scratch(one_rank_on_each_of(posed, {4, 3, 2, 0, 1})), 4);
}

TEST(MaxHops, three_partners_need_three_places) {
    const Posed line = pose("on a line", star(), "mesh:5", {});
    EXPECT_EQ(MaxHops(*line.problem, {}, line.default_placement).lower_bound(), 2) << "two neighbours, one behind them";
    const Posed grid = pose("on a grid", star(), "torus:3x3", {});
    EXPECT_EQ(MaxHops(*grid.problem, {}, grid.default_placement).lower_bound(), 1) << "four neighbours";
    const Posed pairs = pose("two ranks a node", star(), "mesh:5", {.ranks_per_node = 2});
    EXPECT_EQ(MaxHops(*pairs.problem, {}, pairs.default_placement).lower_bound(), 1) << "one partner stays";
    const Posed full = pose("all on one node", star(), "mesh:5", {.ranks_per_node = 4});
    EXPECT_EQ(MaxHops(*full.problem, {}, full.default_placement).lower_bound(), 0);
}

// A ring of five ranks on nodes with four slots: each rank's partners fit on its node, but not all ranks do.
TEST(MaxHops, ranks_that_do_not_fit_a_node_leave_it) {
    Workload ring(5);
    ring.add_set("ring");
    for (int r = 0; r < 5; ++r) ring.add_message(RankId(r), RankId((r + 1) % 5), 10);
    const Posed posed = pose("ring", ring, "mesh:3", {.ranks_per_node = 4});
    EXPECT_EQ(MaxHops(*posed.problem, {}, posed.default_placement).lower_bound(), 1);
}

TEST(MaxHops, the_smoothing_counts_hops_above_the_bound_squared) {
    const Posed posed = pose("star on a line", star(), "mesh:5", {});
    MaxHops objective(*posed.problem, {}, posed.default_placement);
    objective.reset(one_rank_on_each_of(posed, {4, 3, 2, 0, 1}));  // 1, 2 and 4 hops
    EXPECT_EQ(objective.value(), 4);
    EXPECT_EQ(objective.smoothing(), 4);
    std::vector<RankId> hot;
    objective.append_hot_ranks(one_rank_on_each_of(posed, {4, 3, 2, 0, 1}), hot);
    EXPECT_EQ(hot, (std::vector<RankId>{RankId(3), RankId(0)}));
}

TEST(MaxHops, the_maximum_falls_and_comes_back) {
    const Posed posed = pose("star on a line", star(), "mesh:5", {});
    MaxHops objective(*posed.problem, {}, posed.default_placement);
    Mapping mapping = one_rank_on_each_of(posed, {4, 3, 2, 0, 1});
    objective.reset(mapping);
    const Move move = move_to_slot(mapping, RankId(0), SlotId(2));  // swaps ranks 0 and 2
    EXPECT_EQ(objective.propose(mapping, move).value, -2);
    EXPECT_EQ(objective.value(), 2);
    objective.rollback();
    EXPECT_EQ(objective.value(), 4);
    EXPECT_EQ(objective.smoothing(), 4);
}

}  // namespace
}  // namespace haichi
