// The choice of the main loop in logs where it is not obvious. Cases are tags that count up, cycles over levels, phases
// of different sizes, several threads, and damage.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/errors.h"
#include "commlog/ccs/extraction.h"
#include "tests/commlog/logged_program.h"

namespace haichi {
namespace {

using Rank = LoggedProgram::Rank;
using Request = LoggedProgram::Request;

bool warns(const Extraction& extraction, const std::string& of) {
    return std::ranges::any_of(extraction.warnings,
                               [&](const std::string& warning) { return warning.find(of) != warning.npos; });
}

std::string refusal_of(const JobLog& log, std::string* hint = nullptr, const ExtractionOptions& options = {}) {
    try {
        extract_sets(log, options);
    } catch (const Error& error) {
        if (hint != nullptr) *hint = error.hint();
        return error.what();
    }
    return "";
}

std::size_t different_events(const JobLog& log) {
    std::size_t most = 0;
    for (const RankLog& rank : log.ranks) most = std::max(most, rank.threads.front().events.size());
    return most;
}

/// A ring in both directions. `tag` gives the tag for each step and direction.
template <typename Tag>
JobLog ring(int ranks, int steps, Tag tag) {
    const LoggedProgram program(ranks, [&](Rank& rank) {
        const int next = (rank.rank() + 1) % ranks;
        const int before = (rank.rank() + ranks - 1) % ranks;
        for (int i = 0; i < steps; ++i) {
            const Request requests[] = {rank.irecv(before, tag(i, 0)), rank.irecv(next, tag(i, 1)),
                                        rank.isend(next, 1000, tag(i, 0)), rank.isend(before, 3000, tag(i, 1))};
            for (const Request& request : requests) rank.wait(request);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
        }
    });
    return program.log();
}

class CountingTags : public testing::TestWithParam<int> {};

TEST_P(CountingTags, are_one_repetition_and_a_small_log) {
    const int steps = GetParam();
    const auto expect_ring = [&](const JobLog& log, const char* what) {
        SCOPED_TRACE(what);
        const Extraction found = extract_sets(log, {});
        EXPECT_EQ(found.workload.iterations(), steps);
        EXPECT_EQ(found.workload.set_count(), 2U);
        EXPECT_EQ(found.workload.messages().size(), 16U);
        EXPECT_EQ(found.workload.total_bytes(), 8 * 4000);
        EXPECT_DOUBLE_EQ(found.fraction_of_bytes(), 1);
        EXPECT_LT(different_events(log), 400U);
        EXPECT_LT(log.ranks.front().threads.front().sequence.size(), 600U);
    };
    expect_ring(ring(8, steps, [](int i, int) { return i; }), "the step");
    expect_ring(ring(8, steps, [](int i, int direction) { return 10 + 2 * i + direction; }), "two a step");
    expect_ring(ring(8, steps, [](int i, int direction) { return 7 + 2 * (i % 5) + direction; }), "modulo 5");
    expect_ring(ring(8, steps, [](int i, int direction) { return 100 * i + direction; }), "times 100");
}

INSTANTIATE_TEST_SUITE_P(Steps, CountingTags, testing::Values(20, 40, 3000), testing::PrintToStringParamName());

TEST(CountingTags, of_receives_from_any_source_and_of_any_tag_are_one_repetition) {
    constexpr int kSteps = 500;
    for (const bool any_tag : {false, true}) {
        for (const bool blocking : {false, true}) {
            const LoggedProgram program(4, [&](Rank& rank) {
                std::mt19937 random(static_cast<unsigned>(rank.rank()));
                CallRecorder& recorder = rank.recorder();
                for (int i = 0; i < kSteps; ++i) {
                    const auto flags = static_cast<std::uint8_t>(kAnySource | (any_tag ? kAnyTag : 0));
                    if (rank.rank() != 0) {
                        rank.send(0, 500, i);
                        rank.receive(0, i);
                        continue;
                    }
                    std::vector<int> came = {1, 2, 3};
                    std::ranges::shuffle(came, random);
                    std::vector<Request> requests;
                    for (const int from : came) {
                        if (blocking) {
                            recorder.receive(kNobody, any_tag ? 0 : i, 0, flags | kBlocking, from, i);
                        } else {
                            const auto number = recorder.receive(kNobody, any_tag ? 0 : i, 0, flags);
                            requests.push_back({number, recorder.last_event(), true});
                        }
                    }
                    for (std::size_t k = 0; k < requests.size(); ++k) rank.wait(requests[k], came[k], i);
                    for (int to = 1; to < 4; ++to) rank.send(to, 60, i);
                }
            });
            const JobLog log = program.log();
            EXPECT_LT(different_events(log), 400U);
            const Extraction found = extract_sets(log, {});
            EXPECT_EQ(found.workload.iterations(), kSteps) << any_tag << blocking;
            EXPECT_EQ(found.workload.messages().size(), 6U);
            EXPECT_EQ(found.in_flight, 0);
        }
    }
}

TEST(CountingTags, several_messages_of_a_pair_are_matched_in_their_order_and_that_is_said) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int i = 0; i < 1000; ++i) {
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 100, 2 * i);
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 9000, 2 * i + 1);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 1000);
    EXPECT_EQ(found.workload.set_count(), 2U);
    EXPECT_EQ(found.workload.total_bytes(), 2 * 9100);
    EXPECT_TRUE(warns(found, "tags count up"));
}

