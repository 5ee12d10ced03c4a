#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/option_table.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// What a subcommand does once its options are read; returns the exit code, throws Error.
using Action = std::function<int(Console& console)>;

/// A subcommand: one file in this folder and one row in program.cc.
struct Command {
    std::string name;
    std::string summary;  ///< one line
    std::string example;  ///< a command line that works, shown by --help
    /// Declares the options. They are all kept as text and read by the action, so that a wrong value gets the same kind
    /// of message everywhere.
    Action (*configure)(OptionTable& options) = nullptr;
    /// Instead of options: commands of its own, as in `haichi log show`.
    std::vector<Command> subcommands = {};
    bool tells_progress = false;  ///< it may take long, and has --progress-fd
};

}  // namespace haichi::cli
