#pragma once

#include <vector>

#include "cli/commands/command.h"

namespace haichi::cli {

/// The subcommands of `haichi advise`, none in a build without them.
std::vector<Command> advise_commands();

/// The subcommands of `haichi log`, none in a build without them.
std::vector<Command> log_commands();

}  // namespace haichi::cli
