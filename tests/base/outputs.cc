#include "base/outputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/errors.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

class OutputsTest : public testing::Test {
  protected:
    [[nodiscard]] std::string path(const char* name) const { return (folder_.path() / name).string(); }
    static std::string content(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t file_count() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
    }
    /// The hidden file in the directory.
    [[nodiscard]] std::filesystem::path temporary() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            if (entry.path().filename().string().starts_with(".")) return entry.path();
        }
        return {};
    }
    /// Whether the file system of the directory supports unnamed files.
    [[nodiscard]] bool has_unnamed_files() const {
        const int descriptor = ::open(folder_.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
        if (descriptor >= 0) ::close(descriptor);
        return descriptor >= 0;
    }
    static void write(const std::string& path, const char* text) {
        Outputs outputs;
        OutputFile& file = outputs.add_file(path);
        outputs.open();
        file.write(text);
        outputs.commit();
    }
    /// The message of check() for an output at `path` and an input `input`.
    static std::string refusal(const std::string& input, const std::string& path) {
        Outputs outputs;
        outputs.add_input(input);
        outputs.add_file(path);
        try {
            outputs.check();
        } catch (const OptionError& error) {
            return error.what();
        }
        return "";
    }

    testing_files::TemporaryFolder folder_;
};

using OutputFileTest = OutputsTest;
using OutputStreamTest = OutputsTest;

TEST_F(OutputFileTest, is_there_only_after_commit) {
    Outputs outputs;
    OutputFile& file = outputs.add_file(path("map"));
    outputs.open();
    file.write("0 1\n");
    EXPECT_FALSE(std::filesystem::exists(path("map")));
    outputs.commit();
    EXPECT_EQ(content(path("map")), "0 1\n");
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, leaves_the_old_file_when_not_committed) {
    std::ofstream(path("map")) << "old";
    {
        Outputs outputs;
        OutputFile& file = outputs.add_file(path("map"));
        outputs.open();
        file.write("new");
    }
    EXPECT_EQ(content(path("map")), "old");
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, is_its_owners_alone_until_it_is_whole) {
    std::ofstream(path("map")) << "old";
    std::filesystem::permissions(path("map"), std::filesystem::perms{0644});
    Outputs outputs;
    outputs.add_file(path("map"));
    outputs.open();
    if (!has_unnamed_files()) {
        EXPECT_EQ(std::filesystem::status(temporary()).permissions(), std::filesystem::perms{0600});
    }
    outputs.commit();
    EXPECT_EQ(std::filesystem::status(path("map")).permissions(), std::filesystem::perms{0644});
}

TEST_F(OutputFileTest, a_process_that_is_killed_leaves_nothing) {
    std::ofstream(path("map")) << "old";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Outputs outputs;
        OutputFile& file = outputs.add_file(path("map"));
        outputs.add_file(path("new"));
        outputs.open();
        file.write(std::string(1 << 20, 'x'));
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(content(path("map")), "old");
    if (has_unnamed_files()) {
        EXPECT_EQ(file_count(), 1U);
    }
}

TEST_F(OutputFileTest, several_are_put_in_place_over_old_ones_and_none_else_is_left) {
    for (const char* const text : {"first", "second"}) {
        Outputs outputs;
        OutputFile& a = outputs.add_file(path("a"));
        OutputFile& b = outputs.add_file(path("b"));
        outputs.open();
        a.write(text);
        b.write(text);
        outputs.commit();
        EXPECT_EQ(content(path("a")) + content(path("b")), std::string(text) + text);
        EXPECT_EQ(file_count(), 2U);
    }
}

TEST_F(OutputFileTest, keeps_the_mode_of_a_file_it_replaces) {
    std::ofstream(path("map")) << "old";
    std::filesystem::permissions(path("map"), std::filesystem::perms{0640});
    write(path("map"), "new");
    EXPECT_EQ(std::filesystem::status(path("map")).permissions(), std::filesystem::perms{0640});
}

