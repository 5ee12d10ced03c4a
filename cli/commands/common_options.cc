#include "cli/commands/common_options.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/errors.h"
#include "base/log.h"
#include "cli/commands/values.h"

namespace haichi::cli {

namespace {

constexpr const char* kVariable = "HAICHI_LOG";

/// Of $HAICHI_LOG; off when it is not set.
LogLevel level_of_environment() {
    const char* name = std::getenv(kVariable);
    if (name == nullptr || *name == '\0') return LogLevel::kOff;
    const LogLevelRow* row = log_levels().find(name);
    if (row == nullptr) {
        throw OptionError(std::string(kVariable) + ": unknown log level " + shown(name), log_levels().hint_for(name));
    }
    return row->level;
}

}  // namespace

void CommonOptions::declare(OptionTable& options) {
    options.add_flag("--quiet", quiet, "only errors on standard error");
    options.add_counter("-v,--verbose", verbose,
                        "log what is decided to standard error (--log-level info); -vv: debug, -vvv: trace");
    options.add_value("--log-level", log_level, "LEVEL",
                      "how much to log: off, info, debug or trace; default: HAICHI_LOG, else off");
    options.add_value("--files-below", files_below, "DIR",
                      "where the files must be that another file names: a machine's graph, the traces of an index, the "
                      "programs of a log; default: HAICHI_FILES_BELOW, else the directory of that other file");
}

void CommonOptions::declare_progress(OptionTable& options) {
    options.add_value(
        "--progress-fd", progress_fd, "N",
        "tell how far the run is there, as lines of JSON (docs/formats.md); a descriptor that is open, as 3 is "
        "with 3>FILE");
}

void CommonOptions::apply(Console& console) const {
    if (!log_level.empty() && verbose > 0) throw OptionError("-v and --log-level exclude each other");
    LogLevel level = LogLevel::kOff;
    if (!log_level.empty()) {
        level = log_levels().at(log_level).level;
    } else if (verbose > 0) {
        level = static_cast<LogLevel>(std::min(verbose, static_cast<int>(LogLevel::kTrace)));
    } else if (!quiet) {
        level = level_of_environment();
    }
    if (quiet && level != LogLevel::kOff) {
        throw OptionError("--quiet and " + std::string(verbose > 0 ? "-v" : "--log-level") + " exclude each other");
    }
    if (!progress_fd.empty()) {
        constexpr std::int64_t kMost = std::numeric_limits<int>::max();
        console.set_progress(static_cast<int>(read_count("--progress-fd", progress_fd, 0, kMost)));
    }
    console.set_files_below(files_below);
    console.set_quiet(quiet);
    console.set_log_level(level);
}

}  // namespace haichi::cli
