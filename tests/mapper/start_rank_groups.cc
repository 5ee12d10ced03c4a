#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "mapper/solve/grouped_start.h"
#include "mapper/start/bisection.h"
#include "mapper/start/node_blocks.h"
#include "mapper/start/rank_groups.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

using namespace testing_jobs;

bool always() { return true; }

Workload random_geometric(std::int32_t ranks) {
    PatternOptions options;
    options.ranks = ranks;
    options.shuffle_seed = 3;
    return make_pattern("random-geometric", options);
}

Job packed_job(Workload workload, const std::string& machine, std::int32_t ranks_per_node) {
    JobSpec spec;
    spec.machine = machine;
    spec.traffic.source = std::move(workload);
    spec.allocation.ranks_per_node = ranks_per_node;
    return Job(spec);
}

RankGroups groups_of(const Job& job, std::uint64_t seed = 1) {
    return rank_groups(job.problem()->problem, job.allocation().ranks_per_node, seed, always).value();
}

TEST(RankGroups, are_as_few_as_hold_all_ranks) {
    for (const std::int32_t ranks : {7, 64, 301}) {
        const RankGroups groups = groups_of(packed_job(random_geometric(ranks), "torus:4x4x4", 5));
        EXPECT_EQ(groups.count, (ranks + 4) / 5);
        std::vector<std::int32_t> ranks_in(static_cast<std::size_t>(groups.count), 0);
        for (const std::int32_t group : groups.of_rank) ++ranks_in.at(static_cast<std::size_t>(group));
        EXPECT_EQ(static_cast<std::int32_t>(groups.of_rank.size()), ranks);
        EXPECT_LE(std::ranges::max(ranks_in), 5);
    }
}

// Rank r sends to r + 16, r + 32 and r + 48 within its group, and a little to r + 1.
TEST(RankGroups, ranks_that_talk_most_share_one) {
    Workload workload(64);
    workload.add_set("quads");
    for (std::int32_t r = 0; r < 64; ++r) {
        workload.add_message(RankId(r), RankId((r + 16) % 64), 1000);
        workload.add_message(RankId(r), RankId((r + 1) % 64), 10);
    }
    const RankGroups groups = groups_of(packed_job(workload, "torus:4x4", 4));
    for (std::int32_t r = 0; r < 16; ++r) {
        const std::set<std::int32_t> groups_of_quad = {
            groups.of_rank[static_cast<std::size_t>(r)], groups.of_rank[static_cast<std::size_t>(r + 16)],
            groups.of_rank[static_cast<std::size_t>(r + 32)], groups.of_rank[static_cast<std::size_t>(r + 48)]};
        EXPECT_EQ(groups_of_quad.size(), 1) << "rank " << r;
    }
}

TEST(RankGroups, same_seed_gives_same_groups_and_a_long_partition_gives_up_when_told_to) {
    const Job job = packed_job(random_geometric(300), "torus:4x4x5", 4);
    EXPECT_EQ(groups_of(job, 7).of_rank, groups_of(job, 7).of_rank);
    EXPECT_FALSE(rank_groups(job.problem()->problem, 4, 7, [] { return false; }));
}

TEST(RankGroups, exchange_what_their_ranks_do) {
    Workload workload(6);
    workload.add_set("one");
    workload.add_message(RankId(0), RankId(1), 100);  // inside a group
    workload.add_message(RankId(0), RankId(2), 7);
    workload.add_message(RankId(3), RankId(1), 5);
    workload.add_set("two");
    workload.add_message(RankId(4), RankId(1), kLargestMessageBytes);
    workload.add_message(RankId(0), RankId(5), kLargestMessageBytes - 1);
    const Job job = packed_job(workload, "torus:3", 2);
    const Workload between = traffic_between(job.problem()->problem, {.of_rank = {0, 0, 1, 1, 2, 2}, .count = 3});
    EXPECT_EQ(between.rank_count(), 3);
    EXPECT_EQ(between.total_bytes(), 12 + 2 * kLargestMessageBytes - 1);
    EXPECT_EQ(between.crossing_message_count(), 3);  // bytes too large for one message become two messages
    EXPECT_EQ(between.messages().front(), (Message{RankId(0), RankId(1), 12}));
}