TEST(CountingTags, a_block_for_each_tag_keeps_its_size) {
    // 100 blocks for each neighbour, each with its own tag and size: nothing counts up.
    const LoggedProgram program(2, [](Rank& rank) {
        for (int i = 0; i < 50; ++i) {
            std::vector<Request> requests;
            for (int block = 0; block < 100; ++block) requests.push_back(rank.irecv(1 - rank.rank(), block));
            for (int block = 0; block < 100; ++block) {
                requests.push_back(rank.isend(1 - rank.rank(), 64 + 8 * static_cast<std::uint64_t>(block), block));
            }
            for (const Request& request : requests) rank.wait(request);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 50);
    std::set<std::int64_t> sizes;
    for (const Message& message : found.workload.messages()) sizes.insert(message.size_bytes);
    EXPECT_EQ(sizes.size(), 100U);
    EXPECT_EQ(found.workload.total_bytes(), 2 * (6400 + 8 * 4950));
}

/// A cycle over levels of a grid: a few large messages at the top, many small ones below.
void v_cycle(Rank& rank, int ranks) {
    const int next = (rank.rank() + 1) % ranks;
    const int before = (rank.rank() + ranks - 1) % ranks;
    const auto smooth = [&](int level) {
        for (int i = 0; i < 6; ++i) rank.sendrecv(next, before, 1'000'000U >> (3 * level), level);
    };
    for (int level = 0; level < 6; ++level) {
        smooth(level);
        rank.sendrecv(next, before, 500U >> level, 20 + level);
    }
    for (int level = 6; level-- > 0;) {
        rank.sendrecv(before, next, 500U >> level, 40 + level);
        smooth(level);
    }
}

TEST(MainLoops, a_cycle_over_levels_is_taken_as_such_and_its_largest_loop_when_asked_for) {
    constexpr int kRanks = 8;
    const LoggedProgram program(kRanks, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            v_cycle(rank, kRanks);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
        }
    });
    const JobLog log = program.log();
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 10);
    EXPECT_EQ(found.workload.messages().size(), kRanks * (2U * 36 + 12));
    EXPECT_EQ(found.fraction_of_messages(), 1);
    const auto take = [&](const char* choice) {
        ExtractionOptions options;
        options.main_loop = parse_main_loop_choice(choice);
        return extract_sets(log, options);
    };
    // The smoothing of the finest level, at the end of a cycle and the beginning of the next one.
    const Extraction inner = take("inner");
    EXPECT_EQ(inner.workload.messages().size(), kRanks);
    EXPECT_GT(inner.fraction_of_bytes(), 0.8);
    EXPECT_LT(inner.fraction_of_messages(), 0.2);
    EXPECT_GE(inner.main_loops[static_cast<std::size_t>(inner.chosen)].around, 0);
    EXPECT_EQ(take("outer").workload.iterations(), 10);
    EXPECT_EQ(take("messages").workload.iterations(), 10);
    EXPECT_EQ(take("bytes").workload.iterations(), 10);
}

TEST(MainLoops, words_that_name_one_are_read_and_others_are_not) {
    EXPECT_EQ(parse_main_loop_choice("3").number, 3);
    EXPECT_EQ(parse_main_loop_choice("outer").by, MainLoopChoice::By::kOuter);
    EXPECT_THROW(parse_main_loop_choice("0"), OptionError);
    EXPECT_THROW(parse_main_loop_choice("outher"), OptionError);
}

