#include "commlog/log/call_stream.h"

#include <gtest/gtest.h>

#include "tests/commlog/call_text.h"
#include "tests/commlog/logged_program.h"

namespace haichi {
namespace {

using Rank = LoggedProgram::Rank;

TEST(CallCursor, unrolls_loops_in_loops_in_the_order_of_the_calls) {
    const LoggedProgram logged(1, [](Rank& rank) {
        for (int outer = 0; outer < 7; ++outer) {
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
            for (int inner = 0; inner < 5; ++inner) {
                rank.sendrecv(0, 0, 8);
                rank.send(0, 64);
            }
        }
        rank.send(0, 99);
    });
    const JobLog log = logged.log();
    const CallSequence& calls = log.ranks[0].threads[0];
    EXPECT_LT(calls.sequence.size(), 10U);
    std::vector<std::string> lines;
    CallCursor cursor(calls);
    while (const LoggedEvent* event = cursor.next()) lines.push_back(call_text::text_of(calls, *event));
    EXPECT_EQ(lines, call_text::calls_of(log, 0));
    EXPECT_EQ(cursor.next(), nullptr);
}

TEST(CallStream, says_of_each_request_what_becomes_of_it) {
    const LoggedProgram logged(10, [](Rank& rank) {
        const auto kept = rank.irecv_any();
        for (std::uint64_t i = 0; i < 3; ++i) {
            const auto cancelled = rank.irecv(0, 1);
            (void)cancelled;
            const auto in = rank.irecv_any();
            rank.wait(in, static_cast<int>(i));
        }
        rank.send(0, 8);
        rank.wait(kept, 9, 4);
    });
    const JobLog log = logged.log();
    CallStream stream(log.ranks[0].threads[0]);
    std::vector<std::pair<RequestFate, std::int32_t>> fates;
    for (StreamedCall call = stream.next(); call.event != nullptr; call = stream.next()) {
        if (call.post != 0) fates.emplace_back(call.fate, call.came.source);
    }
    constexpr auto kDone = RequestFate::kCompleted;
    constexpr auto kNever = RequestFate::kNever;
    const std::vector<std::pair<RequestFate, std::int32_t>> expected = {
        {kDone, 9}, {kNever, 0}, {kDone, 0}, {kNever, 0}, {kDone, 1}, {kNever, 0}, {kDone, 2}};
    ASSERT_EQ(fates.size(), expected.size());
    for (std::size_t i = 0; i < fates.size(); ++i) {
        EXPECT_EQ(fates[i].first, expected[i].first) << i;
        if (expected[i].first == kDone) {
            EXPECT_EQ(fates[i].second, expected[i].second) << i;
        }
    }
}

TEST(CallStream, does_not_look_ahead_without_end) {
    constexpr int kRequests = 3 * static_cast<int>(CallStream::kMostAhead);
    const LoggedProgram logged(1, [](Rank& rank) {
        const auto at_the_end = rank.irecv(0, 1);
        for (int i = 0; i < kRequests; ++i) {
            const auto in = rank.irecv(0);
            rank.wait(in);
        }
        rank.wait(at_the_end);
    });
    const JobLog log = logged.log();
    CallStream stream(log.ranks[0].threads[0]);
    EXPECT_EQ(stream.next().fate, RequestFate::kNotSeen);
    int completed = 0;
    for (StreamedCall call = stream.next(); call.event != nullptr; call = stream.next()) {
        completed += call.post != 0 && call.fate == RequestFate::kCompleted ? 1 : 0;
    }
    EXPECT_EQ(completed, kRequests);
}

}  // namespace
}  // namespace haichi
