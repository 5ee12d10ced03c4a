#include <getopt.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "mgen/host/getopt_state.h"

namespace haichi::host {
namespace {

constexpr int kBegin = 0;  // makes glibc start over

int flag_of_library = 0;
int flag_of_ours = 0;

std::vector<option> long_options(int* flag) {
    return {{"all", no_argument, nullptr, 'a'},
            {"alloc", required_argument, nullptr, 300},
            {"block", optional_argument, nullptr, 'b'},
            {"blocking", optional_argument, nullptr, 'b'},  // the same option under two names
            {"count", required_argument, nullptr, 'c'},
            {"verbose", no_argument, flag, 7},
            {"version", no_argument, nullptr, 301},
            {nullptr, 0, nullptr, 0}};
}

const std::vector<std::string> kWords = {
    "-",        "--",        "-a",      "-b",     "-c",          "-cx",      "-ab",      "-bx",
    "-abc",     "-x",        "x",       "y z",    "--all",       "--al",     "--alloc",  "--a",
    "--alloc=", "--alloc=5", "--block", "--blo",  "--block=1",   "--count",  "--count=", "--coun=3",
    "--v",      "--ver",     "--verb",  "--vers", "--verbose=1", "--nope",   "--nope=1", "-all",
    "-count",   "-blo=3",    "-Wall",   "-W",     "-Wcount=2",   "count=2",  "-:",       "-;",
    "",         "---",       "-W=",     "--=",    "-ax",         "-version", "-acount",  "-verb"};
const std::vector<std::string> kShortOptions = {"abc:",  ":abc:",  "+abc:", "-abc:", "ab::c:",  "-:ab::c:", "+:ab:c",
                                                "abcW;", ":ab:W;", "-W;a",  "",      "a:b:c::", "+W;c:x"};

enum class OptionsKind { kShort, kLong, kLongOnly };

struct Step {
    int result, optind, optopt, long_index, flag;
    std::string optarg;

    bool operator==(const Step&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Step& s) {
    return out << "result " << s.result << " optind " << s.optind << " optopt " << s.optopt << " index " << s.long_index
               << " flag " << s.flag << " optarg " << s.optarg;
}

struct Reading {
    std::vector<Step> steps;
    std::vector<std::string> left;  ///< the arguments in their final order
    std::string told;
};

/// All steps until the end, and one more, which must also report the end.
template <class Next>
Reading run(std::vector<std::string> words, Next next) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    Reading done;
    testing::internal::CaptureStderr();
    int ends = 0;
    while (ends < 2 && done.steps.size() < 200) {
        done.steps.push_back(next(static_cast<int>(words.size()), argv.data()));
        ends += done.steps.back().result == -1 ? 1 : 0;
    }
    done.told = testing::internal::GetCapturedStderr();
    argv.pop_back();
    done.left.assign(argv.begin(), argv.end());
    return done;
}

Reading by_library(const std::vector<std::string>& words, const std::string& shorts, OptionsKind kind) {
    const std::vector<option> longs = long_options(&flag_of_library);
    flag_of_library = 0;
    optind = kBegin;
    opterr = 1;
    return run(words, [&](int argc, char** argv) {
        int index = -9;
        const int result = kind == OptionsKind::kShort ? getopt(argc, argv, shorts.c_str())
                           : kind == OptionsKind::kLong
                               ? getopt_long(argc, argv, shorts.c_str(), longs.data(), &index)
                               : getopt_long_only(argc, argv, shorts.c_str(), longs.data(), &index);
        return Step{result, optind, optopt, index, flag_of_library, optarg == nullptr ? "(none)" : optarg};
    });
}

Reading by_ours(const std::vector<std::string>& words, const std::string& shorts, OptionsKind kind, int optopt_before) {
    const std::vector<option> longs = long_options(&flag_of_ours);
    flag_of_ours = 0;
    GetoptState state;
    state.optopt = optopt_before;
    return run(words, [&](int argc, char** argv) {
        int index = -9;
        const int result = state.next(argc, argv, shorts.c_str(), kind == OptionsKind::kShort ? nullptr : longs.data(),
                                      &index, kind == OptionsKind::kLongOnly);
        return Step{result, state.optind, state.optopt,
                    index,  flag_of_ours, state.optarg == nullptr ? "(none)" : state.optarg};
    });
}

class HostGetopt : public testing::TestWithParam<bool> {};

TEST_P(HostGetopt, does_what_glibc_does_on_random_arguments) {
    const bool is_posix = GetParam();
    is_posix ? ::setenv("POSIXLY_CORRECT", "1", 1) : ::unsetenv("POSIXLY_CORRECT");
    (void)by_library({"app"}, "", OptionsKind::kShort);  // sets optopt, which is '?' before the first call
    std::mt19937 random(7);
    for (int i = 0; i < 4000; ++i) {
        std::vector<std::string> words = {"app"};
        const std::size_t count = random() % 8;
        for (std::size_t n = 0; n < count; ++n) words.push_back(kWords[random() % kWords.size()]);
        const std::string& shorts = kShortOptions[random() % kShortOptions.size()];
        const OptionsKind kind = static_cast<OptionsKind>(random() % 3);
        const int optopt_before = optopt;  // glibc keeps its value
        const Reading library = by_library(words, shorts, kind);
        const Reading ours = by_ours(words, shorts, kind, optopt_before);
        std::string shown;
        for (const std::string& word : words) shown += "'" + word + "' ";
        shown += "options " + shorts +
                 (kind == OptionsKind::kShort  ? ""
                  : kind == OptionsKind::kLong ? " long"
                                               : " long only");
        ASSERT_EQ(ours.steps, library.steps) << shown;
        ASSERT_EQ(ours.left, library.left) << shown;
        ASSERT_EQ(ours.told, library.told) << shown;
    }
    ::unsetenv("POSIXLY_CORRECT");
}

INSTANTIATE_TEST_SUITE_P(PosixlyCorrect, HostGetopt, testing::Values(false, true));

TEST(HostGetoptState, two_ranks_read_the_same_arguments_side_by_side) {
    std::vector<std::string> words = {"app", "-n", "7", "-v"};
    std::vector<char*> first, second;
    for (std::string& word : words) first.push_back(word.data());
    second = first;
    GetoptState one, other;
    EXPECT_EQ(one.next(4, first.data(), "n:v", nullptr, nullptr, false), 'n');
    EXPECT_EQ(other.next(4, second.data(), "n:v", nullptr, nullptr, false), 'n');
    EXPECT_STREQ(one.optarg, "7");
    EXPECT_STREQ(other.optarg, "7");
    EXPECT_EQ(one.next(4, first.data(), "n:v", nullptr, nullptr, false), 'v');
    EXPECT_EQ(one.next(4, first.data(), "n:v", nullptr, nullptr, false), -1);
    EXPECT_EQ(other.next(4, second.data(), "n:v", nullptr, nullptr, false), 'v');
}

}  // namespace
}  // namespace haichi::host
