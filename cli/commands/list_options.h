#pragma once

#include "cli/output/console.h"
#include "options/command_line.h"

namespace haichi::cli {

/// `haichi list options`: every option of every command of the program; as JSON with all that the tables say. Schemas,
/// forms, pages and completions are made of it.
int list_options(const CommandSpec& program, bool json, Console& console);

}  // namespace haichi::cli
