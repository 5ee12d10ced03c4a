#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

/// Counts how often an object is formatted.
struct Counted {
    int* formatted;
};

template <>
struct fmt::formatter<Counted> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    auto format(const Counted& counted, fmt::format_context& context) const {
        ++*counted.formatted;
        return context.out();
    }
};

namespace haichi {
namespace {

using Entries = std::vector<std::pair<LogLevel, std::string>>;

Log log_into(Entries& entries, LogLevel level) {
    return {level, [&entries](LogLevel of_entry, std::string_view text) { entries.emplace_back(of_entry, text); }};
}

TEST(Log, is_off_unless_told_and_formats_nothing_then) {
    int formatted = 0;
    const Log log;
    EXPECT_FALSE(log.enabled(LogLevel::kInfo));
    log.info("{}", Counted{&formatted});
    EXPECT_EQ(formatted, 0);
}

TEST(Log, formats_nothing_of_a_level_that_is_not_wanted) {
    int formatted = 0;
    Entries entries;
    const Log log = log_into(entries, LogLevel::kInfo);
    log.debug("{}", Counted{&formatted});
    log.trace("{}", Counted{&formatted});
    EXPECT_EQ(formatted, 0);
    EXPECT_TRUE(entries.empty());
    log.info("{}", Counted{&formatted});
    EXPECT_EQ(formatted, 1);
    EXPECT_EQ(entries.size(), 1u);
}

TEST(Log, each_level_holds_those_before_it) {
    Entries entries;
    const Log log = log_into(entries, LogLevel::kTrace);
    log.info("{} nodes", 12);
    log.debug("restart {}", 3);
    log.trace("done");
    EXPECT_EQ(entries,
              (Entries{{LogLevel::kInfo, "12 nodes"}, {LogLevel::kDebug, "restart 3"}, {LogLevel::kTrace, "done"}}));
}

TEST(Log, off_asks_for_no_one_to_write) {
    const Log log(LogLevel::kOff, {});
    log.info("nothing");
    EXPECT_FALSE(log.enabled(LogLevel::kInfo));
}

TEST(Log, copies_write_to_the_same_place) {
    Entries entries;
    const Log log = log_into(entries, LogLevel::kInfo);
    const Log copy = log;
    log.info("one");
    copy.info("two");
    EXPECT_EQ(entries, (Entries{{LogLevel::kInfo, "one"}, {LogLevel::kInfo, "two"}}));
}

TEST(Log, entries_of_many_threads_come_one_at_a_time) {
    constexpr int kThreads = 4;
    constexpr int kEach = 500;
    Entries entries;  // not thread-safe by itself
    const Log log = log_into(entries, LogLevel::kInfo);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < kThreads; ++t) {
            threads.emplace_back([&log, t] {
                for (int i = 0; i < kEach; ++i) log.info("thread {} entry {}", t, i);
            });
        }
    }
    EXPECT_EQ(entries.size(), std::size_t{kThreads} * kEach);
}

TEST(Log, levels_have_names_and_a_wrong_one_is_told_the_nearest) {
    EXPECT_EQ(to_string(LogLevel::kDebug), "debug");
    EXPECT_EQ(log_levels().listing(), "off, info, debug, trace");
    EXPECT_EQ(log_levels().hint_for("debgu"), "did you mean 'debug'?");
}

}  // namespace
}  // namespace haichi
