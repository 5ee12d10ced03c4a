#include "base/opened_names.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/errors.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

namespace fs = std::filesystem;

/// Creates FOLDER/secret and FOLDER/job/{index,part,inner/part}.
class OpenedNamesTest : public testing::Test {
  protected:
    OpenedNamesTest() {
        fs::create_directories(folder_.path() / "job" / "inner");
        secret_ = folder_.written("secret", "root:x:0");
        index_ = folder_.written("job/index", "");
        part_ = folder_.written("job/part", "");
        inner_ = folder_.written("job/inner/part", "");
    }
    /// The message and the hint of the error, which must not show the content of the file.
    static std::string refusal(const std::function<void()>& open) {
        try {
            open();
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find("root:x"), std::string::npos);
            return std::string(error.what()) + "; " + error.hint();
        }
        return "";
    }
    [[nodiscard]] std::string refused(std::string_view name, const std::string& root = "") const {
        return refusal([&] { (void)OpenedNames(index_, root).path_of(name, 7); });
    }
    [[nodiscard]] std::string in_job(const std::string& name) const { return (folder_.path() / "job" / name).string(); }

    testing_files::TemporaryFolder folder_;
    std::string secret_, index_, part_, inner_;
};

TEST_F(OpenedNamesTest, below_the_directory_of_the_file_are_opened) {
    const OpenedNames names(index_);
    EXPECT_EQ(names.path_of("part", 1), part_);
    EXPECT_EQ(names.path_of(part_, 1), part_);
    EXPECT_EQ(names.path_of("inner/../part", 1), in_job("inner/../part"));
    fs::create_symlink("inner/part", in_job("link"));
    EXPECT_EQ(names.path_of("link", 1), in_job("link"));
    fs::create_symlink(part_, in_job("absolute_link"));
    EXPECT_EQ(names.path_of("absolute_link", 1), in_job("absolute_link"));
}

TEST_F(OpenedNamesTest, outside_are_refused_with_file_line_name_and_option) {
    fs::create_symlink(secret_, in_job("link"));
    fs::create_symlink("..", in_job("up"));
    for (const std::string& name : {secret_, std::string("../secret"), std::string("inner/../../secret"),
                                    std::string("up/secret"), std::string("link"), std::string("/etc/passwd"),
                                    std::string("/proc/self/root/etc/passwd"), std::string("../job2")}) {
        const std::string error = refused(name);
        EXPECT_NE(error.find(index_ + ":7: the file " + shown(name) + " leads outside"), std::string::npos) << error;
        EXPECT_NE(error.find("outside the directory of " + index_), std::string::npos) << error;
        EXPECT_NE(error.find("use §files-below DIR or set HAICHI_FILES_BELOW=DIR"), std::string::npos) << error;
    }
}

TEST_F(OpenedNamesTest, outside_are_refused_alike_whether_they_are_there_or_not) {
    const auto without_name = [&](const std::string& name) {
        std::string error = refused(name);
        return error.replace(error.find(name), name.size(), "");
    };
    EXPECT_EQ(without_name("../secret"), without_name("../nothing"));
}

TEST_F(OpenedNamesTest, of_a_sibling_with_the_same_beginning_are_outside) {
    fs::create_directory(folder_.path() / "job2");
    (void)folder_.written("job2/part", "");
    EXPECT_NE(refused("../job2/part"), "");
}

TEST_F(OpenedNamesTest, that_are_no_regular_files_are_refused) {
    ASSERT_EQ(::mkfifo(in_job("pipe").c_str(), 0600), 0);
    EXPECT_NE(refused("pipe").find(":7: " + in_job("pipe") + ": expected a regular file, found a pipe"),
              std::string::npos);
    EXPECT_NE(refused("inner").find("expected a regular file, found a directory"), std::string::npos);
    EXPECT_NE(refused("missing").find("cannot read " + in_job("missing") + ": "), std::string::npos);
    for (const std::string_view name : {std::string_view(), std::string_view("-"), std::string_view("part\0x", 6)}) {
        EXPECT_NE(refused(name).find("invalid file name: "), std::string::npos);
    }
}

TEST_F(OpenedNamesTest, a_root_widens_or_narrows) {
    EXPECT_EQ(refused("../secret", folder_.path().string()), "");
    EXPECT_EQ(refused("../secret", "/"), "");
    EXPECT_NE(refused("part", in_job("inner")).find("leads outside '"), std::string::npos);
    EXPECT_NE(refused("part", in_job("nowhere")).find("§files-below: '"), std::string::npos);
}

TEST_F(OpenedNamesTest, the_environment_names_a_root_where_no_option_does) {
    ASSERT_EQ(::setenv(OpenedNames::kVariable, folder_.path().c_str(), 1), 0);
    EXPECT_EQ(refused("../secret"), "");
    EXPECT_NE(refused("../secret", in_job("")), "");
    ASSERT_EQ(::setenv(OpenedNames::kVariable, "/nowhere", 1), 0);
    EXPECT_NE(refused("part").find("HAICHI_FILES_BELOW: '/nowhere' is not a directory"), std::string::npos);
    ASSERT_EQ(::unsetenv(OpenedNames::kVariable), 0);
}

TEST_F(OpenedNamesTest, may_be_seen_from_the_current_directory_as_long_as_they_are_below_the_root) {
    const fs::path before = fs::current_path();
    fs::current_path(folder_.path());
    using From = OpenedNames::SeenFrom;
    const OpenedNames names("job/index");
    EXPECT_EQ(names.path_of("job/inner/part", 1, From::kFileOrHere), "job/inner/part");
    EXPECT_EQ(names.path_of("part", 1, From::kFileOrHere), "job/part");
    EXPECT_NE(refusal([&] { (void)names.path_of("secret", 1, From::kFileOrHere); }), "");
    EXPECT_NE(refusal([&] { (void)names.path_of("job/part", 1); }), "");
    fs::current_path(before);
}

TEST_F(OpenedNamesTest, found_beside_the_file_may_not_lead_outside_but_the_file_itself_may) {
    fs::create_symlink(secret_, in_job("part2"));
    EXPECT_EQ(refusal([&] { OpenedNames(index_).check_found(part_); }), "");
    EXPECT_NE(refusal([&] { OpenedNames(index_).check_found(in_job("part2")); }).find("leads outside"),
              std::string::npos);
    EXPECT_EQ(refusal([&] { OpenedNames(in_job("part2")).check_found(in_job("./part2")); }), "");
}

}  // namespace
}  // namespace haichi
