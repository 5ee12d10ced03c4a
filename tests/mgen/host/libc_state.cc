#include "mgen/host/libc_state.h"

#include <getopt.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

namespace haichi::host {
namespace {

TEST(HostLibcState, random_numbers_of_a_rank_are_those_of_a_process_of_its_own) {
    LibcState rank;
    ::srandom(1);  // the initial state of a process
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(rank.random(), ::random()) << i;
    for (const unsigned seed : {0U, 1U, 2U, 12345U, 4294967295U}) {
        rank.set_random_seed(seed);
        ::srand(seed);
        for (int i = 0; i < 200; ++i) ASSERT_EQ(static_cast<int>(rank.random()), ::rand()) << seed << ": " << i;
    }
}

TEST(HostLibcState, a_program_may_give_random_a_state_of_any_size) {
    LibcState rank;
    for (const std::size_t size : {8U, 32U, 64U, 128U, 256U}) {
        alignas(int) std::array<char, 256> mine{};
        alignas(int) std::array<char, 256> theirs{};
        char* const before = rank.use_random_state(5, mine.data(), size);
        char* const before_theirs = ::initstate(5, theirs.data(), size);
        ASSERT_NE(before, nullptr);
        for (int i = 0; i < 100; ++i) ASSERT_EQ(rank.random(), ::random()) << size << ": " << i;
        EXPECT_EQ(rank.use_random_state(before), mine.data());
        ASSERT_EQ(::setstate(before_theirs), theirs.data());
    }
    std::array<char, 4> small{};
    EXPECT_EQ(rank.use_random_state(5, small.data(), small.size()), nullptr);
}

TEST(HostLibcState, two_ranks_draw_the_same_numbers_whatever_the_order) {
    LibcState one, other;
    const long first = one.random();
    const long second = one.random();
    EXPECT_EQ(other.random(), first);
    EXPECT_EQ(other.random(), second);
    double drawn = 0, drawn_by_other = 0, expected = 0;
    ::srand48_r(7, &one.drand48_state());
    ::drand48_r(&one.drand48_state(), &drawn);
    ::srand48(7);
    expected = ::drand48();
    EXPECT_EQ(drawn, expected);
    ::drand48_r(&other.drand48_state(), &drawn_by_other);
    EXPECT_NE(drawn_by_other, expected);
}

TEST(HostLibcState, options_and_tokens_are_kept_between_switches) {
    LibcStates ranks(2);
    const RankId one(0), other(1);
    ranks.put_in_place(one);
    std::string a = "app", b = "-n", c = "7";
    std::array<char*, 4> argv = {a.data(), b.data(), c.data(), nullptr};
    EXPECT_EQ(::optind, 1);
    EXPECT_EQ(ranks.of(one).next_option(3, argv.data(), "n:", nullptr, nullptr, false), 'n');
    std::string list = "red,green,blue";
    EXPECT_STREQ(ranks.of(one).next_token(list.data(), ","), "red");

    ranks.put_in_place(other);
    EXPECT_EQ(::optind, 1);
    EXPECT_EQ(::optarg, nullptr);
    EXPECT_EQ(::optopt, '?');
    EXPECT_EQ(ranks.of(other).next_option(3, argv.data(), "n:", nullptr, nullptr, false), 'n');
    EXPECT_STREQ(::optarg, "7");
    std::string numbers = "1 2";
    EXPECT_STREQ(ranks.of(other).next_token(numbers.data(), " "), "1");

    ranks.put_in_place(one);
    EXPECT_EQ(::optind, 3);
    EXPECT_STREQ(::optarg, "7");
    EXPECT_STREQ(ranks.of(one).next_token(nullptr, ","), "green");
    EXPECT_EQ(ranks.of(one).next_option(3, argv.data(), "n:", nullptr, nullptr, false), -1);
}

TEST(HostLibcState, handlers_run_last_first_with_those_that_they_add) {
    struct Seen {
        LibcState rank;
        std::string order;
    } seen;
    const auto letter = [](char c) {
        return c == 'a'   ? +[](void* to) { static_cast<Seen*>(to)->order += 'a'; }
               : c == 'b' ? +[](void* to) { static_cast<Seen*>(to)->order += 'b'; }
                          : +[](void* to) {
                                static_cast<Seen*>(to)->order += 'c';
                                static_cast<Seen*>(to)->rank.at_exit(
                                    [](void* of) { static_cast<Seen*>(of)->order += 'd'; }, to);
                            };
    };
    seen.rank.at_exit(letter('a'), &seen);
    seen.rank.at_exit(letter('c'), &seen);
    seen.rank.at_exit([](int code, void* to) { static_cast<Seen*>(to)->order += std::to_string(code); }, &seen);
    seen.rank.at_quick_exit(letter('b'), &seen);
    seen.rank.run_at_exit(3);
    EXPECT_EQ(seen.order, "3cda");
    seen.rank.run_at_exit(3);
    EXPECT_EQ(seen.order, "3cda");
    seen.rank.run_at_quick_exit();
    EXPECT_EQ(seen.order, "3cdab");
}

}  // namespace
}  // namespace haichi::host
