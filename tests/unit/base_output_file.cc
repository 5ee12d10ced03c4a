#include "base/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/errors.h"
#include "tests/unit/temporary_folder.h"

namespace haichi {
namespace {

class OutputFileTest : public testing::Test {
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

    testing_files::TemporaryFolder folder_;
};

TEST_F(OutputFileTest, is_there_only_after_commit) {
    OutputFile file(path("map"));
    file.write("0 1\n");
    EXPECT_FALSE(std::filesystem::exists(path("map")));
    file.commit();
    EXPECT_EQ(content(path("map")), "0 1\n");
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, leaves_the_old_file_when_not_committed) {
    std::ofstream(path("map")) << "old";
    {
        OutputFile file(path("map"));
        file.write("new");
    }
    EXPECT_EQ(content(path("map")), "old");
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, keeps_the_mode_of_a_file_it_replaces) {
    std::ofstream(path("map")) << "old";
    std::filesystem::permissions(path("map"), std::filesystem::perms{0640});
    OutputFile file(path("map"));
    file.commit();
    EXPECT_EQ(std::filesystem::status(path("map")).permissions(), std::filesystem::perms{0640});
}

TEST_F(OutputFileTest, writes_through_a_symbolic_link) {
    std::ofstream(path("target")) << "old";
    std::filesystem::create_symlink("target", path("link"));
    OutputFile file(path("link"));
    file.write("new");
    file.commit();
    EXPECT_EQ(content(path("target")), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(OutputFileTest, writes_where_a_dangling_link_leads) {
    std::filesystem::create_symlink("target", path("link"));
    OutputFile file(path("link"));
    file.write("new");
    file.commit();
    EXPECT_EQ(content(path("target")), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(OutputFileTest, a_wrong_path_fails_when_opened) {
    EXPECT_THROW(OutputFile(path("no/such/folder/map")), OptionError);
    EXPECT_THROW(OutputFile(folder_.path().string()), OptionError);
}

TEST_F(OutputFileTest, a_full_device_is_an_error) {
    OutputFile file("/dev/full");
    file.write("text");
    EXPECT_THROW(file.commit(), InputError);
}

}  // namespace
}  // namespace haichi