TEST_F(OutputFileTest, writes_through_a_symbolic_link) {
    std::ofstream(path("target")) << "old";
    std::filesystem::create_symlink("target", path("link"));
    write(path("link"), "new");
    EXPECT_EQ(content(path("target")), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(OutputFileTest, writes_where_a_dangling_link_leads) {
    std::filesystem::create_symlink("target", path("link"));
    write(path("link"), "new");
    EXPECT_EQ(content(path("target")), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(OutputFileTest, a_name_of_the_greatest_length_can_be_written) {
    const std::string longest(255, 'x');
    write(path(longest.c_str()), "new");
    EXPECT_EQ(content(path(longest.c_str())), "new");
}

TEST_F(OutputFileTest, a_full_device_is_an_error) {
    Outputs outputs;
    OutputFile& file = outputs.add_file("/dev/full");
    outputs.open();
    file.write("text");
    EXPECT_THROW(outputs.commit(), InputError);
}

TEST_F(OutputsTest, a_check_refuses_wrong_paths_and_touches_nothing) {
    EXPECT_NE(refusal("", path("no/such/folder/map")), "");
    EXPECT_NE(refusal("", folder_.path().string()), "");
    EXPECT_NE(refusal("", folder_.path().string() + "/"), "");
    EXPECT_NE(refusal("", ""), "");
    EXPECT_EQ(refusal("", path("map")), "");
    EXPECT_EQ(file_count(), 0U);
}

TEST_F(OutputsTest, an_input_is_refused_under_any_name) {
    const std::string input = folder_.written("workload", "precious");
    std::filesystem::create_symlink("workload", path("symbolic"));
    std::filesystem::create_hard_link(input, path("hard"));
    EXPECT_EQ(refusal(input, input), "cannot write " + input + ": it is also an input");
    for (const char* name : {"symbolic", "hard", "./workload"}) {
        EXPECT_EQ(refusal(input, path(name)), "cannot write " + path(name) + ": it is also the input " + input);
        EXPECT_EQ(refusal(path(name), input), "cannot write " + input + ": it is also the input " + path(name));
    }
    EXPECT_EQ(content(input), "precious");
}

TEST_F(OutputsTest, an_input_that_is_not_there_does_not_matter) {
    EXPECT_EQ(refusal(path("map"), path("map")), "");
    EXPECT_EQ(refusal("fx10-kyushu", path("map")), "");
}

TEST_F(OutputsTest, two_outputs_are_two_files) {
    std::filesystem::create_symlink("new", path("link"));
    for (const char* second : {"new", "./new", "link"}) {
        Outputs outputs;
        outputs.add_file(path("new"));
        outputs.add_stream(path(second));
        EXPECT_THROW(outputs.check(), OptionError) << second;
    }
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputsTest, devices_may_stand_twice) {
    Outputs outputs;
    outputs.add_input("/dev/null");
    outputs.add_file("/dev/null");
    outputs.add_stream("/dev/null");
    outputs.open();
    outputs.commit();
}

TEST_F(OutputsTest, a_stream_is_not_emptied_when_another_output_cannot_be_opened) {
    const std::string old = folder_.written("stream", "old\n");
    Outputs outputs;
    outputs.add_stream(old);
    outputs.add_file(path("no/such/folder/map"));
    EXPECT_THROW(outputs.open(), OptionError);
    EXPECT_EQ(content(old), "old\n");
}

TEST_F(OutputsTest, after_discard_another_thread_cannot_put_a_file_in_its_place) {
    std::ofstream(path("map")) << "old";
    Outputs outputs;
    OutputFile& file = outputs.add_file(path("map"));
    outputs.open();
    file.write("new");
    std::thread run;
    {
        const auto lock = outputs.discard();
        EXPECT_EQ(file_count(), 1U);
        run = std::thread([&outputs] { EXPECT_THROW(outputs.commit(), InputError); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(content(path("map")), "old");
    }
    run.join();
    EXPECT_EQ(content(path("map")), "old");
}

TEST_F(OutputStreamTest, holds_whole_lines_while_it_is_written) {
    Outputs outputs;
    OutputStream& stream = outputs.add_stream(path("stream"));
    outputs.open();
    stream << "one\ntw" << std::flush;
    EXPECT_EQ(content(path("stream")), "one\n");
    stream << "o\n" << std::flush;
    EXPECT_EQ(content(path("stream")), "one\ntwo\n");
    stream << "three";
    outputs.commit();
    EXPECT_EQ(content(path("stream")), "one\ntwo\nthree");
}

TEST_F(OutputStreamTest, keeps_what_was_there_until_the_first_line) {
    const std::string old = folder_.written("stream", "old\n");
    {
        Outputs outputs;
        outputs.add_stream(old);
        outputs.add_stream(path("new"));
        outputs.open();
    }
    EXPECT_EQ(content(old), "old\n");
    EXPECT_EQ(file_count(), 1U);
    Outputs outputs;
    OutputStream& stream = outputs.add_stream(old);
    outputs.open();
    stream << "first\n" << std::flush;
    EXPECT_EQ(content(old), "first\n");
}

TEST_F(OutputStreamTest, stays_when_the_run_fails) {
    {
        Outputs outputs;
        OutputStream& stream = outputs.add_stream(path("stream"));
        outputs.open();
        stream << "one\n";
    }
    EXPECT_EQ(content(path("stream")), "one\n");
}

TEST_F(OutputStreamTest, writes_in_place_and_through_a_link) {
    const std::string target = folder_.written("target", "much longer than what comes");
    std::filesystem::create_symlink("target", path("link"));
    Outputs outputs;
    OutputStream& stream = outputs.add_stream(path("link"));
    outputs.open();
    stream << "new\n";
    outputs.commit();
    EXPECT_EQ(content(target), "new\n");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

/// Writes two lines with room for `bytes` bytes. The error must report that the lines do not fit.
void write_with_room_for(rlim_t bytes, const std::string& path) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto on_signal = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{bytes, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    {
        Outputs outputs;
        OutputStream& stream = outputs.add_stream(path);
        outputs.open();
        stream << "one\ntwo\n";
        EXPECT_THROW(outputs.commit(), InputError);
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, on_signal);
}

TEST_F(OutputStreamTest, holds_whole_lines_where_there_is_no_room_for_more) {
    write_with_room_for(6, path("stream"));
    EXPECT_EQ(content(path("stream")), "one\n");
    write_with_room_for(3, path("new"));
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputStreamTest, is_written_by_one_run_at_a_time) {
    for (int k = 0; k < 2; ++k) {
        Outputs outputs;
        OutputStream& stream = outputs.add_stream(path("stream"));
        outputs.open();
        stream << "one\n" << std::flush;
        {
            Outputs others;
            others.add_stream(path("stream"));
            EXPECT_THROW(others.open(), OptionError);
        }
        stream << "two\n";
        outputs.commit();
        EXPECT_EQ(content(path("stream")), "one\ntwo\n");
    }
}

TEST_F(OutputStreamTest, a_full_device_is_an_error) {
    Outputs outputs;
    OutputStream& stream = outputs.add_stream("/dev/full");
    outputs.open();
    stream << "text\n";
    EXPECT_THROW(outputs.commit(), InputError);
}

}  // namespace
}  // namespace haichi
