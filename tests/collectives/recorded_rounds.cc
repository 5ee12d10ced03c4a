// Messages of collectives without data, grouped into rounds.
#include "collectives/recorded_rounds.h"

#include <gtest/gtest.h>

#include <set>

namespace haichi::collectives {
namespace {

/// Returns each round as "0>1 2>3", with the sizes of messages that differ from 100 bytes.
std::vector<std::string> rounds_of(const SizedCall& call, int members, std::string_view algorithm) {
    const SizedArguments sized(call, members);
    std::vector<std::string> texts;
    for (const Round& round : recorded_rounds(members, [&](Exchange& exchange) {
             return algorithms(call.collective).at(algorithm).run(exchange, sized.arguments(), {});
         })) {
        std::string& text = texts.emplace_back();
        for (const RoundMessage& message : round) {
            if (!text.empty()) text += ' ';
            text += std::to_string(message.from) + '>' + std::to_string(message.to);
            if (message.bytes != 100) text += ':' + std::to_string(message.bytes);
        }
    }
    return texts;
}

using Texts = std::vector<std::string>;

TEST(RecordedRounds, a_power_of_two_exchanges_with_rank_xor_power) {
    EXPECT_EQ(rounds_of({.collective = CollectiveKind::kAllreduce, .sent = 100}, 4, "recursive-doubling"),
              (Texts{"0>1 1>0 2>3 3>2", "0>2 1>3 2>0 3>1"}));
}

// 0->1 and 2->3 fold; ranks 1, 3, 4, 5 act as 0, 1, 2, 3.
TEST(RecordedRounds, six_members_fold_two_pairs_while_the_others_sit_out) {
    EXPECT_EQ(rounds_of({.collective = CollectiveKind::kAllreduce, .sent = 100}, 6, "recursive-doubling"),
              (Texts{"0>1 2>3", "1>3 3>1 4>5 5>4", "1>4 3>5 4>1 5>3", "1>0 3>2"}));
}

// Distances 0..5 in binary: 000 001 010 011 100 101. Bit 0 is set in 3 of them, bits 1 and 2 in 2 each.
TEST(RecordedRounds, bruck_joins_the_blocks_whose_way_to_go_has_the_bit) {
    EXPECT_EQ(
        rounds_of({.collective = CollectiveKind::kAlltoall, .sent = 600}, 6, "bruck"),
        (Texts{"0>1:300 1>2:300 2>3:300 3>4:300 4>5:300 5>0:300", "0>2:200 1>3:200 2>4:200 3>5:200 4>0:200 5>1:200",
               "0>4:200 1>5:200 2>0:200 3>1:200 4>2:200 5>3:200"}));
}

//      0
//    4 2 1     A member sends one message after the other.
//      3
TEST(RecordedRounds, a_tree_sends_as_soon_as_its_members_have_the_data) {
    EXPECT_EQ(rounds_of({.collective = CollectiveKind::kBroadcast, .sent = 100}, 5, "binomial"),
              (Texts{"0>4", "0>2", "0>1 2>3"}));
    EXPECT_EQ(rounds_of({.collective = CollectiveKind::kGather, .sent = 100}, 5, "binomial"),
              (Texts{"1>0 3>2", "2>0:200", "4>0"}));
    EXPECT_EQ(rounds_of({.collective = CollectiveKind::kReduce, .root = 1, .sent = 100}, 4, "linear"),
              (Texts{"3>1", "2>1", "0>1"}));
}

TEST(RecordedRounds, all_messages_at_once_are_a_round_for_each_partner) {
    for (const char* algorithm : {"linear", "scattered", "pairwise-shift"}) {
        EXPECT_EQ(rounds_of({.collective = CollectiveKind::kAlltoall, .sent = 400}, 4, algorithm).size(), 3U)
            << algorithm;
    }
}

TEST(RecordedRounds, of_one_member_and_of_no_bytes_there_are_none) {
    CallRecorder recorder{CollectiveSelection()};
    EXPECT_TRUE(recorder.record({.collective = CollectiveKind::kAllreduce, .sent = 8}, 1).rounds.empty());
    EXPECT_TRUE(recorder.record({.collective = CollectiveKind::kAllreduce}, 8).rounds.empty());
    const CallRecorder::Recorded& recorded = recorder.record({.collective = CollectiveKind::kAllreduce, .sent = 8}, 8);
    EXPECT_EQ(recorded.label, "allreduce recursive-doubling");
    EXPECT_EQ(recorded.rounds.size(), 3U);
}

/// For calls as recorded in logs and for every algorithm: no member sends or receives twice in a round, or to itself.
TEST(RecordedRounds, every_algorithm_ends_with_one_message_each_way_in_a_round) {
    for (int kind = 0; kind < kCollectives; ++kind) {
        const auto collective = static_cast<CollectiveKind>(kind);
        if (collective >= CollectiveKind::kNeighborAllgather) continue;
        for (const AlgorithmRow& row : algorithms(collective)) {
            for (const int members : {2, 3, 4, 7, 8, 12, 17}) {
                SCOPED_TRACE(std::string(name_of(collective)) + ' ' + row.name + ' ' + std::to_string(members));
                for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{8} * members,
                                                 std::int64_t{100'003}, std::int64_t{1} << 20}) {
                    const SizedArguments call({.collective = collective,
                                               .root = members - 1,
                                               .sent = bytes,
                                               .received = bytes,
                                               .counts_are_known = false},
                                              members);
                    CollectiveSelection selection;
                    selection.set(std::string(name_of(collective)) + '=' + row.name + "(segment=4KiB)");
                    const std::vector<Round> rounds = recorded_rounds(members, [&](Exchange& exchange) {
                        return collective_steps(exchange, call.arguments(), selection);
                    });
                    for (const Round& round : rounds) {
                        std::set<int> senders;
                        std::set<int> receivers;
                        for (const RoundMessage& message : round) {
                            EXPECT_NE(message.from, message.to);
                            EXPECT_TRUE(senders.insert(message.from).second);
                            EXPECT_TRUE(receivers.insert(message.to).second);
                        }
                        EXPECT_FALSE(round.empty());
                    }
                }
            }
        }
    }
}

TEST(SizedCall, items_of_unknown_types_are_the_largest_that_fit) {
    const SizedArguments doubles({.collective = CollectiveKind::kAllreduce, .sent = 800}, 4);
    EXPECT_EQ(doubles.arguments().send.count, 100);
    const SizedArguments ints({.collective = CollectiveKind::kAllreduce, .sent = 804}, 4);
    EXPECT_EQ(ints.arguments().send.count, 201);
    const SizedArguments complex({.collective = CollectiveKind::kAllreduce, .sent = 800, .item_bytes = 16}, 4);
    EXPECT_EQ(complex.arguments().send.count, 50);
    const SizedArguments means({.collective = CollectiveKind::kAllreduce, .sent = 801, .item_bytes = 16}, 4);
    EXPECT_EQ(means.arguments().send.count, 801);
}

TEST(SizedCall, blocks_larger_than_2_to_the_48_bytes_together_are_refused) {
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    EXPECT_NO_THROW(SizedArguments({.collective = CollectiveKind::kGather, .sent = kMost / 8}, 8));
    EXPECT_THROW(SizedArguments({.collective = CollectiveKind::kGather, .sent = kMost / 8 + 8}, 8), UnsupportedError);
    EXPECT_THROW(SizedArguments({.collective = CollectiveKind::kReduce, .root = 8, .sent = 8}, 8), InternalError);
}

}  // namespace
}  // namespace haichi::collectives
