#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace haichi::profiler {

/// NAME.haichi-log, written under a hidden random name that is the user's alone, then renamed: what stands there, a
/// symbolic link as well, is replaced and never written through.
class JobFile {
  public:
    JobFile(const char* name, int ranks);
    ~JobFile();
    JobFile(const JobFile&) = delete;
    JobFile& operator=(const JobFile&) = delete;

    void write_record(const std::vector<std::byte>& record);
    /// False: it could not be written; errno says why.
    bool commit();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    void write(const void* bytes, std::size_t size);

    std::string path_;
    int file_ = -1;
    int error_ = 0;  ///< the first that happened
};

/// For a signal that ends the process: async-signal-safe.
void remove_unfinished_job_file();

}  // namespace haichi::profiler
