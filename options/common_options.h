#pragma once

#include <optional>
#include <string>

#include "base/log.h"
#include "options/option_table.h"

namespace haichi {

/// The options that every command has. They set how much a command prints besides its results, and which files it may
/// open.
struct CommonOptions {
    bool quiet = false;
    int verbose = 0;  ///< number of -v options
    std::optional<LogLevel> log_level{};
    std::optional<int> progress_fd{};
    std::string files_below{};

    void declare(OptionTable& options, bool reports_progress);
    /// The log level that the options set, or the one in $HAICHI_LOG if no option sets it. Throws OptionError for
    /// options that cannot be combined, and for an unknown level in $HAICHI_LOG.
    [[nodiscard]] LogLevel level() const;
};

/// Declares --output, for a command that writes text or JSON.
void declare_output(OptionTable& options, std::string& path, const std::string& description);
/// Declares --json.
void declare_json(OptionTable& options, bool& json, const std::string& schema);
/// Declares --no-timing.
void declare_no_timing(OptionTable& options, bool& no_timing);

}  // namespace haichi
