#include "commlog/log/call_sequence_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/log/call_cursor.h"
#include "commlog/log/read_calls.h"

namespace haichi {
namespace {

/// Returns the peer of each event and the milliseconds before the event. Completions have "w" and their number instead
/// of a peer.
std::vector<std::string> written(const RankLog& log) {
    const CallSequence& calls = log.threads.front();
    check_calls(calls, 10, 1, "the log");
    std::vector<std::string> all;
    CallCursor cursor(calls);
    while (const LoggedEvent* event = cursor.next()) {
        const std::string what = event->key.kind == CallKind::kComplete ? "w" + std::to_string(event->completions)
                                                                        : std::to_string(event->key.peer);
        all.push_back(what + " " + std::to_string(event->gap_total / event->count / 1000000));
    }
    return all;
}

TEST(CallSequenceBuilder, a_loop_is_stored_once_and_read_as_often_as_it_repeats) {
    CallSequenceBuilder calls;
    calls.repeat(1000000, [&] {
        calls.compute(0.002);
        calls.send(1, 7, 100);
        calls.repeat(3, [&] { calls.receive(2, 7, 50); });
    });
    const RankLog log = calls.finish(0);
    EXPECT_EQ(log.threads.front().sequence.size(), 1u);
    EXPECT_EQ(log.threads.front().events.size(), 2u);
    EXPECT_EQ(log.threads.front().events[0].count, 1000000u);
    EXPECT_EQ(log.threads.front().events[1].count, 3000000u);
    EXPECT_EQ(log.profile.functions[1].sent.bytes_total, 100000000u);
    EXPECT_EQ(log.profile.functions[0].received.bytes_total, 150000000u);
    EXPECT_DOUBLE_EQ(log.profile.wall_seconds, 2000);
}

TEST(CallSequenceBuilder, computing_stays_where_it_is_written) {
    CallSequenceBuilder calls;
    calls.compute(0.001);
    calls.repeat(3, [&] {
        calls.send(1, 0, 8);
        calls.compute(0.005);
    });
    calls.send(2, 0, 8);
    // The gap is 1 ms before the first event of the loop, 5 ms before the others, and 5 ms after the loop.
    EXPECT_EQ(written(calls.finish(0)), (std::vector<std::string>{"1 1", "1 5", "1 5", "2 5"}));
}

TEST(CallSequenceBuilder, a_loop_without_calls_is_computing) {
    CallSequenceBuilder calls;
    calls.compute(0.001);
    calls.repeat(4, [&] { calls.compute(0.002); });
    calls.send(1, 0, 8);
    EXPECT_EQ(written(calls.finish(0)), std::vector<std::string>{"1 9"});
}

TEST(CallSequenceBuilder, computing_behind_the_last_call_is_kept) {
    CallSequenceBuilder calls;
    calls.send(1, 0, 8);
    calls.compute(0.25);
    EXPECT_EQ(calls.finish(0).threads.front().gap_behind, 250000000u);
}

TEST(CallSequenceBuilder, waits_in_a_row_are_one_event_with_all_their_requests) {
    CallSequenceBuilder calls;
    const auto received = calls.start_receive_from_any(3, 1, 8);
    const auto sent = calls.start_send(4, 1, 8);
    calls.compute(0.001);
    calls.wait({sent});
    calls.wait({received});
    calls.send(5, 1, 8);
    const RankLog log = calls.finish(0);
    EXPECT_EQ(written(log), (std::vector<std::string>{"-1 0", "4 0", "w2 1", "5 0"}));
    const CallSequence& sequence = log.threads.front();
    EXPECT_EQ(sequence.completions[0].distance, 2u);
    EXPECT_EQ(sequence.completions[0].source, 3);
    EXPECT_EQ(sequence.completions[1].distance, 1u);
    EXPECT_EQ(sequence.completions[1].source, kNobody);
    EXPECT_EQ(log.profile.functions.back().name, "MPI_Wait");
    EXPECT_EQ(log.profile.functions.back().calls, 2u);
}

TEST(CallSequenceBuilder, equal_loops_share_their_body) {
    CallSequenceBuilder calls;
    for (int i = 0; i < 3; ++i) {
        calls.repeat(10, [&] { calls.send(1, 0, 8); });
        calls.send(2, 0, 8);
    }
    EXPECT_EQ(calls.finish(0).threads.front().bodies.size(), 1u);
}

TEST(CallSequenceBuilder, repetitions_that_differ_are_an_error) {
    CallSequenceBuilder calls;
    double seconds = 0;
    EXPECT_THROW(calls.repeat(3,
                              [&] {
                                  calls.send(1, 0, 8);
                                  calls.compute(seconds += 0.001);
                              }),
                 InternalError);
}

}  // namespace
}  // namespace haichi
