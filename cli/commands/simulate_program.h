#pragma once

#include "cli/commands/simulate_options.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// `-- PROGRAM ARGS`: checks the command line, then replaces this process by the program's (exec). There the live
/// library reads the same command line again and simulates. A program links this or its stand-in
/// (haichi_cli_programs_absent), which throws UnsupportedError.
int simulate_program(const SimulateArguments& arguments, Console& console);

}  // namespace haichi::cli
