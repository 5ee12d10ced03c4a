#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/errors.h"
#include "mapper/partition/balanced_blocks.h"
#include "mapper/partition/block_tree.h"
#include "mapper/partition/evolution.h"
#include "mapper/partition/minimum_cut.h"
#include "mapper/rankmap/rankmap.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

using namespace testing_jobs;

constexpr const char* kTree = "tree:2x3x4,distance=1:10:100";

/// A random graph with weights, in which neighbours are near each other.
Workload random_graph(std::int32_t ranks, std::uint64_t seed, std::int64_t most_weight) {
    Random random(seed);
    Workload workload(ranks);
    workload.add_set("graph");
    for (std::int32_t a = 0; a < ranks; ++a) {
        for (int k = 0; k < 3; ++k) {
            const std::int32_t b = (a + 1 + static_cast<std::int32_t>(random.below(9))) % ranks;
            if (b == a) continue;
            const std::int64_t bytes = 1 + random.below(20);
            workload.add_message(RankId(a), RankId(b), bytes);
            workload.add_message(RankId(b), RankId(a), bytes);
        }
    }
    if (most_weight > 1) {
        std::vector<std::int64_t> weights;
        for (std::int32_t r = 0; r < ranks; ++r) {
            weights.push_back(random.below(static_cast<std::uint32_t>(most_weight)) + (r == 0 ? 1 : 0));
        }
        workload.set_rank_weights(std::move(weights));
    }
    return workload;
}

Asked balanced(Workload workload, const std::string& machine, double imbalance) {
    Asked asked = testing_jobs::asked(machine, std::move(workload), "auto");
    asked.job.imbalance = imbalance;
    asked.search.search.threads = 1;
    return asked;
}

std::vector<std::int64_t> node_weights(const Workload& workload, const Mapping& mapping) {
    std::vector<std::int64_t> weights(static_cast<std::size_t>(mapping.node_count()), 0);
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        const auto own = workload.rank_weights();
        weights[mapping.node(RankId(r)).index()] += own.empty() ? 1 : own[static_cast<std::size_t>(r)];
    }
    return weights;
}

/// Distance of two nodes of kTree by its definition.
std::int64_t tree_distance(std::int32_t a, std::int32_t b) {
    if (a == b) return 0;
    if (a / 2 == b / 2) return 1;
    return a / 6 == b / 6 ? 10 : 100;
}

RC_GTEST_PROP(Partition, never_exceeds_the_capacity_of_a_node, ()) {
    const std::int32_t ranks = *rc::gen::inRange(24, 300);
    const std::int64_t most_weight = *rc::gen::element<std::int64_t>(1, 3, 50);
    const double imbalance = *rc::gen::element(0.0, 0.03, 0.2, 1.0);
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    const auto machine = *rc::gen::element<std::string>(kTree, "torus:4x6", "mesh:5");
    Asked asked = balanced(random_graph(ranks, seed, most_weight), machine, imbalance);
    asked.search.search.seed = seed;
    asked.search.search.evaluations = 2000;
    const Workload& workload = std::get<Workload>(asked.job.traffic.source);
    std::optional<Job> job;
    try {
        job.emplace(asked.job);
    } catch (const OptionError&) {
        RC_DISCARD("no distribution");
    }
    const Placement placement = map(*job, asked.search);
    const auto weights = node_weights(workload, placement.mapping());
    const auto total = std::reduce(weights.begin(), weights.end());
    const double mean = static_cast<double>(total) / static_cast<double>(weights.size());
    RC_ASSERT(std::ranges::max(weights) <= static_cast<std::int64_t>(std::ceil((1 + imbalance) * mean * (1 - 1e-12))));
    RC_ASSERT(std::ranges::max(node_weights(workload, job->default_placement())) <= job->balance()->capacity);
}

TEST(Partition, has_the_hop_bytes_of_the_definition) {
    const Asked asked = balanced(random_graph(500, 7, 5), kTree, 0.05);
    const Evaluation evaluation = found(asked);
    const Mapping& mapping = evaluation.placement.mapping();
    std::int64_t sum = 0;
    for (const Message& m : std::get<Workload>(asked.job.traffic.source).messages()) {
        sum += m.size_bytes * tree_distance(mapping.node(m.source).value, mapping.node(m.destination).value);
    }
    EXPECT_EQ(evaluation.metrics.hop_bytes, sum);
    EXPECT_EQ(evaluation.asked.objective, "hop-bytes");
    EXPECT_LT(evaluation.asked.value, evaluation.usual.value);
    EXPECT_EQ(evaluation.placement.search()->strategy, "partition");
}

