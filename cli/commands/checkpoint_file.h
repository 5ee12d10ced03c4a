#pragma once

#include <string>

#include "cli/output/console.h"
#include "mapper/solve/checkpoint.h"

namespace haichi::cli {

/// The file that --checkpoint names. It exists during a search, and after one that was interrupted or killed. Without a
/// path it does nothing.
class CheckpointFile {
  public:
    CheckpointFile(std::string path, Console& console);

    /// Throws OptionError if the file cannot be written or is also the file of the map. Changes no file.
    void check(const std::string& output) const;
    /// Reads the checkpoint of an earlier run, if any. Throws InputError for other files.
    void read();
    /// Removes the file after a complete run.
    void remove() const;

    /// Null if there is no path.
    [[nodiscard]] Checkpoint* checkpoint() { return path_.empty() ? nullptr : &checkpoint_; }

  private:
    void write(const std::string& text);

    std::string path_;
    Console* console_;
    bool has_failed_ = false;
    Checkpoint checkpoint_;
};

}  // namespace haichi::cli
