#include "commlog/barriers/follower.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/errors.h"

namespace haichi::barriers {

namespace {

/// Makes the calls in `words` and returns them with the barriers between them. The word "end" is the end of the run. A
/// call that the script does not have becomes "!".
std::string followed(const std::string& script, const std::string& words) {
    Follower follower(parse_script(script, "test"));
    std::string text;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        std::optional<int> barriers;
        if (word == "wait") {
            barriers = follower.wait();
        } else if (word == "probe") {
            barriers = follower.probe();
        } else if (word == "end") {
            barriers = follower.end();
        } else {
            barriers = follower.post(parse_script(word, "test").front().post);
        }
        if (!text.empty()) text += ' ';
        for (int i = 0; i < barriers.value_or(0); ++i) text += "| ";
        text += barriers ? word : "!";
    }
    return text;
}

TEST(Follower, puts_barriers_before_the_calls_of_the_script) {
    EXPECT_EQ(
        followed("bcast0 2( send1/0 | recv1/* ) barrier@1f", "bcast0 send1/0 recv1/* send1/0 recv1/* barrier@1f end"),
        "bcast0 send1/0 | recv1/* send1/0 | recv1/* barrier@1f end");
    EXPECT_EQ(followed("send1/0 | |", "send1/0 end"), "send1/0 | | end");
}

TEST(Follower, waits_and_probes_take_barriers_that_precede_them) {
    EXPECT_EQ(followed("irecv1/0 |w isend1/0", "irecv1/0 wait wait isend1/0"), "irecv1/0 | wait wait isend1/0");
    EXPECT_EQ(followed("irecv1/0 |w isend1/0", "irecv1/0 isend1/0 wait"), "irecv1/0 | isend1/0 wait");
    EXPECT_EQ(followed("irecv1/0 | recv1/1", "irecv1/0 wait probe recv1/1"), "irecv1/0 wait | probe recv1/1");
}

TEST(Follower, other_calls_tags_and_communicators_differ) {
    for (const char* const other :
         {"recv1/0", "send2/0", "send1/1", "send1/0@5", "ssend1/0", "isend1/0", "allreduce"}) {
        EXPECT_EQ(followed("| send1/0", other), "!") << other;
    }
    EXPECT_EQ(followed("| send1/?", "send1/77"), "| send1/77");
    EXPECT_EQ(followed("send1/0 | send1/0", "send1/0 end"), "send1/0 !");
}

TEST(Follower, loops_with_barriers_have_any_number_of_iterations) {
    const std::string script = "barrier 3( | send1/0 recv1/0 ) reduce0";
    EXPECT_EQ(followed(script, "barrier send1/0 recv1/0 reduce0 end"), "barrier | send1/0 recv1/0 reduce0 end");
    std::string run = "barrier";
    std::string expected = "barrier";
    for (int i = 0; i < 100; ++i) {
        run += " send1/0 recv1/0";
        expected += " | send1/0 recv1/0";
    }
    EXPECT_EQ(followed(script, run + " reduce0 end"), expected + " reduce0 end");
    // The loop begins in the middle of the program's iteration.
    const std::string rotated = "send1/0 2( recv1/0 | send1/0 ) recv1/0 reduce0";
    EXPECT_EQ(followed(rotated, "send1/0 recv1/0 reduce0 end"), "send1/0 recv1/0 reduce0 end");
    EXPECT_EQ(followed(rotated, "send1/0 recv1/0 send1/0 recv1/0 send1/0 recv1/0 send1/0 recv1/0 reduce0 end"),
              "send1/0 recv1/0 | send1/0 recv1/0 | send1/0 recv1/0 | send1/0 recv1/0 reduce0 end");
    EXPECT_EQ(followed("| 2( | send1/0 ) recv1/0", "recv1/0 end"), "| recv1/0 end");
    // Loops without barriers are part of the calls.
    EXPECT_EQ(followed("2( send1/0 ) | barrier", "send1/0 barrier"), "send1/0 !");
}

TEST(BarrierFile, is_read_as_it_was_written_and_errors_name_the_line) {
    const BarrierFile file{2, {0, 2}, 8, {"4( | send1/0 )", "4( | recv0/0@a ) |w"}};
    const std::string text = barrier_file_text(file);
    const BarrierFile read = parse_barrier_file(text, "f");
    EXPECT_EQ(read.ranks, 2);
    EXPECT_EQ(read.sets, file.sets);
    EXPECT_EQ(read.barriers, 8);
    EXPECT_EQ(read.scripts, file.scripts);
    const auto error_of = [](const std::string& wrong) -> std::string {
        try {
            parse_barrier_file(wrong, "f");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(error_of("haichi-barriers/2\n"), "f:1: expected haichi-barriers/1, found 'haichi-barriers/2'");
    EXPECT_EQ(error_of(text + "more"), "f:7: expected the end of the file, found 'more'");
    EXPECT_EQ(error_of(text.substr(0, text.find("rank 1"))), "f:6: expected 'rank 1 ', found ''");
    for (const char* const wrong : {"2(", ")", "2( )", "0( send1/0 )", "sent1/0", "send1", "send/1", "send1/x",
                                    "send1/0@", "2( 2( 2( 2( 2( 2( 2( 2( 2( | ) ) ) ) ) ) ) ) )", "allreducex"}) {
        EXPECT_THROW(parse_script(wrong, "f:5"), InputError) << wrong;
    }
}

}  // namespace

}  // namespace haichi::barriers
