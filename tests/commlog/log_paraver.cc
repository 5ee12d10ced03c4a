#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "commlog/readers/log_readers.h"
#include "commlog/traces/trace_readers.h"
#include "tests/commlog/call_text.h"
#include "tests/commlog/log_samples.h"

namespace haichi {
namespace {

using call_text::calls_of;
using namespace log_samples;
using Lines = std::vector<std::string>;

TEST(ParaverReader, records_of_messages_are_put_where_sender_and_receiver_were) {
    const JobLog log = read_log(sample("paraver/ring.prv"));
    EXPECT_EQ(calls_of(log, 0),
              (Lines{"isend 4096 to 1 tag 17", "send 64 to 2 tag 9", "complete 1", "allreduce 8 8",
                     "bcast 16 0 root 0 comm 1", "isend 32 to 1 tag 1", "irecv from 1 tag 1", "complete 2 1"}));
    EXPECT_EQ(calls_of(log, 1), (Lines{"irecv from 0 tag 17", "complete 1", "allreduce 8 8", "isend 48 to 0 tag 1",
                                       "irecv from 0 tag 1", "complete 2 1"}));
    EXPECT_EQ(calls_of(log, 2), (Lines{"recv from 0 tag 9", "allreduce 8 8", "bcast 0 16 comm 1"}));
    EXPECT_EQ(log.communicators.at(log.ranks[2].communicators.at(1)).members, (std::vector<std::int32_t>{2, 0}));
    EXPECT_NEAR(function_of(log, 1, "MPI_Waitall").seconds_total, 1300e-9, 1e-15);
}

/// Returns a trace in which two tasks make each of the calls. A call is the value and type of an event, and other
/// events.
std::string paraver_calls(const std::vector<std::string>& calls) {
    std::string text = "#Paraver (13/01/2024 at 09:00):60000_ns:1(2):1:2(1:1,1:1),2\nc:1:1:2:1:2\n";
    int time = 0;
    for (const std::string& call : calls) {
        time += 1000;
        for (const char* const task : {"2:1:1:1:1:", "2:2:1:2:1:"}) {
            text += task + std::to_string(time) + ":" + call + "\n";
        }
        for (const char* const task : {"2:1:1:1:1:", "2:2:1:2:1:"}) {
            text += task + std::to_string(time + 500) + ":" + call.substr(0, 9) + "0\n";
        }
    }
    return text;
}

TEST(ParaverReader, nonblocking_and_newer_collectives_are_read) {
    const std::string sizes = ":50100001:64:50100002:32:50100004:1";
    const JobLog log = parse_paraver(
        paraver_calls({"50000002:155" + sizes, "50000001:5", "50000002:157" + sizes, "50000003:125",
                       "50000002:168" + sizes, "50000002:170" + sizes, "50000002:214" + sizes, "50000002:215" + sizes,
                       "50000001:126", "50000002:158:50100001:32:50100002:64:50100004:1", "50000001:128",
                       "50000002:174" + sizes, "50000002:156:50100004:1", "50000001:6"}),
        "p");
    EXPECT_EQ(calls_of(log, 0),
              (Lines{"iallreduce 64 32", "complete 1", "ibcast 64 32", "complete 1", "reduce-scatter-block 64 32",
                     "alltoallw 64 32", "exscan 64 32", "iexscan 64 32", "complete 1", "ialltoall 32 64", "complete 1",
                     "neighbor 64 32", "ibarrier 0 0", "complete 1"}));
    EXPECT_EQ(log.left_out_calls, 0U);
    EXPECT_EQ(function_of(log, 1, "MPI_Iallreduce").calls, 1U);
}

TEST(ParaverReader, calls_of_unknown_numbers_are_left_out_and_named) {
    const JobLog log = parse_paraver(
        paraver_calls({"50000002:301:50100001:64:50100002:64", "50000001:302", "50000003:303", "50000003:303"}), "p");
    EXPECT_EQ(log.left_out_calls, 8U);
    EXPECT_TRUE(
        warns(log,
              "ignored calls of unknown functions, so their messages are missing: MPI call 301 (2 calls), MPI call 302 "
              "(2 calls), MPI call 303 (4 calls)"));
}

TEST(ParaverReader, one_sided_operations_are_counted_by_target) {
    const JobLog log =
        parse_paraver(paraver_calls({"50000004:65:50001000:4096:50001001:1", "50000004:66:50001000:100:50001001:0",
                                     "50000004:184:50001000:8:50001001:1", "50000004:67:50001000:16", "50000004:68"}),
                      "p");
    ASSERT_EQ(log.ranks[0].profile.targets.size(), 2U);
    const OneSidedTraffic& to_1 = log.ranks[0].profile.targets[1];
    EXPECT_EQ(to_1.target, 1);
    EXPECT_EQ(to_1.traffic.put_bytes, 4096U);
    EXPECT_EQ(to_1.traffic.got_bytes, 8U);
    EXPECT_EQ(log.ranks[0].profile.targets[0].traffic.got_operations, 1U);
    EXPECT_TRUE(warns(log, "MPI_Accumulate (2 calls)"));  // Extrae does not state its target
    EXPECT_EQ(function_of(log, 0, "MPI_Win_fence").calls, 1U);
}

TEST(ParaverReader, messages_alone_are_blocking_calls_and_microseconds_are_the_unit_without_ns) {
    const JobLog log = parse_paraver(
        "#Paraver (01/02/03 at 04:05):100:0:1:2(1:0,1:0)\n3:0:1:1:1:10:10:0:1:2:1:12:15:8:0\n"
        "3:0:1:2:1:20:20:0:1:1:1:18:25:16:3\n",
        "p");
    EXPECT_EQ(calls_of(log, 0), (Lines{"send 8 to 1 tag 0", "recv from 1 tag 3"}));
    EXPECT_EQ(calls_of(log, 1), (Lines{"recv from 0 tag 0", "send 16 to 0 tag 3"}));
    EXPECT_DOUBLE_EQ(log.ranks[0].threads[0].ticks_per_second, 1e6);
    EXPECT_TRUE(warns(log, "no MPI calls"));
}

TEST(ParaverReader, records_out_of_order_are_put_in_order) {
    const JobLog log = parse_paraver(
        "#Paraver (01/02/03 at 04:05):100_ns:0:1:2(1:0,1:0)\n3:0:1:1:1:50:50:0:1:2:1:60:61:2:0\n"
        "3:0:1:1:1:10:10:0:1:2:1:12:15:1:0\n3:0:1:1:1:70:70:0:1:2:1:71:72:3:0\n",
        "p");
    EXPECT_EQ(calls_of(log, 0), (Lines{"send 1 to 1 tag 0", "send 2 to 1 tag 0", "send 3 to 1 tag 0"}));
}

TEST(ParaverReader, a_trace_of_more_tasks_than_are_read_at_once_is_read_in_passes) {
    constexpr int kTasks = 1100;
    std::string text = "#Paraver (01/02/03 at 04:05):100000_ns:0:1:" + std::to_string(kTasks) + "(1:0";
    for (int r = 1; r < kTasks; ++r) text += ",1:0";
    text += ")\n";
    const auto task = [](int r) { return "0:1:" + std::to_string(r + 1) + ":1:"; };
    for (int r = 0; r < kTasks; ++r) {
        const std::string sent = std::to_string(10 * (r + 1));
        const std::string received = std::to_string(10 * (r + 1) + 5);
        text += "3:" + task(r) + sent + ":" + sent + ":" + task((r + 550) % kTasks) + received + ":" + received + ":" +
                std::to_string(r) + ":7\n";
    }
    const JobLog log = parse_paraver(text, "p");
    for (const int r : {0, 549, 550, 1024, 1099}) {
        const int other = (r + 550) % kTasks;
        const std::string send = "send " + std::to_string(r) + " to " + std::to_string(other) + " tag 7";
        const std::string receive = "recv from " + std::to_string(other) + " tag 7";
        EXPECT_EQ(calls_of(log, static_cast<std::size_t>(r)),
                  r < other ? (Lines{send, receive}) : (Lines{receive, send}))
            << r;
    }
}

TEST(ParaverReader, tasks_of_several_applications_are_numbered_one_after_the_other) {
    const JobLog log = parse_paraver(
        "#Paraver (01/02/03 at 04:05):100_ns:1(4):2:2(1:1,1:1),1:1(1:1),0\n3:0:2:1:1:10:10:0:1:2:1:12:15:8:0\n", "p");
    EXPECT_EQ(log.rank_count, 3);
    EXPECT_EQ(calls_of(log, 2), (Lines{"send 8 to 1 tag 0"}));
    EXPECT_TRUE(warns(log, "2 applications"));
}

}  // namespace
}  // namespace haichi