TEST(NodeBlocks, hops_between_them_are_multiples_of_a_hop) {
    for (const auto& [machine, nodes_per_block, hops] :
         {std::tuple("torus:4x4x8", 8, 2), std::tuple("mesh:9x3x6", 27, 3), std::tuple("torus:2x8x3x5", 6, 1)}) {
        const Job job = packed_job(Workload(1), machine, 1);
        const Network& network = job.allocation().network;
        const NodeBlocks blocks = node_blocks(network).value();
        EXPECT_EQ(blocks.nodes_per_block(), nodes_per_block) << machine;
        ASSERT_EQ(static_cast<std::size_t>(blocks.network.node_count()), blocks.nodes.size());
        for (std::size_t a = 0; a < blocks.nodes.size(); ++a) {
            EXPECT_EQ(static_cast<std::int32_t>(blocks.nodes[a].size()), nodes_per_block);
            for (std::size_t b = 0; b < blocks.nodes.size(); ++b) {
                EXPECT_EQ(network.hops(blocks.nodes[a].front(), blocks.nodes[b].front()),
                          hops * blocks.network.hops(NodeId(a), NodeId(b)));
            }
        }
    }
}

TEST(NodeBlocks, are_units_on_tofu) {
    JobSpec spec;
    spec.machine = "fugaku";
    spec.traffic.source = Workload(1);
    spec.allocation.shape = {4, 5, 3, 2, 3, 2};
    const NodeBlocks blocks = node_blocks(Job(spec).allocation().network).value();
    EXPECT_EQ(blocks.nodes_per_block(), 36);  // Z is short, so blocks include it
    EXPECT_EQ(blocks.network.node_count(), 20);
}

TEST(NodeBlocks, are_not_where_axes_do_not_divide_or_nodes_have_no_coordinates) {
    for (const char* machine : {"torus:5x5x5", "torus:8x9", "torus:2x3", "fattree:2x4", "dragonfly:4,9,4"}) {
        EXPECT_FALSE(node_blocks(packed_job(Workload(1), machine, 1).allocation().network)) << machine;
    }
}

TEST(BisectionWithin, leaves_ranks_in_their_blocks) {
    const Job job = packed_job(random_geometric(60), "torus:4x4x4", 1);
    const auto held = job.problem();
    const Problem& problem = held->problem;
    const NodeBlocks blocks = node_blocks(problem.network()).value();
    std::vector<std::int32_t> block_of_rank;
    for (std::int32_t r = 0; r < 60; ++r) block_of_rank.push_back(r % 8);
    const Mapping mapping = bisection_within(problem, blocks.nodes, block_of_rank, 1, always).value();
    for (std::int32_t r = 0; r < 60; ++r) {
        EXPECT_EQ(mapping.rank(mapping.slot(RankId(r))), RankId(r));
        const auto& block = blocks.nodes[static_cast<std::size_t>(r % 8)];
        EXPECT_NE(std::ranges::find(block, mapping.node(RankId(r))), block.end()) << "rank " << r;
    }
}

TEST(GroupedStart, leads_a_short_search_further_than_bisection) {
    Asked grouped = asked("torus:4x3x2", random_geometric(1152), "hop-bytes");
    grouped.job.allocation.ranks_per_node = 48;
    grouped.search.search.restarts = 1;
    grouped.search.search.evaluations = 300'000;
    Asked bisected = grouped;
    bisected.search.start = "bisection";
    EXPECT_LT(found(grouped).metrics.hop_bytes, found(bisected).metrics.hop_bytes);
}

TEST(GroupedStart, places_every_rank_of_large_jobs_by_blocks) {
    const Job job = packed_job(random_geometric(2200), "mesh:16x16x9", 1);
    const PosedJob posed(job, {.name = "hop-bytes"});
    EXPECT_FALSE(ranks_are_grouped(posed.problem()));
    const Job divided = packed_job(random_geometric(2200), "mesh:16x16x10", 1);
    const PosedJob large(divided, {.name = "hop-bytes"});
    ASSERT_TRUE(ranks_are_grouped(large.problem()));
    const Mapping mapping = grouped_start(large.problem(), divided.allocation(), {{}, {}, always}).value();
    for (std::int32_t r = 0; r < 2200; ++r) EXPECT_EQ(mapping.rank(mapping.slot(RankId(r))), RankId(r));
}

TEST(GroupedStart, one_node_holds_all) {
    const Job job = packed_job(random_geometric(20), "torus:2x2", 32);
    const PosedJob posed(job, {.name = "hop-bytes"});
    const Mapping grouped = grouped_start(posed.problem(), job.allocation(), {{}, {}, always}).value();
    EXPECT_EQ(posed.objective->standing(grouped).value, 0);
}

}  // namespace
}  // namespace haichi