TEST(Partition, is_the_same_on_any_number_of_threads) {
    std::vector<std::vector<NodeId>> results;
    for (const std::int32_t threads : {1, 2, 5}) {
        Asked asked = balanced(random_graph(2000, 3, 4), "tree:3x4x5,distance=1:10:100", 0.03);
        asked.search.search.threads = threads;
        asked.search.search.evaluations = 300'000;
        const Placement placement = map(Job(asked.job), asked.search);
        const auto nodes = placement.mapping().node_of_rank();
        results.emplace_back(nodes.begin(), nodes.end());
        EXPECT_TRUE(placement.search()->reproducible);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

// Eight cliques of six ranks on eight nodes in pairs. Neighbouring cliques share an edge.
TEST(Partition, keeps_cliques_on_nodes) {
    Workload workload(48);
    workload.add_set("cliques");
    const auto link = [&](std::int32_t a, std::int32_t b) {
        // Members of clique c are c, c + 8, c + 16 and so on.
        workload.add_message(RankId(a), RankId(b), 10);
    };
    for (std::int32_t c = 0; c < 8; ++c) {
        for (std::int32_t i = 0; i < 6; ++i) {
            for (std::int32_t j = 0; j < i; ++j) link(c + 8 * i, c + 8 * j);
        }
        if (c % 2 == 0) link(c, c + 1);
    }
    const Evaluation evaluation = found(balanced(std::move(workload), "tree:2x4,distance=1:10", 0));
    EXPECT_EQ(evaluation.metrics.hop_bytes, 4 * 10);
}

TEST(Partition, places_parts_on_a_torus_near_their_partners) {
    Asked asked = balanced(random_graph(640, 2, 1), "torus:4x4x4", 0.1);
    const Evaluation evaluation = found(asked);
    EXPECT_LT(evaluation.metrics.hop_bytes, evaluation.default_metrics.hop_bytes);
    EXPECT_EQ(evaluation.placement.job().balance()->capacity, 11);
}

TEST(Partition, refuses_ranks_heavier_than_a_node) {
    Workload workload = random_graph(48, 1, 1);
    std::vector<std::int64_t> weights(48, 1);
    weights[5] = 30;
    workload.set_rank_weights(weights);
    try {
        const Job job(balanced(std::move(workload), kTree, 0.03).job);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find("rank 5 has the weight 30"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("at most 4"), std::string::npos) << error.what();
    }
}

TEST(Partition, refuses_weights_that_fit_no_distribution) {
    // Three ranks of weight 2 on two nodes of capacity 3.
    Workload workload(3);
    workload.add_set("none");
    workload.set_rank_weights({2, 2, 2});
    EXPECT_THROW(Job(balanced(workload, "mesh:2", 0).job), OptionError);
    EXPECT_NO_THROW(Job(balanced(workload, "mesh:2", 0.34).job));
    workload.set_rank_weights({0, 0, 0});
    EXPECT_THROW(Job(balanced(workload, "mesh:2", 0.3).job), OptionError);
    EXPECT_THROW(workload.set_rank_weights({1, 1, -1}), InputError);
    EXPECT_THROW(workload.set_rank_weights({1, 1}), InputError);
}

TEST(Partition, refuses_maps_and_options_that_do_not_fit) {
    Asked asked = balanced(random_graph(48, 1, 1), kTree, 0.03);
    const Job job(asked.job);
    EXPECT_THROW(given_placement(job, std::vector<NodeId>(48, NodeId(0))), Error);
    asked.search.objective.name = "tac3";
    EXPECT_THROW(map(job, asked.search), OptionError);
    asked.search.objective.name = "hop-bytes";
    asked.search.strategy = "anneal";
    EXPECT_THROW(map(job, asked.search), OptionError);
    asked.job.allocation.ranks_per_node = 2;
    EXPECT_THROW(Job(asked.job), OptionError);
}

TEST(Partition, maps_have_formats_without_slots) {
    const Job job(balanced(random_graph(48, 1, 1), kTree, 0.5).job);
    const RankMapContext context = job.rank_maps();
    EXPECT_EQ(default_rank_map_format(context).name, "json");
    std::vector<std::string> names;
    for (const RankMapFormat& format : rank_map_formats()) {
        if (!format.describes_groups) {
            EXPECT_THROW(check_rank_map_format(format, context), UnsupportedError) << format.name;
            continue;
        }
        check_rank_map_format(format, context);
        names.push_back(format.name);
        const std::string text = format.write(job.default_placement(), context);
        EXPECT_EQ(parse_rank_map(text, "map", "", context), job.default_placement()) << format.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"csv", "partition", "json"}));
    const auto read = [&](const std::string& text) { (void)parse_rank_map(text, "map", "partition", context); };
    std::string text;
    for (int r = 0; r < 48; ++r) text += std::to_string(r / 2) + "\n";
    EXPECT_NO_THROW(read(text));
    EXPECT_THROW(read(text + "3\n"), InputError);
    EXPECT_THROW(read("24\n" + text.substr(2)), InputError);
    EXPECT_THROW(read("-1\n" + text.substr(2)), InputError);
    EXPECT_THROW(read("1 2\n" + text.substr(2)), InputError);
    EXPECT_THROW(read("23\n23\n" + text.substr(4)), InputError) << "four ranks on node 23, but at most three";
}

