#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace haichi {

/// An output that is either complete or absent. It is written to a temporary file in the directory of `path`,
/// accessible only to its owner, and gets its final name at the end. The temporary file has no name if the system
/// supports this, so a killed process leaves nothing. Otherwise it has a random name. Existing paths that are not
/// regular files (pipes, /dev/stdout) are written directly. Outputs calls the functions from open() to discard(); other
/// code calls only write().
class OutputFile {
  public:
    /// Does not access the file system.
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Throws InputError if writing fails (full disk).
    void write(std::string_view text);

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    friend class Outputs;

    /// Throws OptionError.
    void open();
    /// Writes all data to the disk, in the temporary file. Throws InputError.
    void finish();
    /// Gives the file its final name. Throws InputError.
    void put_in_place();
    /// Removes the temporary file. The output cannot be put in place afterwards.
    void discard() noexcept;
    [[noreturn]] void fail(const char* doing) const;

    std::string path_;
    bool is_direct_ = false;
    std::string temporary_path_;  ///< empty if there is none
    int unnamed_ = -1;            ///< descriptor of the unnamed file, or -1
    bool is_discarded_ = false;
    unsigned mode_ = 0;
    std::FILE* file_ = nullptr;
};

}  // namespace haichi
