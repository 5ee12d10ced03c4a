#pragma once

#include "cli/output/console.h"
#include "options/command_line.h"

namespace haichi::cli {

/// `haichi list options`, which lists all options of all commands. The JSON has everything that the tables contain.
/// Schemas, forms, pages and completions are generated from it.
int list_options(const CommandSpec& program, bool json, Console& console);

}  // namespace haichi::cli
