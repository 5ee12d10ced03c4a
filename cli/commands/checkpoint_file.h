#pragma once

#include <string>

#include "cli/output/console.h"
#include "mapper/solve/checkpoint.h"

namespace haichi::cli {

/// The file that --checkpoint names. It exists during a search, and after a search that was interrupted or killed. If
/// the path is empty, all functions do nothing.
class CheckpointFile {
  public:
    CheckpointFile(std::string path, Console& console);

    /// Throws OptionError if the file cannot be written, or if it is also the output file `output`. Changes no file.
    void check(const std::string& output) const;
    /// Reads the checkpoint of an earlier run, if any. Throws InputError for other files.
    void read();
    /// Removes the file after a complete run.
    void remove() const;

    /// The checkpoint for the search, or null if the path is empty.
    [[nodiscard]] Checkpoint* checkpoint() { return path_.empty() ? nullptr : &checkpoint_; }

  private:
    void write(const std::string& text);

    std::string path_;
    Console* console_;
    bool has_failed_ = false;
    Checkpoint checkpoint_;
};

}  // namespace haichi::cli
