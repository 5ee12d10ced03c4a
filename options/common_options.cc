#include "options/common_options.h"

#include <algorithm>
#include <cstdlib>

#include "base/errors.h"

namespace haichi {

namespace {

constexpr const char* kVariable = "HAICHI_LOG";

/// The log level in $HAICHI_LOG, or off if the variable is not set.
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

void CommonOptions::declare(OptionTable& options, bool reports_progress) {
    options.begin(OptionGroup::kGlobal);
    options.add_file("files-below", files_below,
                     {.description = "Refuse input files that refer to files outside of DIR, such as a machine file "
                                     "that names a graph or an index that names traces",
                      .value = "DIR",
                      .otherwise = "the directory of the input file",
                      .environment = "HAICHI_FILES_BELOW",
                      .is_local = true});
    options.add_flag("quiet", quiet, {.description = "Print only errors to standard error", .is_local = true});
    options.add_counter("verbose", verbose,
                        {.description = "Print decisions to standard error; -vv adds debug messages, -vvv a trace",
                         .letter = 'v',
                         .excludes = {"log-level", "quiet"},
                         .is_local = true});
    options.add_read("log-level", ValueKind::kText,
                     [this](const std::string& word) { log_level = log_levels().at(word).level; },
                     {.description = "Level of the diagnostic messages on standard error",
                      .value = "LEVEL",
                      .otherwise = "off",
                      .choices = log_levels().names(),
                      .environment = kVariable,
                      .is_local = true});
    if (!reports_progress) return;
    options.add_count(
        "progress-fd", progress_fd,
        {.description = "Write progress as JSON lines to the open file descriptor N, as in --progress-fd 3 with 3>FILE",
         .least = 0,
         .is_local = true});
}

LogLevel CommonOptions::level() const {
    if (quiet && log_level.value_or(LogLevel::kOff) != LogLevel::kOff) {
        throw OptionError("§quiet cannot be combined with §log-level");
    }
    if (log_level) return *log_level;
    if (verbose > 0) return static_cast<LogLevel>(std::min(verbose, static_cast<int>(LogLevel::kTrace)));
    return quiet ? LogLevel::kOff : level_of_environment();
}

void declare_output(OptionTable& options, std::string& path, const std::string& description) {
    options.begin(OptionGroup::kOutput);
    options.add_output("output", path, {.description = description, .letter = 'o', .is_local = true});
}

void declare_json(OptionTable& options, bool& json, const std::string& schema) {
    options.begin(OptionGroup::kOutput);
    options.add_flag("json", json, {.description = "Print " + schema, .is_local = true});
}

void declare_no_timing(OptionTable& options, bool& no_timing) {
    options.begin(OptionGroup::kOutput);
    options.add_flag(
        "no-timing", no_timing,
        {.description = "Omit wall times, so that equal runs print byte-identical output", .is_local = true});
}

}  // namespace haichi
