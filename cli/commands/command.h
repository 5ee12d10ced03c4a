#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/output/console.h"
#include "options/option_table.h"

namespace haichi::cli {

/// Runs a subcommand after its options were read. Returns the exit code. Throws Error.
using Action = std::function<int(Console& console)>;

/// A subcommand. It has one file in this directory and one entry in program.cc.
struct Command {
    std::string name;
    std::string summary;   ///< one line
    std::string examples;  ///< working command lines, one per line, for --help Declares the options and their targets.
    /// The option table lives as long as the returned action.
    std::function<Action(OptionTable& options)> configure = nullptr;
    /// Subcommands, which a command has in place of options, as in `haichi log show`.
    std::vector<Command> subcommands = {};
    bool reports_progress = false;  ///< may take long and has --progress-fd
};

}  // namespace haichi::cli
