#include "cli/output/log_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/output/log_outline.h"
#include "tests/commlog/sample_logs.h"

namespace haichi::cli {
namespace {

TEST(LogWords, times_have_three_digits_and_a_unit) {
    EXPECT_EQ(seconds_text(0), "0 s");
    EXPECT_EQ(seconds_text(18939), "18939 s");
    EXPECT_EQ(seconds_text(2.345678), "2.35 s");
    EXPECT_EQ(seconds_text(0.9996), "1 s");
    EXPECT_EQ(seconds_text(0.0325), "32.5 ms");
    EXPECT_EQ(seconds_text(1e-6), "1 us");
    EXPECT_EQ(seconds_text(3.25e-7), "325 ns");
    EXPECT_EQ(seconds_text(4e-10), "0.4 ns");
    EXPECT_EQ(seconds_text(std::nan("")), "?");
}

TEST(LogWords, sizes_are_binary_and_whole_below_a_kibibyte) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(8), "8 B");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(1024), "1 KiB");
    EXPECT_EQ(bytes_text(1.5 * (1 << 20)), "1.5 MiB");
    EXPECT_EQ(bytes_text(1e30), "867361737988 EiB");
}

TEST(LogWords, shares_that_are_not_nothing_are_not_written_as_nothing) {
    EXPECT_EQ(percent_text(0), "0.0%");
    EXPECT_EQ(percent_text(0.0004), "<0.1%");
    EXPECT_EQ(percent_text(0.125), "12.5%");
    EXPECT_EQ(bar(0.001, 40), "#");
    EXPECT_EQ(bar(0, 40), "");
    EXPECT_EQ(bar(2, 4), "####");
}

TEST(LogWords, classes_are_named_by_where_they_begin_and_the_fullest_come_first) {
    EXPECT_EQ(size_class_name(0), "0");
    EXPECT_EQ(size_class_name(1), "2");
    EXPECT_EQ(size_class_name(10), "1K");
    EXPECT_EQ(size_class_name(19), "512K");
    EXPECT_EQ(size_class_name(23), "8M+");
    EXPECT_EQ(message_sizes_text(samples::messages({{8, 6}, {1 << 20, 3}, {100, 1}, {5000, 0}})),
              "8: 60%, 1M: 30%, 64: 10%");
    EXPECT_EQ(message_sizes_text({}), "");
}

TEST(LogWords, names_are_escaped) { EXPECT_EQ(printable("a\x1b[0m\nb"), "a\\x1b[0m\\x0ab"); }

/// The body of loop k is loop k - 1 twice. The innermost event occurs 2^30 times.
JobLog nested_loops() {
    CallSequence calls;
    LoggedEvent event{};
    event.key = {CallKind::kSend, kBlocking, 0, 1, 5, 0, 8, 0};
    event.count = std::uint64_t{1} << 30;
    calls.events.push_back(event);
    for (std::uint32_t k = 0; k < 30; ++k) {
        const Symbol inner = k == 0 ? 0 : kLoopSymbol + k - 1;
        calls.bodies.push_back({k + 1, 1, 2 * k, 2});
        calls.body.insert(calls.body.end(), {inner, inner});
        calls.loops.push_back({k, 0, 1});
    }
    calls.sequence = {kLoopSymbol + 29};
    JobLog log;
    log.rank_count = 2;
    log.communicators.emplace_back();
    log.ranks.emplace_back();
    log.ranks[0].communicators = {0};
    log.ranks[0].threads.push_back(std::move(calls));
    return log;
}

TEST(LogOutline, of_loops_in_loops_is_cut_and_never_unrolled) {
    const JobLog log = nested_loops();
    const std::string text = outline_text(log, log.ranks[0]);
    EXPECT_EQ(text.substr(0, text.find('\n')), "calls of rank 0: 1,073,741,824 events, compressed to 1 symbol");
    EXPECT_LE(std::ranges::count(text, '\n'), 62);
    EXPECT_NE(text.find("...\n"), std::string::npos);
}

TEST(LogOutline, of_a_long_log_shows_the_beginning_and_the_largest_loops_where_they_stand) {
    JobLog log = nested_loops();
    CallSequence& calls = log.ranks[0].threads[0];
    for (std::uint32_t k = 0; k < 30; ++k) calls.loops[k].repetitions = 1;
    calls.loops[2].repetitions = 1000;
    calls.sequence.assign(20, 0);
    for (int i = 0; i < 20; ++i) calls.sequence.push_back(kLoopSymbol);
    calls.sequence.push_back(kLoopSymbol + 2);
    calls.sequence.insert(calls.sequence.end(), 9, 0);
    const std::string text = outline_text(log, log.ranks[0]);
    const auto first = text.find("  (14 symbols)\n  1 time\n");
    const auto large = text.find("  (15 symbols)\n  1,000 times\n");
    EXPECT_NE(first, std::string::npos) << text;
    EXPECT_NE(large, std::string::npos) << text;
    EXPECT_LT(first, large);
    EXPECT_TRUE(text.ends_with("  (9 symbols)\n")) << text;
}

TEST(LogOutline, says_what_found_no_room) {
    JobLog log = nested_loops();
    log.ranks[0].threads[0].lost_symbols = 7;
    log.ranks[0].threads[0].sequence = {0, kLostEvent};
    const std::string text = outline_text(log, log.ranks[0]);
    EXPECT_NE(text.find("  send of 8 bytes to rank 1, tag 5\n  an event that did not fit into the log\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("incomplete: 0 events, 7 symbols and 0 completions did not fit into the log"),
              std::string::npos);
}

}  // namespace
}  // namespace haichi::cli
