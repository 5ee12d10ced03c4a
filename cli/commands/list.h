#pragma once

#include "cli/commands/command.h"
#include "options/command_line.h"

namespace haichi::cli {

/// The command `haichi list`. `program` has the options that `haichi list options` prints, and must outlive the
/// command.
Command list_command(const CommandSpec& program);

/// The names of the entries of a list such as "objectives". Throws OptionError for an unknown list.
std::vector<std::string> listed_words(const std::string& list);

}  // namespace haichi::cli
