#pragma once

#include "cli/commands/command.h"
#include "options/command_line.h"

namespace haichi::cli {

/// `haichi completion SHELL`. `program` must outlive the command.
Command completion_command(const CommandSpec& program);

/// `haichi man [COMMAND...]`. `program` must outlive the command.
Command man_command(const CommandSpec& program);

}  // namespace haichi::cli
