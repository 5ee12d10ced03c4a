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
    Reading(Log log, TakeFile take = {}) : log_(std::move(log)), take_(std::move(take)) {}

    [[nodiscard]] const Log& log() const { return log_; }
    void found_file(const std::string& path) const {
        if (take_) take_(path);
    }

  private:
    Log log_;
    TakeFile take_;
};

/// A file that another file, or a name, names. Its text is read once and kept.
struct NamedFile {
    std::string path{};                 ///< empty: no file is named
    std::optional<std::string> text{};  ///< nothing: not read yet
};

}  // namespace haichi
