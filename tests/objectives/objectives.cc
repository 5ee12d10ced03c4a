#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "netmodel/topology/fat_tree.h"
#include "objectives/metrics.h"
#include "objectives/registry.h"
#include "objectives/robust.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;

/// The TAC3 paper's example: two switches with three nodes each below a third switch, six ranks in four steps.
//
//            s2
//          /    \      .
//        s0      s1
//       / | \   / | \  .
//      0  1  2 3  4  5
Posed six_task_tree() {
    Workload workload(6);
    const auto exchange = [&](int a, int b) {
        workload.add_message(RankId(a - 1), RankId(b - 1), 1000);
        workload.add_message(RankId(b - 1), RankId(a - 1), 1000);
    };
    workload.add_set("1-2");
    exchange(1, 2);
    workload.add_set("4-5");
    exchange(4, 5);
    workload.add_set("1-3, 4-6");
    exchange(1, 3);
    exchange(4, 6);
    workload.add_set("1-6, 2-4, 3-5");
    exchange(1, 6);
    exchange(2, 4);
    exchange(3, 5);
    Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "name": "two switches",
            "topology": {"kind": "tree", "children": [3, 2]}, "link": {"bandwidth": "1GB/s"}})",
        "tree.json");
    Posed posed;
    posed.workload = std::make_unique<Workload>(std::move(workload));
    posed.allocation = std::make_unique<Allocation>(allocate(machine, {}));
    posed.problem = std::make_unique<Problem>(*posed.workload, posed.allocation->network, 1);
    posed.default_placement = default_placement(6, *posed.allocation);
    return posed;
}

Mapping on_nodes(const Posed& posed, const std::vector<int>& nodes) {
    std::vector<NodeId> node_of_rank;
    for (const int n : nodes) node_of_rank.push_back(NodeId(n));
    return Mapping::from_nodes(node_of_rank, posed.allocation->node_count(), posed.allocation->ranks_per_node);
}

/// Bytes over the links between the switches.
std::int64_t upper_traffic(const Posed& posed, const Metrics& metrics) {
    const auto& tree = *topology_value<FatTree>(posed.allocation->network.topology());
    std::int64_t sum = 0;
    for (std::int32_t s = 0; s < 2; ++s) {
        sum += metrics.link_bytes[tree.up_link(1, s, 0).index()] + metrics.link_bytes[tree.down_link(1, s, 0).index()];
    }
    return sum;
}

/// Two switches whose link has a tenth of the bandwidth of the nodes' links.
TEST(MostLoadedLinks, are_ranked_by_time_and_not_by_bytes) {
    Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "name": "two switches", "topology": {"kind": "tree", "children": [2, 2],
            "bandwidth": ["10GB/s", "1GB/s"]}, "link": {"bandwidth": "10GB/s"}})",
        "tree.json");
    Workload workload(4);
    workload.add_set("all");
    workload.add_message(RankId(0), RankId(1), 5000);  // within a switch
    workload.add_message(RankId(1), RankId(2), 1000);
    const Allocation allocation = allocate(machine, {});
    const Problem problem(workload, allocation.network, 1);
    const auto links = most_loaded_links(problem, default_placement(4, allocation), 2, 8);
    ASSERT_EQ(links.size(), 2U);
    for (const HotLink& link : links) {
        EXPECT_EQ(link.load_bytes, 1000);
        EXPECT_DOUBLE_EQ(link.seconds, 1e-6);
    }
}

