#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace haichi {

/// An output that is either whole or not there: written to a temporary file beside `path` and renamed by commit().
/// Open it before a long run, so that a wrong path fails at once. Existing paths that are no regular files (pipes,
/// /dev/stdout) are written directly. Throws OptionError when it cannot be opened and InputError when it cannot be
/// written (full disk).
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text);

    /// Flushes, syncs and puts the file in its place. Without it nothing is left behind.
    void commit();

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    [[noreturn]] void fail(const char* doing) const;

    std::string path_;
    std::string temporary_path_;  ///< empty when written directly
    std::FILE* file_ = nullptr;
};

}  // namespace haichi