TEST(MainLoops, two_phases_that_differ_in_size_only_keep_their_sizes) {
    // In each phase of an iteration, sends differ only in size. There are too many sizes to distinguish the sends by
    // size.
    const LoggedProgram program(2, [](Rank& rank) {
        std::mt19937 random(static_cast<unsigned>(rank.rank()) + 3);
        for (int i = 0; i < 400; ++i) {
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 100'000 + random() % 1000);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 300 + random() % 50);
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 400);
    ASSERT_EQ(found.workload.set_count(), 2U);
    EXPECT_NEAR(static_cast<double>(found.workload.messages(0).front().size_bytes), 100'500, 100);
    EXPECT_NEAR(static_cast<double>(found.workload.messages(1).front().size_bytes), 325, 10);
}

TEST(MainLoops, two_phases_with_a_few_sizes_that_come_and_go_keep_their_means) {
    const LoggedProgram program(2, [](Rank& rank) {
        std::mt19937 random(static_cast<unsigned>(rank.rank()) + 3);
        for (int i = 0; i < 60; ++i) {
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 1000 + 10 * (random() % 4));
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 500 + 10 * (random() % 4));
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 60);
    ASSERT_EQ(found.workload.set_count(), 2U);
    EXPECT_NEAR(static_cast<double>(found.workload.messages(0).front().size_bytes), 1015, 5);
    EXPECT_NEAR(static_cast<double>(found.workload.messages(1).front().size_bytes), 515, 5);
}

/// A ring in which each thread of a rank has its own tag, or all threads have the same one.
JobLog ring_of_threads(int ranks, int threads, bool own_tags) {
    std::vector<RankRecord> records;
    for (int t = 0; t < threads; ++t) {
        const LoggedProgram program(ranks, [&](Rank& rank) {
            const int next = (rank.rank() + 1) % ranks;
            const int before = (rank.rank() + ranks - 1) % ranks;
            for (int i = 0; i < 30; ++i)
                rank.sendrecv(next, before, 1000U * (static_cast<unsigned>(t) + 1), own_tags ? t : 0);
        });
        for (int r = 0; r < ranks; ++r) {
            const RankRecord& record = program.records()[static_cast<std::size_t>(r)];
            if (t == 0) {
                records.push_back(record);
            } else {
                records[static_cast<std::size_t>(r)].log.threads.push_back(record.log.threads.front());
            }
        }
    }
    return join_ranks(records, "threads");
}

TEST(MainLoops, threads_with_tags_of_their_own_are_merged) {
    const Extraction found = extract_sets(ring_of_threads(6, 3, true), {});
    EXPECT_EQ(found.workload.iterations(), 30);
    EXPECT_EQ(found.workload.messages().size(), 18U);
    EXPECT_EQ(found.steps, 1);
    EXPECT_EQ(found.workload.set_count(), 3U);  // a rank sends one message at a time
    EXPECT_DOUBLE_EQ(found.fraction_of_bytes(), 1);
}

TEST(MainLoops, threads_that_share_a_channel_are_refused) {
    std::string hint;
    const std::string refusal = refusal_of(ring_of_threads(6, 2, false), &hint);
    EXPECT_NE(refusal.find("several threads of rank 0 send to rank 1 with tag 0"), std::string::npos) << refusal;
    EXPECT_NE(hint.find("§main-loop whole"), std::string::npos) << hint;
}

TEST(MainLoops, the_share_is_that_of_all_that_was_counted) {
    JobLog log = ring(4, 20, [](int, int) { return 0; });
    log.has_profile = true;
    for (RankLog& rank : log.ranks) {
        // An equal amount was sent in calls that did not fit in the call log.
        rank.profile.peers.push_back({(rank.rank + 1) % 4, {40, 160'000, 0, 0}});
    }
    const Extraction found = extract_sets(log, {});
    EXPECT_DOUBLE_EQ(found.fraction_of_bytes(), 0.5);
    EXPECT_DOUBLE_EQ(found.total_bytes, 4 * 160'000);
}

TEST(MainLoops, a_damaged_log_without_repetition_is_whole_only_when_asked_for) {
    const LoggedProgram program(3, [](Rank& rank) {
        if (rank.rank() == 0) rank.send(1, 10, 1);
        if (rank.rank() == 1) rank.receive(0, 1);
        if (rank.rank() == 1) rank.send(2, 20, 2);
        if (rank.rank() == 2) rank.receive(1, 2);
    });
    EXPECT_EQ(extract_sets(program.log(), {}).chosen, -1);
    const auto expect_refused = [](const JobLog& log, const std::string& why) {
        std::string hint;
        EXPECT_NE(refusal_of(log, &hint).find(why), std::string::npos) << refusal_of(log);
        EXPECT_NE(hint.find("§main-loop whole"), std::string::npos);
        ExtractionOptions options;
        options.main_loop = parse_main_loop_choice("whole");
        EXPECT_EQ(extract_sets(log, options).chosen, -1);
    };
    JobLog killed = program.log();
    killed.ranks[1].state = RankState::kSignalled;
    expect_refused(killed, "1 rank did not finish");
    JobLog missing = program.log();
    missing.ranks.pop_back();
    expect_refused(missing, "1 rank left no data");
    JobLog lost = program.log();
    lost.ranks[0].threads[0].lost_events = 7;
    expect_refused(lost, "7 events did not fit");
}

}  // namespace
}  // namespace haichi
