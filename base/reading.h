#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

namespace haichi {

/// Callbacks for code that reads inputs. The log receives the names of recognised formats. TakeFile receives files that
/// another file or a rule has named, not the user. TakeNote receives assumptions that a reader makes where the input is
/// incomplete. A Reading is a value, and a Log converts to one.
class Reading {
  public:
    using TakeFile = std::function<void(const std::string&)>;
    using TakeNote = std::function<void(const std::string&)>;

    Reading() = default;
    Reading(Log log, TakeFile take = {}, std::string files_below = {}, TakeNote note = {})
        : log_(std::move(log)), take_(std::move(take)), files_below_(std::move(files_below)), note_(std::move(note)) {}

    [[nodiscard]] const Log& log() const { return log_; }
    void found_file(const std::string& path) const {
        if (take_) take_(path);
    }
    void assumed(const std::string& note) const {
        if (note_) note_(note);
    }
    /// The root for OpenedNames; empty for the default root.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }

  private:
    Log log_;
    TakeFile take_;
    std::string files_below_;
    TakeNote note_;
};

/// A file that another file or the name of a machine refers to. Its text is read once and kept.
struct NamedFile {
    std::string path{};                 ///< empty if there is no such file
    std::optional<std::string> text{};  ///< empty until it is read
    std::string below{};                ///< see Reading::files_below()
    std::vector<std::string> notes{};   ///< assumptions of the reader, one statement each
};

}  // namespace haichi
