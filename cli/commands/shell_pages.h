#pragma once

#include "cli/commands/command.h"
#include "options/command_line.h"

namespace haichi::cli {

/// The command `haichi completion SHELL`. `program` must outlive it.
Command completion_command(const CommandSpec& program);

/// The command `haichi man [COMMAND...]`. `program` must outlive it.
Command man_command(const CommandSpec& program);

}  // namespace haichi::cli
