#pragma once

#include <optional>
#include <string>

#include "base/log.h"
#include "options/option_table.h"

namespace haichi {

/// Options that every command has: how much it prints besides its results, and which files it opens.
struct CommonOptions {
    bool quiet = false;
    int verbose = 0;  ///< how often -v is given
    std::optional<LogLevel> log_level{};
    std::optional<int> progress_fd{};
    std::string files_below{};

    void declare(OptionTable& options, bool reports_progress);
    /// The level of the options, or of HAICHI_LOG if no option sets it. Throws OptionError for options that cannot be
    /// combined and for an unknown level in HAICHI_LOG.
    [[nodiscard]] LogLevel level() const;
};

/// --output of a command that writes text or JSON.
void declare_output(OptionTable& options, std::string& path, const std::string& description);
/// --json.
void declare_json(OptionTable& options, bool& json, const std::string& schema);
/// --no-timing.
void declare_no_timing(OptionTable& options, bool& no_timing);

}  // namespace haichi