TEST(SixTaskTree, grouping_123_456_collides_three_times_in_the_last_step) {
    const Posed posed = six_task_tree();
    const Metrics metrics = measure(*posed.problem, on_nodes(posed, {0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(metrics.set_contention, (std::vector<std::int64_t>{1, 1, 1, 3}));
    EXPECT_DOUBLE_EQ(metrics.tac3_seconds, 6e-6);
}

TEST(SixTaskTree, grouping_135_246_collides_nowhere_with_the_same_upper_traffic) {
    const Posed posed = six_task_tree();
    // Numbered from 1, ranks 1, 3, 5 are on the first switch, ranks 2, 4, 6 on the second.
    const Metrics metrics = measure(*posed.problem, on_nodes(posed, {0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(metrics.set_contention, (std::vector<std::int64_t>{1, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(metrics.tac3_seconds, 4e-6);
    const Metrics other = measure(*posed.problem, on_nodes(posed, {0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(upper_traffic(posed, metrics), upper_traffic(posed, other));
}

TEST(Tac3, bound_with_one_rank_per_node_is_the_sum_of_the_largest_messages) {
    Workload workload(4);
    workload.add_set("a");
    workload.add_message(RankId(0), RankId(1), 700);
    workload.add_message(RankId(2), RankId(2), 9000);  // to self: no link
    workload.add_set("b");
    workload.add_message(RankId(0), RankId(1), 100);
    workload.add_message(RankId(1), RankId(2), 300);
    workload.add_set("nothing");
    workload.add_message(RankId(0), RankId(1), 0);
    const Posed posed = pose("bound", workload, "mesh:2x2", {});
    const Tac3 tac3(*posed.problem, {}, posed.default_placement);
    EXPECT_EQ(tac3.lower_bound(), 1000);
}

TEST(Tac3, bound_with_several_ranks_per_node_counts_only_what_cannot_stay_inside) {
    // 0 - 1 and 2 - 3 fit on nodes of two slots each; 0 - 1 - 2 does not, and its lighter message must leave the node.
    Workload pairs(4);
    pairs.add_set("pairs");
    pairs.add_message(RankId(0), RankId(1), 500);
    pairs.add_message(RankId(2), RankId(3), 400);
    pairs.add_set("path");
    pairs.add_message(RankId(0), RankId(1), 500);
    pairs.add_message(RankId(1), RankId(2), 300);
    const Posed posed = pose("bound", pairs, "mesh:2", {.ranks_per_node = 2});
    const Tac3 tac3(*posed.problem, {}, posed.default_placement);
    EXPECT_EQ(tac3.lower_bound(), 300);
}

TEST(Tac3, unequal_sizes_cost_what_their_own_route_collides) {
    // 0 -> 2 and 1 -> 2 share the link 1 -> 2; the large message 3 -> 2 arrives alone from the other side.
    //   0 - 1 - 2 - 3
    Workload workload(4);
    workload.add_set("all");
    workload.add_message(RankId(0), RankId(2), 10);
    workload.add_message(RankId(1), RankId(2), 30);
    workload.add_message(RankId(3), RankId(2), 50);
    const Posed posed = pose("line", workload, "mesh:4", {});
    const Metrics metrics = measure(*posed.problem, posed.default_placement);
    EXPECT_EQ(metrics.tac3_scaled, 60) << "30 bytes, two messages on its link";
    EXPECT_EQ(metrics.tac3_bytes_scaled, 50);
    EXPECT_EQ(metrics.hop_bytes, 10 * 2 + 30 + 50);
    EXPECT_EQ(metrics.max_link_bytes, 50);
}

// All-to-all on 96 nodes of a Tofu machine, whose routes are shorter than on its logical torus.
TEST(Weighted, a_sum_with_rmatt_3d_is_reported_on_the_real_topology_without_a_bound) {
    PatternOptions options;
    options.ranks = 96;
    const Posed posed = pose("", make_pattern("alltoall-pairwise", options), "fx10", {.shape = {2, 2, 2, 2, 3, 2}});
    const auto objective = bind_objective(parse_objective("weighted(hop-bytes=0.001,rmatt-3d=1)"), *posed.problem,
                                          posed.default_placement);
    const Standing standing =
        objective->standing(posed.default_placement, measure(*posed.problem, posed.default_placement));
    EXPECT_DOUBLE_EQ(standing.value, 1.001);
    EXPECT_DOUBLE_EQ(standing.search_value.value(), 1.001);
    EXPECT_FALSE(standing.lower_bound.has_value());
    EXPECT_FALSE(standing.optimal);
    const auto without =
        bind_objective(parse_objective("weighted(hop-bytes=1,rmatt=1)"), *posed.problem, posed.default_placement);
    EXPECT_TRUE(without->standing(posed.default_placement, measure(*posed.problem, posed.default_placement))
                    .lower_bound.has_value());
}

// rmatt states its changes relative to the default placement of each allocation, so the allocations' changes cannot
// simply be added. Tested on a line of 16 nodes in order, and with the nodes shuffled.
TEST(Robust, the_change_of_a_mean_rises_and_falls_with_it) {
    const Posed posed = pose("", testing_problems::random_workload(12, 2, 30, true, 1), "mesh:16", {});
    Random random(2);
    std::vector<SlotId> slots;
    for (std::int32_t s = 0; s < 16; ++s) slots.emplace_back(s);
    RobustJob job{RobustMeasure::kMean, {{posed.problem.get(), slots}}};
    random.shuffle(std::span<SlotId>(slots));
    job.variants.push_back({posed.problem.get(), slots});
    posed.problem->set_robust_job(&job);
    Robust<Rmatt> robust(*posed.problem, {"rmatt"}, posed.default_placement);
    Mapping mapping = posed.default_placement;
    robust.reset(mapping);
    int rises = 0;
    for (int step = 0; step < 2000; ++step) {
        const Move move = testing_problems::random_move(mapping, posed.allocation->network, random);
        if (move.empty()) continue;
        const auto before = robust.value();
        const Change change = robust.propose(mapping, move);
        ASSERT_EQ(change.value > 0, robust.value() > before) << step;
        ASSERT_EQ(change.value < 0, robust.value() < before) << step;
        rises += change.value > 0 ? 1 : 0;
        robust.commit();
        mapping.apply(move);
        ASSERT_EQ(robust.value(), robust.value_from_scratch(mapping));
    }
    EXPECT_GT(rises, 500);
}

TEST(HopBytes, bound_of_a_stencil_in_place_is_reached) {
    PatternOptions options;
    options.dims = {4, 4, 4};
    options.periodic = true;
    const Posed posed = pose("stencil", make_pattern("stencil3d", options), "torus:4x4x4", {});
    const HopBytes hop_bytes(*posed.problem, {}, posed.default_placement);
    EXPECT_EQ(hop_bytes.lower_bound(), hop_bytes.value_from_scratch(posed.default_placement));
}

TEST(HopBytes, bound_with_many_partners_goes_beyond_the_nearest_nodes) {
    // One rank in the middle of a line of five sends to four others: two at distance 1, two at distance 2.
    Workload star(5);
    star.add_set("star");
    for (int r = 1; r < 5; ++r) star.add_message(RankId(0), RankId(r), 10);
    const Posed posed = pose("star", star, "mesh:5", {});
    const HopBytes hop_bytes(*posed.problem, {}, posed.default_placement);
    // The centre's own bound is 60, each leaf's is 10; the total is half of 60 + 4 * 10.
    EXPECT_EQ(hop_bytes.lower_bound(), 50);
}

/// A line of nodes with these numbers of open rank slots.
Allocation line_with_slots(std::vector<std::int32_t> slots) {
    Allocation line =
        allocate(load_machine("mesh:" + std::to_string(slots.size())), {.ranks_per_node = std::ranges::max(slots)});
    line.slots_of_node = std::move(slots);
    return line;
}

TEST(HopBytes, bound_counts_only_open_slots) {
    // The centre of the star and three others share the largest node. Two others are at distance 1, two at distance 2.
    Workload star(8);
    star.add_set("star");
    for (int r = 1; r < 8; ++r) star.add_message(RankId(0), RankId(r), 10);
    const Posed posed = pose("star", star, line_with_slots({1, 1, 4, 1, 1}));
    const HopBytes hop_bytes(*posed.problem, {}, posed.default_placement);
    EXPECT_EQ(hop_bytes.lower_bound(), 30) << "half of the centre's 60";
    EXPECT_EQ(MaxHops(*posed.problem, {}, posed.default_placement).lower_bound(), 2);
}

/// Checks the bounds against every placement on a line of nodes with 2, 1, 2 and 1 open slots.
TEST(LowerBounds, of_jobs_with_closed_slots_hold_for_every_placement) {
    int above_zero = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Posed posed =
            pose("line", testing_problems::random_workload(6, 2, 6, true, seed), line_with_slots({2, 1, 2, 1}));
        const Problem& problem = *posed.problem;
        const HopBytes hop_bytes(problem, {}, posed.default_placement);
        const MaxHops max_hops(problem, {}, posed.default_placement);
        const MaxLinkLoad load(problem, {}, posed.default_placement);
        const Tac3 tac3(problem, {}, posed.default_placement);
        above_zero += *hop_bytes.lower_bound() > 0 ? 1 : 0;
        std::vector<std::int32_t> order = {0, 0, 1, 2, 2, 3};
        do {
            std::vector<NodeId> placed;
            for (const std::int32_t node : order) placed.emplace_back(node);
            const Mapping mapping = Mapping::from_nodes(placed, 4, 2);
            ASSERT_GE(hop_bytes.value_from_scratch(mapping), *hop_bytes.lower_bound());
            ASSERT_GE(max_hops.value_from_scratch(mapping), *max_hops.lower_bound());
            ASSERT_GE(load.value_from_scratch(mapping), *load.lower_bound());
            ASSERT_GE(tac3.value_from_scratch(mapping), *tac3.lower_bound());
        } while (std::ranges::next_permutation(order).found);
    }
    EXPECT_GT(above_zero, 10);
}

TEST(Problem, sums_beyond_63_bits_are_an_input_error) {
    Workload workload(4);
    workload.add_set("huge");
    for (int i = 0; i < 20'000; ++i) workload.add_message(RankId(0), RankId(1), kLargestMessageBytes);
    EXPECT_THROW(pose("huge", workload, "mesh:4", {}), InputError);
}

TEST(Registry, objectives_are_read_back_as_written) {
    EXPECT_EQ(to_string(parse_objective("tac3")), "tac3");
    EXPECT_EQ(to_string(parse_objective("weighted(hop-bytes=0.7,tac3=0.3)")), "weighted(hop-bytes=0.7,tac3=0.3)");
    for (const char* text :
         {"tac4", "", "weighted", "weighted()", "weighted(tac3)", "weighted(tac3=0)", "weighted(tac3=-1)",
          "weighted(tac3=nan)", "weighted(weighted=1)", "tac3(a=1)", "weighted(tac3=1", "weighted(nothing=1)"}) {
        EXPECT_THROW((void)parse_objective(text), OptionError) << text;
    }
    try {
        (void)parse_objective("hop-byte");
    } catch (const OptionError& error) {
        EXPECT_EQ(error.hint(), "did you mean 'hop-bytes'?");
    }
}

TEST(Mapping, from_nodes_rejects_full_and_unknown_nodes) {
    const std::vector<NodeId> twice = {NodeId(0), NodeId(0)};
    EXPECT_THROW((void)Mapping::from_nodes(twice, 2, 1), OptionError);
    EXPECT_NO_THROW((void)Mapping::from_nodes(twice, 2, 2));
    EXPECT_THROW((void)Mapping::from_nodes(std::vector<NodeId>{NodeId(2)}, 2, 1), OptionError);
    EXPECT_THROW((void)Mapping::from_nodes(std::vector<NodeId>{NodeId(-1)}, 2, 1), OptionError);
}

TEST(Mapping, undo_takes_a_move_back) {
    const Posed posed = pose("ring", testing_problems::random_workload(10, 1, 20, false, 1), "mesh:4x4", {});
    Mapping mapping = posed.default_placement;
    Random random(3);
    for (int step = 0; step < 200; ++step) {
        const Mapping before = mapping;
        const Move move = testing_problems::random_move(mapping, posed.allocation->network, random);
        mapping.apply(move);
        mapping.undo(move);
        ASSERT_EQ(mapping, before);
        mapping.apply(move);
    }
}

}  // namespace
}  // namespace haichi
