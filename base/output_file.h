#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace haichi {

/// An output that is either whole or not there: written to a temporary file in the folder of `path`, which is its
/// owner's alone, and put in place. The temporary file has no name where the system has such files, so that a process
/// that is killed leaves nothing; else a random one. Existing paths that are no regular files (pipes, /dev/stdout) are
/// written directly. Its steps belong to Outputs; those who hold it only write.
class OutputFile {
  public:
    /// Touches nothing.
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Throws InputError when it cannot be written (full disk).
    void write(std::string_view text);

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    friend class Outputs;

    /// Throws OptionError.
    void open();
    /// Everything is on the disk, under the temporary name. Throws InputError.
    void finish();
    /// Gives it its name. Throws InputError.
    void put_in_place();
    /// Removes the temporary file, which can no longer be put in place.
    void discard() noexcept;
    [[noreturn]] void fail(const char* doing) const;

    std::string path_;
    bool is_direct_ = false;
    std::string temporary_path_;  ///< empty when there is none
    int unnamed_ = -1;            ///< the finished file, while it has no name
    bool is_discarded_ = false;
    unsigned mode_ = 0;
    std::FILE* file_ = nullptr;
};

}  // namespace haichi
