#pragma once

#include "cli/commands/command.h"
#include "options/command_line.h"

namespace haichi::cli {

/// `program` has the options for `haichi list options`, and must outlive the command.
Command list_command(const CommandSpec& program);

}  // namespace haichi::cli
