#pragma once

#include <vector>

#include "cli/commands/command.h"

namespace haichi::cli {

/// The subcommands of `haichi advise`; empty if this build does not have them.
std::vector<Command> advise_commands();

/// The subcommands of `haichi log`; empty if this build does not have them.
std::vector<Command> log_commands();

}  // namespace haichi::cli
