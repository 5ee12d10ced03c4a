#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"

namespace haichi {

/// What a run that reads its inputs tells whom: the log what was recognised, and whoever guards the inputs which files
/// were read that no user has named, but another file or a rule. A value; a log alone is one.
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
    /// The root of OpenedNames; empty: the default one.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }

  private:
    Log log_;
    TakeFile take_;
    std::string files_below_;
};

/// A file that another file, or a name, names. Its text is read once and kept.
struct NamedFile {
    std::string path{};                 ///< empty: no file is named
    std::optional<std::string> text{};  ///< nothing: not read yet
    std::string below{};                ///< as Reading::files_below()
};

}  // namespace haichi
