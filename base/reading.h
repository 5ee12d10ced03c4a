#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"

namespace haichi {

/// Receives information from code that reads inputs. The log receives the names of recognised formats. TakeFile
/// receives files that another file or a rule has named rather than the user. A value; a log alone converts to it.
class Reading {
  public:
    using TakeFile = std::function<void(const std::string&)>;

    Reading() = default;
    Reading(Log log, TakeFile take = {}, std::string files_below = {})
        : log_(std::move(log)), take_(std::move(take)), files_below_(std::move(files_below)) {}

    [[nodiscard]] const Log& log() const { return log_; }
    void found_file(const std::string& path) const {
        if (take_) take_(path);
    }
    /// Root of OpenedNames; empty for the default root.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }

  private:
    Log log_;
    TakeFile take_;
    std::string files_below_;
};

/// A file named by another file or by a machine's name. Its text is read once and kept.
struct NamedFile {
    std::string path{};                 ///< empty if no file is named
    std::optional<std::string> text{};  ///< empty until it is read
    std::string below{};                ///< see Reading::files_below()
};

}  // namespace haichi
