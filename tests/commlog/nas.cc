#include "commlog/nas/nas_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/errors.h"
#include "commlog/log/call_cursor.h"

namespace haichi {
namespace {

JobLog log_of(const std::string& program, const std::string& problem_class, int ranks) {
    return make_nas_log(program, {.problem_class = problem_class, .ranks = ranks});
}

/// The timed part of a run of a real program, as the profiler logged it (studies/nas_patterns.py).
struct Logged {
    const char* program;
    const char* problem_class;
    int ranks;
    std::uint64_t calls;
    std::uint64_t bytes;  ///< bytes of messages and contributions to collectives
};

TEST(Nas, calls_and_bytes_are_those_of_real_runs) {
    constexpr Logged kLogged[] = {
        {"nas-bt", "S", 9, 26460, 30974400}, {"nas-cg", "S", 8, 66240, 26311680}, {"nas-cg", "S", 16, 132480, 52623360},
        {"nas-ep", "S", 7, 21, 672},         {"nas-ft", "S", 16, 208, 29361664},  {"nas-ft", "S", 128, 2560, 58732544},
        {"nas-is", "S", 16, 480, 2962560},   {"nas-lu", "S", 4, 9208, 3104320},   {"nas-mg", "S", 8, 6872, 1992448},
        {"nas-mg", "S", 64, 50176, 4784128}, {"nas-sp", "S", 9, 44100, 29184000}, {"nas-sp", "S", 16, 107200, 43776000},
    };
    for (const Logged& logged : kLogged) {
        const JobLog log = log_of(logged.program, logged.problem_class, logged.ranks);
        std::uint64_t calls = 0, bytes = 0;
        for (const RankLog& rank : log.ranks) {
            for (const LoggedEvent& event : rank.threads.front().events) {
                calls += event.count;
                bytes += event.count * event.key.bytes * (event.key.kind == CallKind::kComplete ? 0 : 1);
            }
        }
        EXPECT_EQ(calls, logged.calls) << logged.program << " on " << logged.ranks;
        EXPECT_EQ(bytes, logged.bytes) << logged.program << " on " << logged.ranks;
    }
}

TEST(Nas, the_size_of_a_log_does_not_grow_with_iterations) {
    for (const NasProgram& program : nas_programs()) {
        if (program.iterations('C') == 1) continue;
        const int ranks = program.refusal('C', 32).empty() ? 32 : 36;
        const JobLog some = make_nas_log(program.name, {.problem_class = "C", .ranks = ranks, .iterations = 10});
        const JobLog many = make_nas_log(program.name, {.problem_class = "C", .ranks = ranks, .iterations = 100000});
        for (std::size_t r = 0; r < some.ranks.size(); ++r) {
            EXPECT_EQ(some.ranks[r].threads.front().events.size(), many.ranks[r].threads.front().events.size());
            EXPECT_EQ(some.ranks[r].threads.front().body.size(), many.ranks[r].threads.front().body.size());
        }
    }
}

TEST(Nas, ranks_of_lu_wait_for_their_plane_between_the_two_parts_of_its_computing) {
    const JobLog log = make_nas_log("nas-lu", {.problem_class = "S", .ranks = 4, .compute_seconds = 50});
    CallCursor cursor(log.ranks[3].threads.front());  // the last corner
    const LoggedEvent* north = cursor.next();
    const LoggedEvent* west = cursor.next();
    const LoggedEvent* again = cursor.next();
    // An iteration takes 1 s. The rank has a quarter of the points in ten planes, so a plane takes 25 ms.
    EXPECT_EQ(north->key.peer, 2);
    EXPECT_EQ(north->gap_total / north->count, 3750000u);
    EXPECT_EQ(west->key.peer, 1);
    EXPECT_EQ(west->gap_total, 0u);
    EXPECT_EQ(again->key.peer, 2);
    EXPECT_EQ(again->gap_total / again->count, 3750000u + 5375000u);
}

TEST(Nas, ranks_of_mg_without_points_on_a_level_send_nothing_on_it) {
    // 64 ranks on the coarsest level of 2 x 2 x 2 points: ranks with odd coordinates are idle.
    const JobLog log = make_nas_log("nas-mg", {.problem_class = "S", .ranks = 64, .iterations = 1});
    const auto calls = [&](std::size_t rank) {
        std::uint64_t count = 0;
        for (const LoggedEvent& event : log.ranks[rank].threads.front().events) count += event.count;
        return count;
    };
    EXPECT_NE(calls(0), calls(63));
}

std::string message_of(const std::string& program, const NasOptions& options) {
    try {
        (void)make_nas_log(program, options);
    } catch (const OptionError& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "";
}

TEST(Nas, what_a_program_does_not_run_on_is_named_with_what_it_does) {
    EXPECT_EQ(message_of("nas-bt", {.problem_class = "A", .ranks = 32}),
              "pattern 'nas-bt' of class A does not run on 32 ranks: it requires a square number | choose 25 or 36");
    EXPECT_EQ(message_of("nas-cg", {.problem_class = "A", .ranks = 24}),
              "pattern 'nas-cg' of class A does not run on 24 ranks: it requires a power of two | choose 16 or 32");
    EXPECT_EQ(
        message_of("nas-lu", {.problem_class = "S", .ranks = 16}),
        "pattern 'nas-lu' of class S does not run on 16 ranks: a rank would have fewer than 4 points along an axis"
        " | choose 4");
    EXPECT_EQ(message_of("nas-is", {.problem_class = "D", .ranks = 2}),
              "pattern 'nas-is' of class D does not run on 2 ranks: it supports 4 to 1024 | choose 4");
    EXPECT_EQ(message_of("nas-is", {.problem_class = "E", .ranks = 4}),
              "pattern 'nas-is' has no class 'E' | choose one of the classes S, W, A, B, C, D");
    EXPECT_EQ(message_of("nas-xx", {.ranks = 4}).substr(0, 24), "unknown pattern 'nas-xx'");
    EXPECT_EQ(message_of("nas-cg", {}),
              "pattern 'nas-cg' requires a number of ranks | give a number of ranks, such as §ranks 16");
    EXPECT_EQ(message_of("nas-ep", {.ranks = 4, .iterations = 2}),
              "pattern 'nas-ep' cannot be combined with iterations | ");
    EXPECT_EQ(message_of("nas-cg", {.ranks = 4, .compute_seconds = -1}),
              "compute_seconds must be 0 to 10^9 seconds | ");
}

}  // namespace
}  // namespace haichi
