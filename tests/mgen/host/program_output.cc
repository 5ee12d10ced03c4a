#include "mgen/host/program_output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

namespace haichi::host {
namespace {

TEST(HostOutputLines, come_in_the_order_of_time_then_of_ranks_then_as_they_were_written) {
    OutputLines lines(3);
    lines.add(RankId(2), 20, "late\n");
    lines.add(RankId(1), 10, "b\nc\n");
    lines.add(RankId(0), 10, "a\n");
    lines.add(RankId(1), 10, "d\n");
    EXPECT_EQ(lines.take_before(10), "");
    EXPECT_EQ(lines.take_before(20), "a\nb\nc\nd\n");
    EXPECT_EQ(lines.take_all(), "late\n");
    EXPECT_TRUE(lines.empty());
}

TEST(HostOutputLines, a_line_belongs_to_the_time_at_which_it_ends) {
    OutputLines lines(2);
    lines.add(RankId(0), 1, "sum ");
    lines.add(RankId(1), 2, "other\n");
    lines.add(RankId(0), 3, "= 5\nnext");
    EXPECT_EQ(lines.take_before(100), "other\nsum = 5\n");
    lines.end(RankId(0), 4);
    lines.end(RankId(1), 4);
    EXPECT_EQ(lines.take_all(), "next\n");
}

TEST(HostOutputLines, what_has_no_line_end_is_not_lost) {
    OutputLines lines(2);
    lines.add(RankId(1), 1, "one");
    lines.add(RankId(0), 1, "zero");
    std::string seen;
    lines.for_each([&](std::string_view text) { seen += text; });
    EXPECT_EQ(seen, "zero\none\n");
    EXPECT_EQ(lines.take_all(), "zero\none\n");
    EXPECT_EQ(lines.take_all(), "");
}

/// Ranks that take turns on this thread.
class Turns {
  public:
    explicit Turns(ProgramOutput& output) : output_(&output) {}
    template <class Does>
    void run(std::int32_t rank, std::int64_t now_ps, const Does& does) {
        output_->put_in_place(RankId(rank));
        does();
        output_->has_stopped(RankId(rank), now_ps);
    }

  private:
    ProgramOutput* output_;
};

TEST(HostProgramOutput, whatever_way_a_rank_writes_it_is_its_line) {
    std::string seen;
    {
        ProgramOutput output(2, [&](std::string_view text) { seen += text; });
        Turns turns(output);
        turns.run(0, 100, [] { std::printf("printf "); });
        turns.run(1, 100, [] { std::cout << "cout\n"; });
        turns.run(0, 200, [] { EXPECT_EQ(::write(STDOUT_FILENO, "write\n", 6), 6); });
        turns.run(1, 300, [] { std::fputs("no end", stdout); });
        output.advance(150);
        EXPECT_EQ(seen, "cout\n");
        output.has_ended(RankId(1), 400);
        output.flush();
    }
    EXPECT_EQ(seen, "cout\nprintf write\nno end\n");
}

TEST(HostProgramOutput, large_writes_are_whole) {
    std::string seen;
    const std::string large(3 << 20, 'x');
    {
        ProgramOutput output(2, [&](std::string_view text) { seen += text; });
        Turns turns(output);
        for (int i = 0; i < 3; ++i) turns.run(1, i, [&] { std::printf("%s\n", large.c_str()); });
        turns.run(0, 5, [] { std::printf("small\n"); });
        output.flush();
    }
    EXPECT_EQ(seen, large + "\n" + large + "\n" + large + "\nsmall\n");
}

TEST(HostProgramOutput, only_rank_0_reads_standard_input) {
    const int before = ::dup(STDIN_FILENO);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], "42\n", 3), 3);
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    {
        ProgramOutput output(2, [](std::string_view) {});
        Turns turns(output);
        int number = 0;
        turns.run(1, 0, [&] { EXPECT_EQ(std::fscanf(stdin, "%d", &number), EOF); });
        turns.run(0, 0, [&] { EXPECT_EQ(std::fscanf(stdin, "%d", &number), 1); });
        EXPECT_EQ(number, 42);
    }
    ::dup2(before, STDIN_FILENO);
    ::close(before);
    ::close(ends[0]);
}

TEST(HostProgramOutput, what_the_sink_throws_comes_out_and_standard_output_is_put_back) {
    const auto full = [](std::string_view) { throw std::runtime_error("disk full"); };
    {
        ProgramOutput output(1, full);
        Turns turns(output);
        turns.run(0, 1, [] { std::printf("text\n"); });
        EXPECT_THROW(output.flush(), std::runtime_error);
    }
    EXPECT_LT(::lseek(STDOUT_FILENO, 0, SEEK_CUR), 1 << 20);  // the file in memory was removed
}

}  // namespace
}  // namespace haichi::host
