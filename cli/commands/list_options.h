#pragma once

#include "cli/output/console.h"
#include "options/command_line.h"

namespace haichi::cli {

/// Implements `haichi list options`, which lists all options of all commands. The JSON contains everything in the
/// option tables. Schemas, forms, pages and completions are generated from the JSON.
int list_options(const CommandSpec& program, bool json, Console& console);

}  // namespace haichi::cli
