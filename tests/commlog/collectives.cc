#include <gtest/gtest.h>

#include <vector>

#include "base/errors.h"
#include "commlog/collectives/collective_choice.h"
#include "commlog/collectives/collectives.h"

namespace haichi {
namespace {

using enum CollectiveAlgorithm;

CollectiveStep step_of(CollectiveAlgorithm algorithm, int ranks, int rank, int step, std::int64_t bytes = 100) {
    return collective_step(algorithm, ranks, RankId(rank), step, bytes);
}

CollectiveStep moves(int to, int from, std::int64_t bytes = 100) { return {RankId(to), RankId(from), bytes, bytes}; }

TEST(RecursiveDoubling, powers_of_two_exchange_with_rank_xor_power) {
    EXPECT_EQ(collective_step_count(kRecursiveDoubling, 8), 3);
    EXPECT_EQ(step_of(kRecursiveDoubling, 8, 5, 0), moves(4, 4));
    EXPECT_EQ(step_of(kRecursiveDoubling, 8, 5, 1), moves(7, 7));
    EXPECT_EQ(step_of(kRecursiveDoubling, 8, 5, 2), moves(1, 1));
}

// 6 ranks: 0->1 and 2->3 fold; 1, 3, 4, 5 act as 0, 1, 2, 3.
TEST(RecursiveDoubling, six_ranks_fold_two_pairs) {
    EXPECT_EQ(collective_step_count(kRecursiveDoubling, 6), 4);
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 2, 0), (CollectiveStep{RankId(3), RankId(), 100, 0}));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 3, 0), (CollectiveStep{RankId(), RankId(2), 0, 100}));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 4, 0), CollectiveStep{});
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 1, 1), moves(3, 3));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 4, 1), moves(5, 5));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 0, 1), CollectiveStep{});
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 1, 2), moves(4, 4));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 3, 2), moves(5, 5));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 3, 3), (CollectiveStep{RankId(2), RankId(), 100, 0}));
    EXPECT_EQ(step_of(kRecursiveDoubling, 6, 0, 3), (CollectiveStep{RankId(), RankId(1), 0, 100}));
}

TEST(Pairwise, powers_of_two_exchange_and_others_shift) {
    EXPECT_EQ(collective_step_count(kPairwise, 8), 7);
    EXPECT_EQ(step_of(kPairwise, 8, 5, 2), moves(6, 6));
    EXPECT_EQ(collective_step_count(kPairwise, 6), 5);
    EXPECT_EQ(step_of(kPairwise, 6, 5, 2), moves(2, 2));
    EXPECT_EQ(step_of(kPairwise, 6, 5, 0), moves(0, 4));
}

// Distances 0..5 in binary: 000 001 010 011 100 101: bit 0 in 3 of them, bit 1 and bit 2 in 2.
TEST(Bruck, six_ranks_take_three_steps_of_three_two_and_two_blocks) {
    EXPECT_EQ(collective_step_count(kBruck, 6), 3);
    EXPECT_EQ(step_of(kBruck, 6, 5, 0), moves(0, 4, 300));
    EXPECT_EQ(step_of(kBruck, 6, 5, 1), moves(1, 3, 200));
    EXPECT_EQ(step_of(kBruck, 6, 5, 2), moves(3, 1, 200));
}

TEST(Bruck, block_count_is_the_number_of_distances_that_move) {
    for (int ranks = 1; ranks <= 70; ++ranks) {
        for (int step = 0; step < collective_step_count(kBruck, ranks); ++step) {
            int count = 0;
            for (int distance = 0; distance < ranks; ++distance) count += bruck_moves(distance, step) ? 1 : 0;
            EXPECT_EQ(bruck_block_count(ranks, step), count) << ranks << " " << step;
        }
    }
}

TEST(Bruck, a_joined_message_above_2_to_the_48_bytes_is_refused) {
    EXPECT_THROW(step_of(kBruck, 8, 0, 0, kLargestMessageBytes / 4 + 1), OptionError);
    EXPECT_EQ(step_of(kBruck, 8, 0, 0, kLargestMessageBytes / 4).send_bytes, kLargestMessageBytes);
}

TEST(Ring, passes_on_to_the_next_rank) {
    EXPECT_EQ(collective_step_count(kRing, 5), 4);
    EXPECT_EQ(step_of(kRing, 5, 4, 3), moves(0, 3));
}

TEST(Collectives, one_rank_needs_no_step) {
    for (const CollectiveRow& row : collective_algorithms()) EXPECT_EQ(collective_step_count(row.algorithm, 1), 0);
}

TEST(Collectives, the_largest_job_does_not_overflow) {
    for (const CollectiveRow& row : collective_algorithms()) {
        for (const int ranks : {kMostRanks, kMostRanks - 1}) {
            const int last = collective_step_count(row.algorithm, ranks) - 1;
            for (const int rank : {0, ranks - 2, ranks - 1}) {
                for (const int step : {0, last}) {
                    const CollectiveStep moves_of_rank = step_of(row.algorithm, ranks, rank, step, 1);
                    for (const RankId peer : {moves_of_rank.send_to, moves_of_rank.receive_from}) {
                        EXPECT_GE(peer.value, -1) << row.name;
                        EXPECT_LT(peer.value, ranks) << row.name;
                    }
                }
            }
        }
    }
}

TEST(Collectives, every_algorithm_is_found_by_name_and_others_are_refused) {
    for (const CollectiveRow& row : collective_algorithms()) EXPECT_EQ(collective_algorithm(row.name), row.algorithm);
    try {
        collective_algorithm("bruk");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.hint(), "did you mean 'bruck'?");
    }
}

TEST(Collectives, of_nobody_are_internal_errors_for_every_operation) {
    for (int n = 0; n < static_cast<int>(CollectiveOperation::kCount); ++n) {
        const CollectiveCall call{.operation = static_cast<CollectiveOperation>(n), .bytes = 8, .received_bytes = 8};
        EXPECT_THROW((void)vector_bytes(call, 0), InternalError);
        const std::string_view algorithm = CollectiveChoice().algorithm(call.operation, 8);
        if (algorithm.empty()) continue;
        EXPECT_THROW((void)CollectiveChoice::schedule(call.operation, algorithm, 8, {.count = 0}), InternalError);
        EXPECT_THROW((void)CollectiveChoice::schedule(call.operation, algorithm, 8, {.count = 2, .root = 2}),
                     InternalError);
    }
}

TEST(Collectives, steps_that_do_not_exist_are_internal_errors) {
    EXPECT_THROW(step_of(kRing, 4, 0, 3), InternalError);
    EXPECT_THROW(step_of(kRing, 4, 0, -1), InternalError);
    EXPECT_THROW(step_of(kRing, 4, 4, 0), InternalError);
    EXPECT_THROW(step_of(kRing, 4, -1, 0), InternalError);
    EXPECT_THROW(collective_step_count(kRing, 0), OptionError);
}

}  // namespace
}  // namespace haichi
