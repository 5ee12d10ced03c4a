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

    /// Throws OptionError where it cannot be written, or is where the map goes. Touches nothing.
    void check(const std::string& output) const;
    /// What an earlier run left, if there is one. Throws InputError for files that are something else.
    void read();
    /// The run is complete.
    void remove() const;

    /// Null without a path.
    [[nodiscard]] Checkpoint* checkpoint() { return path_.empty() ? nullptr : &checkpoint_; }

  private:
    void write(const std::string& text);

    std::string path_;
    Console* console_;
    bool has_failed_ = false;
    Checkpoint checkpoint_;
};

}  // namespace haichi::cli
