#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace haichi::profiler {

/// Writes NAME for number 1, and NAME-2, NAME-3, ... for larger numbers.
template <std::size_t size>
void numbered_name(const char (&name)[size], int number, char (&numbered)[size]) {
    const std::string suffix = number == 1 ? "" : "-" + std::to_string(number);
    const std::string whole = std::string(name).substr(0, size - 1 - suffix.size()) + suffix;
    whole.copy(numbered, size - 1);
    numbered[whole.size()] = '\0';
}

/// Returns true if NAME.haichi-log exists, even as a dangling symbolic link.
bool has_job_file(const char* name);

/// The file NAME.haichi-log. It is written under a hidden random name that only the user can access, and then renamed.
/// An existing file is not replaced: the new file is then NAME-2.haichi-log, and so on.
class JobFile {
  public:
    JobFile(const char* name, int ranks);
    ~JobFile();
    JobFile(const JobFile&) = delete;
    JobFile& operator=(const JobFile&) = delete;

    void write_record(std::span<const std::byte> record);
    /// Returns false and sets errno if the file could not be written; otherwise, path() is the final name.
    bool commit();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    void write(const void* bytes, std::size_t size);

    /// Renames the file to its final name. Returns false with errno EEXIST if the name already exists.
    [[nodiscard]] bool rename_to(const std::string& path) const;

    std::string name_, path_;
    int file_ = -1;
    int error_ = 0;  ///< errno of the first error
};

/// Call this from the handler of a fatal signal; it is async-signal-safe.
void remove_unfinished_job_file();

}  // namespace haichi::profiler
