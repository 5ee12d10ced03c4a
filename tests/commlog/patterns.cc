#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/workload/patterns.h"

namespace haichi {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs pairs(const Workload& workload, std::size_t t) {
    Pairs result;
    for (const Message& m : workload.messages(t)) result.emplace_back(m.source.value, m.destination.value);
    return result;
}

std::vector<std::string> labels(const Workload& workload) {
    std::vector<std::string> result;
    for (std::size_t t = 0; t < workload.set_count(); ++t) result.push_back(workload.set(t).label);
    return result;
}

PatternOptions with_ranks(int ranks) {
    PatternOptions options;
    options.ranks = ranks;
    return options;
}

PatternOptions with_dims(std::vector<int> dims, bool periodic = false, int points = 0) {
    PatternOptions options;
    options.dims = std::move(dims);
    options.periodic = periodic;
    options.points = points;
    return options;
}

std::string refusal(const std::string& name, const PatternOptions& options) {
    try {
        make_pattern(name, options);
    } catch (const OptionError& error) {
        return std::string(error.what()) + "|" + error.hint();
    }
    return "accepted";
}

TEST(CgPattern, sixty_four_tasks_have_three_row_sets_and_a_transpose) {
    const Workload cg = make_pattern("cg", with_ranks(64));
    EXPECT_EQ(labels(cg),
              (std::vector<std::string>{"row exchange 1", "row exchange 2", "row exchange 3", "transpose"}));
    EXPECT_EQ(cg.iterations(), 1000);
    for (std::size_t t = 0; t < 3; ++t) {
        ASSERT_EQ(cg.messages(t).size(), 64U);
        for (int task = 0; task < 64; ++task) {
            EXPECT_EQ(cg.messages(t)[static_cast<std::size_t>(task)],
                      (Message{RankId(task), RankId(task ^ (1 << t)), 1 << 20}));
        }
    }
    EXPECT_EQ(cg.messages(3).size(), 56U);  // 8 tasks on the diagonal
    for (const auto& [from, to] : pairs(cg, 3)) EXPECT_EQ(to, (from % 8) * 8 + from / 8);
}

TEST(CgPattern, thirty_two_tasks_have_eight_columns_and_four_sets) {
    const Workload cg = make_pattern("cg", with_ranks(32));
    ASSERT_EQ(cg.set_count(), 4U);
    EXPECT_EQ(pairs(cg, 2)[0], (std::pair{0, 4}));
    EXPECT_EQ(cg.messages(3).size(), 24U);
    for (const auto& [from, to] : pairs(cg, 3)) EXPECT_EQ(to, 2 * ((from / 2 % 4) * 4 + from / 2 / 4) + from % 2);
}

TEST(CgPattern, the_transpose_is_its_own_inverse_for_every_power_of_two) {
    for (int ranks = 8; ranks <= 4096; ranks *= 2) {
        const Workload cg = make_pattern("cg", with_ranks(ranks));
        const Pairs last = pairs(cg, cg.set_count() - 1);
        const std::set<std::pair<int, int>> sent(last.begin(), last.end());
        EXPECT_EQ(sent.size(), last.size());
        for (const auto& [from, to] : last) EXPECT_TRUE(sent.contains({to, from})) << ranks;
    }
}

TEST(CgPattern, few_tasks_have_no_empty_sets) {
    EXPECT_EQ(make_pattern("cg", with_ranks(1)).set_count(), 0U);
    EXPECT_EQ(labels(make_pattern("cg", with_ranks(2))), std::vector<std::string>{"row exchange 1"});
    EXPECT_EQ(pairs(make_pattern("cg", with_ranks(4)), 1), (Pairs{{1, 2}, {2, 1}}));
}

TEST(CgPattern, other_numbers_than_powers_of_two_are_refused_with_the_nearest) {
    EXPECT_EQ(refusal("cg", with_ranks(96)),
              "pattern 'cg' requires a power of two as the number of ranks, found 96|choose 64 or 128");
}

// 0 1 2
// 3 4 5    x is the first axis (down), y the last and fastest
TEST(StencilPattern, each_direction_of_a_grid_is_a_set) {
    const Workload stencil = make_pattern("stencil2d", with_dims({2, 3}));
    EXPECT_EQ(labels(stencil), (std::vector<std::string>{"+x", "-x", "+y", "-y"}));
    EXPECT_EQ(pairs(stencil, 0), (Pairs{{0, 3}, {1, 4}, {2, 5}}));
    EXPECT_EQ(pairs(stencil, 1), (Pairs{{3, 0}, {4, 1}, {5, 2}}));
    EXPECT_EQ(pairs(stencil, 2), (Pairs{{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
    EXPECT_EQ(pairs(stencil, 3), (Pairs{{1, 0}, {2, 1}, {4, 3}, {5, 4}}));
}

TEST(StencilPattern, nine_points_add_the_diagonals) {
    const Workload stencil = make_pattern("stencil2d", with_dims({2, 2}, false, 9));
    EXPECT_EQ(labels(stencil), (std::vector<std::string>{"+x", "-x", "+y", "-y", "+x+y", "+x-y", "-x+y", "-x-y"}));
    EXPECT_EQ(pairs(stencil, 4), (Pairs{{0, 3}}));
    EXPECT_EQ(pairs(stencil, 5), (Pairs{{1, 2}}));
}

TEST(StencilPattern, a_periodic_dimension_of_two_keeps_both_messages) {
    const Workload stencil = make_pattern("stencil2d", with_dims({1, 2}, true));
    EXPECT_EQ(labels(stencil), (std::vector<std::string>{"+y", "-y"}));  // x has size 1: no messages to other ranks
    EXPECT_EQ(pairs(stencil, 0), (Pairs{{0, 1}, {1, 0}}));
    EXPECT_EQ(pairs(stencil, 1), (Pairs{{0, 1}, {1, 0}}));
}

TEST(StencilPattern, three_dimensions_have_six_eighteen_or_twenty_six_directions) {
    for (const int points : {7, 19, 27}) {
        const Workload stencil = make_pattern("stencil3d", with_dims({3, 3, 3}, true, points));
        EXPECT_EQ(stencil.set_count(), static_cast<std::size_t>(points - 1));
        EXPECT_EQ(stencil.messages().size(), static_cast<std::size_t>(27 * (points - 1)));
    }
    EXPECT_EQ(make_pattern("stencil3d", with_ranks(27)).set_count(), 6U);
}

TEST(FftPattern, rows_then_columns_exchange_all_pairs) {
    const Workload fft = make_pattern("fft", with_dims({2, 3}));
    EXPECT_EQ(labels(fft), (std::vector<std::string>{"row transpose, shift by 1", "row transpose, shift by 2",
                                                     "column transpose, exchange with rank XOR 1"}));
    EXPECT_EQ(pairs(fft, 0), (Pairs{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}));
    EXPECT_EQ(pairs(fft, 2).size(), 6U);
    for (const auto& [from, to] : pairs(fft, 2)) EXPECT_EQ(to, (from + 3) % 6);
}

// 0 1 2
// 3 4 5
TEST(SweepPattern, a_wavefront_leaves_the_corner_along_the_last_axis_first) {
    const Workload sweep = make_pattern("sweep", with_dims({2, 3}));
    EXPECT_EQ(labels(sweep), (std::vector<std::string>{"diagonal 0 +y", "diagonal 0 +x", "diagonal 1 +y",
                                                       "diagonal 1 +x", "diagonal 2 +y", "diagonal 2 +x"}));
    EXPECT_EQ(pairs(sweep, 0), (Pairs{{0, 1}}));
    EXPECT_EQ(pairs(sweep, 1), (Pairs{{0, 3}}));
    EXPECT_EQ(pairs(sweep, 2), (Pairs{{1, 2}, {3, 4}}));
    EXPECT_EQ(pairs(sweep, 3), (Pairs{{1, 4}}));
    EXPECT_EQ(pairs(sweep, 4), (Pairs{{4, 5}}));
    EXPECT_EQ(pairs(sweep, 5), (Pairs{{2, 5}}));
}

TEST(RingPattern, is_one_set_that_closes) {
    EXPECT_EQ(pairs(make_pattern("ring", with_ranks(3)), 0), (Pairs{{0, 1}, {1, 2}, {2, 0}}));
    EXPECT_EQ(make_pattern("ring", with_ranks(1)).set_count(), 0U);
}

TEST(RandomRingPattern, visits_every_rank_once_and_depends_on_the_seed) {
    PatternOptions options = with_ranks(100);
    const Pairs ring = pairs(make_pattern("random-ring", options), 0);
    std::vector<int> next(100, -1);
    for (const auto& [from, to] : ring) next[static_cast<std::size_t>(from)] = to;
    int at = 0;
    for (int i = 1; i < 100; ++i) {
        at = next[static_cast<std::size_t>(at)];
        EXPECT_NE(at, 0) << "closed after " << i;
    }
    EXPECT_EQ(next[static_cast<std::size_t>(at)], 0);
    options.seed = 2;
    EXPECT_NE(pairs(make_pattern("random-ring", options), 0), ring);
}

TEST(RandomGeometricPattern, is_symmetric_sorted_and_of_the_mean_degree_asked_for) {
    for (const int ranks : {1, 2, 3, 50, 2000}) {
        const Workload geometric = make_pattern("random-geometric", with_ranks(ranks));
        if (ranks == 1) {
            EXPECT_EQ(geometric.set_count(), 0U);
            continue;
        }
        ASSERT_LE(geometric.set_count(), 1U);
        if (geometric.set_count() == 0) continue;
        const Pairs all = pairs(geometric, 0);
        const std::set<std::pair<int, int>> unique(all.begin(), all.end());
        EXPECT_EQ(unique.size(), all.size());
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
        for (const auto& [from, to] : all) EXPECT_TRUE(unique.contains({to, from}));
        if (ranks == 2000) {
            EXPECT_NEAR(static_cast<double>(all.size()) / ranks, 8, 1);
        }
    }
}

TEST(RandomGeometricPattern, a_degree_of_all_ranks_and_more_is_no_error) {
    PatternOptions options = with_ranks(20);
    options.mean_degree = 1e9;
    const Workload geometric = make_pattern("random-geometric", options);
    EXPECT_LE(geometric.messages().size(), 380U);
    EXPECT_GT(geometric.messages().size(), 150U);
}

TEST(Shuffle, relabels_without_changing_who_talks_to_whom) {
    PatternOptions options = with_ranks(50);
    const Workload plain = make_pattern("ring", options);
    options.shuffle_seed = 3;
    const Workload shuffled = make_pattern("ring", options);
    ASSERT_EQ(shuffled.messages().size(), 50U);
    std::vector<int> label(50);
    for (std::size_t i = 0; i < 50; ++i) label[i] = shuffled.messages()[i].source.value;
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(shuffled.messages()[i].destination.value,
                  label[static_cast<std::size_t>(plain.messages()[i].destination.value)]);
    }
    EXPECT_EQ(std::set<int>(label.begin(), label.end()).size(), 50U);
    EXPECT_NE(pairs(shuffled, 0), pairs(plain, 0));
    EXPECT_EQ(pairs(make_pattern("ring", options), 0), pairs(shuffled, 0));
    options.shuffle_seed = 4;
    EXPECT_NE(pairs(make_pattern("ring", options), 0), pairs(shuffled, 0));
}

TEST(BalancedDims, are_as_close_as_the_divisors_allow) {
    EXPECT_EQ(balanced_dims(96, 2), (std::vector<int>{12, 8}));
    EXPECT_EQ(balanced_dims(64, 3), (std::vector<int>{4, 4, 4}));
    EXPECT_EQ(balanced_dims(96, 3), (std::vector<int>{6, 4, 4}));
    EXPECT_EQ(balanced_dims(97, 3), (std::vector<int>{97, 1, 1}));
    EXPECT_EQ(balanced_dims(1, 3), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(balanced_dims(kMostRanks, 3), (std::vector<int>{512, 512, 512}));
    EXPECT_EQ(balanced_dims(134217689, 3), (std::vector<int>{134217689, 1, 1}));  // the largest prime below 2^27
}

TEST(Patterns, sizes_iterations_and_ranks_are_those_asked_for) {
    for (const PatternRow& row : patterns()) {
        PatternOptions options = with_ranks(16);
        options.message_bytes = 24;
        options.iterations = 7;
        const Workload workload = make_pattern(row.name, options);
        EXPECT_EQ(workload.rank_count(), 16) << row.name;
        EXPECT_EQ(workload.iterations(), 7) << row.name;
        EXPECT_FALSE(workload.messages().empty()) << row.name;
        for (const Message& m : workload.messages()) {
            EXPECT_EQ(m.size_bytes % 24, 0) << row.name;
            if (row.name != "alltoall-bruck") {
                EXPECT_EQ(m.size_bytes, 24) << row.name;
            }
        }
    }
}

TEST(Patterns, unknown_names_are_refused_with_the_nearest) {
    EXPECT_EQ(refusal("stencil3", with_ranks(8)), "unknown pattern 'stencil3'|did you mean 'stencil3d'?");
    EXPECT_NE(refusal("quicksort-of-everything", with_ranks(8)).find("patterns are cg, "), std::string::npos);
}

TEST(Patterns, options_that_do_not_fit_are_refused_with_the_value) {
    const auto expect = [](const std::string& name, const PatternOptions& options, const std::string& part) {
        EXPECT_NE(refusal(name, options).find(part), std::string::npos) << refusal(name, options);
    };
    expect("ring", {}, "requires a number of ranks");
    expect("stencil2d", {}, "give §ranks or §dims");
    expect("ring", with_ranks(-1), "found -1");
    expect("ring", with_ranks(kMostRanks + 1), "134217729");
    expect("ring", with_dims({4}), "cannot be combined with §dims");
    expect("stencil2d", with_dims({2, 2, 2}), "requires 2 sizes in §dims, found '2x2x2'");
    expect("stencil2d", with_dims({2, 0}), "2x0");
    expect("stencil2d", with_dims({1 << 20, 1 << 20}), "1048576x1048576");
    expect("stencil3d", with_dims({4, 4, 4}, false, 5),
           "no 5-point stencil|choose one of these numbers of points: 7, 19, 27");
    expect("fft", with_dims({2, 2}, true), "cannot be made periodic");
    expect("fft", with_dims({2, 2}, false, 5), "cannot be combined with §points");
    PatternOptions mismatch = with_dims({4, 4});
    mismatch.ranks = 15;
    expect("stencil2d", mismatch, "§dims 4x4 have 16 ranks, but §ranks is 15");
    PatternOptions size = with_ranks(4);
    size.message_bytes = -1;
    expect("ring", size, "message size -1");
    size.message_bytes = kLargestMessageBytes + 1;
    expect("ring", size, "281474976710657");
    PatternOptions iterations = with_ranks(4);
    iterations.iterations = 0;
    expect("ring", iterations, "found 0");
    PatternOptions degree = with_ranks(4);
    degree.mean_degree = 0;
    expect("random-geometric", degree, "mean degree");
}

TEST(Patterns, more_messages_than_memory_are_refused_before_they_are_made) {
    EXPECT_NE(refusal("alltoall-pairwise", with_ranks(100000)).find("9999900000 messages"), std::string::npos);
    EXPECT_NE(refusal("fft", with_ranks(kMostRanks)).find("messages"), std::string::npos);
    EXPECT_NE(refusal("random-geometric", with_ranks(kMostRanks)).find("messages"), std::string::npos);
    PatternOptions large = with_ranks(1 << 16);
    large.message_bytes = kLargestMessageBytes;
    EXPECT_NE(refusal("ring", large).find("2^63"), std::string::npos);
}

}  // namespace
}  // namespace haichi