TEST(Partition, counts_the_vertex_weights_of_a_metis_graph) {
    const Workload workload = parse_workload("3 2 10\n4 2\n0 1 3\n2 2\n", "graph", "metis");
    EXPECT_EQ(std::vector<std::int64_t>(workload.rank_weights().begin(), workload.rank_weights().end()),
              (std::vector<std::int64_t>{4, 0, 2}));
    EXPECT_EQ(workload.with_message_size(8).rank_weights().size(), 3U);
    EXPECT_EQ(Job(balanced(workload, "mesh:2", 0.4).job).balance()->capacity, 5);
    for (const char* weight : {"-4", "1.5", "x", "281474976710657"}) {
        const std::string text = std::string("3 2 10\n4 2\n") + weight + " 1 3\n2 2\n";
        try {
            (void)parse_workload(text, "graph", "metis");
            ADD_FAILURE() << weight;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("graph:3"), std::string::npos) << error.what();
        }
    }
    EXPECT_TRUE(parse_workload("2 1 10 2\n1 2 2\n1 2 1\n", "graph", "metis").rank_weights().empty());
}

TEST(BalancedBlocks, are_consecutive_if_these_fit) {
    const std::vector<std::int64_t> ones(10, 1);
    EXPECT_EQ(balanced_blocks(ones, 4, 3).value(), (BlockOfVertex{0, 0, 1, 1, 1, 2, 2, 3, 3, 3}));
    const std::vector<std::int64_t> mixed = {3, 1, 1, 1, 3, 3};
    const auto block = balanced_blocks(mixed, 4, 3);
    ASSERT_TRUE(block);
    std::array<std::int64_t, 4> weight{};
    for (std::size_t v = 0; v < mixed.size(); ++v) weight.at(static_cast<std::size_t>((*block)[v])) += mixed[v];
    EXPECT_EQ(weight, (std::array<std::int64_t, 4>{3, 3, 3, 3}));
    EXPECT_FALSE(balanced_blocks(mixed, 3, 3));
}

TEST(BlockTree, finds_the_levels_of_a_tree_and_none_on_a_ring) {
    std::vector<std::int32_t> distances;
    for (std::int32_t a = 0; a < 24; ++a) {
        for (std::int32_t b = 0; b < 24; ++b) distances.push_back(static_cast<std::int32_t>(tree_distance(a, b)));
    }
    const BlockTree tree = block_tree(distances, 24);
    EXPECT_TRUE(tree.is_complete);
    ASSERT_EQ(tree.levels.size(), 3U);
    std::vector<std::int32_t> nodes(24);
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto parts = tree.split(nodes, 8);
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_EQ(parts[1], (std::vector<std::int32_t>{6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(tree.split(parts[1], 8).size(), 3U);
    EXPECT_EQ(tree.split(nodes, 2).size(), 2U);
    const std::vector<std::int32_t> ring = {0, 1, 2, 1, 1, 0, 1, 2, 2, 1, 0, 1, 1, 2, 1, 0};
    EXPECT_FALSE(block_tree(ring, 4).is_complete);
}

RC_GTEST_PROP(MinimumCut, equals_the_smallest_of_all_cuts, ()) {
    constexpr std::size_t kVertices = 8;
    MinimumCut cut;
    cut.reset(kVertices);
    std::vector<std::array<std::int64_t, 3>> edges;
    const auto count = *rc::gen::inRange(0, 20);
    for (int k = 0; k < count; ++k) {
        const auto a = *rc::gen::inRange<std::int32_t>(0, kVertices), b = *rc::gen::inRange<std::int32_t>(0, kVertices);
        if (a == b) continue;
        const auto weight = *rc::gen::inRange<std::int64_t>(0, 10);
        cut.add_edge(a, b, weight);
        edges.push_back({a, b, weight});
    }
    std::vector<std::int64_t> pulls;
    for (std::size_t v = 0; v < kVertices; ++v) {
        pulls.push_back(*rc::gen::inRange<std::int64_t>(-10, 10));
        cut.set_terminal(static_cast<std::int32_t>(v), pulls.back());
    }
    const auto weight_of = [&](auto&& is_at_source) {
        std::int64_t weight = 0;
        for (const auto& [a, b, w] : edges) weight += is_at_source(a) != is_at_source(b) ? w : 0;
        for (std::size_t v = 0; v < kVertices; ++v) {
            const bool at_source = is_at_source(static_cast<std::int64_t>(v));
            weight += at_source ? std::max<std::int64_t>(-pulls[v], 0) : std::max<std::int64_t>(pulls[v], 0);
        }
        return weight;
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (unsigned set = 0; set < (1U << kVertices); ++set) {
        least = std::min(least, weight_of([&](std::int64_t v) { return ((set >> v) & 1U) != 0; }));
    }
    RC_ASSERT(cut.solve() == least);
    for (const bool is_nearest_to_source : {true, false}) {
        const auto side = cut.source_side(is_nearest_to_source);
        RC_ASSERT(weight_of([&](std::int64_t v) { return side[static_cast<std::size_t>(v)] != 0; }) == least);
    }
}

}  // namespace
}  // namespace haichi
