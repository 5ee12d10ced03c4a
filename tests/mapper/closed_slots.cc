// Nodes with different numbers of rank slots: no placement uses more slots of a node than it has.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <numeric>

#include "base/errors.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/solve/strategy.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using namespace testing_jobs;

/// Returns a job with these numbers of rank slots on its nodes 0, 1 and so on.
JobSpec with_slots(const std::string& machine, const std::vector<std::int32_t>& slots, Workload workload) {
    std::vector<std::string> nodes;
    for (std::size_t n = 0; n < slots.size(); ++n) nodes.push_back(std::to_string(n) + ":" + std::to_string(slots[n]));
    JobSpec spec = asked(machine, std::move(workload)).job;
    spec.allocation.nodes = std::move(nodes);
    return spec;
}

std::vector<std::int32_t> ranks_on(const Mapping& mapping) {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(mapping.node_count()), 0);
    for (const NodeId node : mapping.node_of_rank()) ++ranks[node.index()];
    return ranks;
}

RC_GTEST_PROP(ClosedSlots, are_used_by_no_strategy, ()) {
    const auto machine = *rc::gen::element<std::string>("torus:3x4", "fattree:2x6", "tree:3x4", "mesh:12");
    const auto slots = *rc::gen::container<std::vector<std::int32_t>>(12, rc::gen::inRange(1, 6));
    const std::int32_t total = std::accumulate(slots.begin(), slots.end(), 0);
    const std::int32_t ranks = std::max(total - *rc::gen::element(0, 1, 7), 2);
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    const Job job(with_slots(machine, slots, testing_problems::random_workload(ranks, 2, 3 * ranks, true, seed)));
    for (const StrategyRow& strategy : strategies()) {
        if (strategy.name == "unit-blocks" || strategy.name == "exhaustive") continue;
        MapOptions options;
        options.strategy = strategy.name;
        options.objective.name = "hop-bytes";
        options.search.seed = seed;
        options.search.threads = 1;
        if (strategy.is_tuned) options.search.evaluations = 1000;
        const std::vector<std::int32_t> used = ranks_on(solve(job, options).mapping());
        for (std::size_t n = 0; n < slots.size(); ++n) RC_ASSERT(used[n] <= slots[n]);
    }
}

RC_GTEST_PROP(ClosedSlots, are_used_by_no_kind_of_move, ()) {
    const auto slots = *rc::gen::container<std::vector<std::int32_t>>(9, rc::gen::inRange(1, 5));
    const std::int32_t total = std::accumulate(slots.begin(), slots.end(), 0);
    const std::int32_t ranks = std::max(total - *rc::gen::element(0, 3), 2);
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    const Job job(with_slots("torus:3x3", slots, testing_problems::random_workload(ranks, 2, 3 * ranks, true, seed)));
    for (const MoveKind kind :
         {MoveKind::kUniform, MoveKind::kEmpty, MoveKind::kNeighbour, MoveKind::kStep, MoveKind::kFocused}) {
        MapOptions options;
        options.strategy = "anneal";
        options.objective.name = "tac3";
        options.search.moves = {kind};
        options.search.seed = seed;
        options.search.threads = 1;
        options.search.restarts = 1;
        options.search.evaluations = 200;
        const std::vector<std::int32_t> used = ranks_on(solve(job, options).mapping());
        for (std::size_t n = 0; n < slots.size(); ++n) RC_ASSERT(used[n] <= slots[n]);
    }
}

TEST(ClosedSlots, are_left_empty_by_the_default_placement) {
    const Workload workload = testing_problems::random_workload(10, 1, 30, true, 1);
    EXPECT_EQ(ranks_on(Job(with_slots("mesh:3", {4, 2, 4}, workload)).default_placement()),
              (std::vector<std::int32_t>{4, 2, 4}));
    JobSpec spec = with_slots("mesh:3", {4, 2, 4}, workload);
    spec.allocation.rank_order.by_node = true;
    const Mapping by_node = Job(spec).default_placement();
    std::vector<std::int32_t> nodes;
    for (const NodeId node : by_node.node_of_rank()) nodes.push_back(node.value);
    EXPECT_EQ(nodes, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0, 2, 0, 2}));
}

std::string refusal_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
}

TEST(ClosedSlots, are_refused_in_maps_and_where_all_nodes_must_be_alike) {
    const Workload workload = testing_problems::random_workload(10, 1, 30, true, 1);
    const JobSpec spec = with_slots("mesh:3", {4, 2, 4}, workload);
    const Job job(spec);
    const std::vector<std::int32_t> nodes = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
    std::vector<NodeId> given;
    for (const std::int32_t node : nodes) given.push_back(NodeId(node));
    EXPECT_EQ(refusal_of([&] { (void)given_placement(job, given); }),
              "rank 6 does not fit on node (1), which has 2 rank slots | ");
    const std::string csv = "rank,node\n0,0\n1,0\n2,0\n3,0\n4,1\n5,1\n6,1\n7,2\n8,2\n9,2\n";
    EXPECT_EQ(refusal_of([&] {
                  (void)parse_rank_map(csv, "map.csv", "csv", job.rank_maps());
              }).starts_with("map.csv:8: rank 6 does not fit on node (1) (at most 2)"),
              true);
    EXPECT_TRUE(refusal_of([&] {
                    check_rank_map_format(rank_map_format("cray"), job.rank_maps());
                }).starts_with("the format cray requires the same number"));
    EXPECT_TRUE(refusal_of([&] {
                    (void)Job(with_slots("mesh:3", {4, 2, 3}, workload));
                }).starts_with("10 ranks do not fit on 3 nodes with 9 rank slots"));
    JobSpec with_imbalance = spec;
    with_imbalance.imbalance = 0.1;
    EXPECT_TRUE(refusal_of([&] { (void)Job(with_imbalance); }).starts_with("§imbalance cannot be combined"));
}

TEST(ClosedSlots, are_not_taken_from_the_cores_in_a_rankfile) {
    const Job job(with_slots("mesh:2", {1, 3}, testing_problems::random_workload(4, 1, 9, true, 1)));
    const std::string text = "rank 0=+n0 slot=2\nrank 1=+n1 slot=0\nrank 2=+n1 slot=1\nrank 3=+n1 slot=2\n";
    const Mapping mapping = parse_rank_map(text, "rankfile", "openmpi", job.rank_maps());
    EXPECT_EQ(mapping.slot(RankId(0)), SlotId(0));
}

}  // namespace
}  // namespace haichi
