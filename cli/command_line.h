#pragma once

#include <vector>

#include "cli/commands/command.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// Reads the command line and does what it says; returns the exit code, throws Error. Help and the commands' options
/// are made of `commands`, whose first one is the example of the program's own help. Only this file knows CLI11.
int run_command_line(const std::vector<Command>& commands, int argc, char** argv, Console& console);

}  // namespace haichi::cli
