#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace haichi::testing_files {

/// A new directory for this process, removed by the destructor. Tests of several users and checkouts run concurrently.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = testing::TempDir() + "haichi_XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder " + name);
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a file and returns its path.
    [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = path_ / name;
        std::ofstream stream(file, std::ios::binary);
        stream << text;
        stream.close();
        if (!stream) throw std::runtime_error("cannot write " + file.string());
        return file.string();
    }

  private:
    std::filesystem::path path_;
};

/// written() in a directory that exists as long as the test program.
inline std::string written(const std::string& name, const std::string& text) {
    static const TemporaryFolder folder;
    return folder.written(name, text);
}

}  // namespace haichi::testing_files
