#pragma once

#include "cli/commands/command.h"
#include "options/command_line.h"

namespace haichi::cli {

/// `program` has the options for `haichi list options`, and must outlive the command.
Command list_command(const CommandSpec& program);

/// The names of the entries of a list such as "objectives". Throws OptionError for an unknown list.
std::vector<std::string> listed_words(const std::string& list);

}  // namespace haichi::cli
