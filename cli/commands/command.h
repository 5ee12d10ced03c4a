#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/output/console.h"
#include "options/option_table.h"

namespace haichi::cli {

/// Runs a subcommand after its options are read. Returns the exit code, throws Error.
using Action = std::function<int(Console& console)>;

/// A subcommand, which has one file in this directory and one entry in program.cc.
struct Command {
    std::string name;
    std::string summary;   ///< one line
    std::string examples;  ///< command lines that work, one per line, shown by --help
    /// Declares the options and their targets. The table lives as long as the action.
    std::function<Action(OptionTable& options)> configure = nullptr;
    /// Subcommands instead of options, as in `haichi log show`.
    std::vector<Command> subcommands = {};
    bool reports_progress = false;  ///< may take long and has --progress-fd
};

}  // namespace haichi::cli
