#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace haichi::profiler {

/// NAME, and NAME-2, NAME-3 ... for larger numbers.
template <std::size_t size>
void numbered_name(const char (&name)[size], int number, char (&numbered)[size]) {
    const std::string suffix = number == 1 ? "" : "-" + std::to_string(number);
    const std::string whole = std::string(name).substr(0, size - 1 - suffix.size()) + suffix;
    whole.copy(numbered, size - 1);
    numbered[whole.size()] = '\0';
}

/// Whether something, be it a symbolic link that leads nowhere, is called NAME.haichi-log.
bool has_job_file(const char* name);

/// NAME.haichi-log, written under a hidden random name that is the user's alone, then renamed. What stands there is
/// kept: the file is then called NAME-2.haichi-log, and so on.
class JobFile {
  public:
    JobFile(const char* name, int ranks);
    ~JobFile();
    JobFile(const JobFile&) = delete;
    JobFile& operator=(const JobFile&) = delete;

    void write_record(std::span<const std::byte> record);
    /// False: it could not be written; errno says why. path() is then known.
    bool commit();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    void write(const void* bytes, std::size_t size);

    /// Gives the file its name unless something has it. False with errno EEXIST: something has.
    [[nodiscard]] bool rename_to(const std::string& path) const;

    std::string name_, path_;
    int file_ = -1;
    int error_ = 0;  ///< the first that happened
};

/// For a signal that ends the process: async-signal-safe.
void remove_unfinished_job_file();

}  // namespace haichi::profiler
