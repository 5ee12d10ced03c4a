#pragma once

#include <vector>

#include "options/command_line.h"

namespace haichi {

/// The commands that are written in Python (python/src/haichi), with the options that they take: their values are kept
/// in the tables.
std::vector<CommandSpec> python_commands();

/// What `haichi.compare` takes, beside jobs.
void declare_comparison(OptionTable& options);

}  // namespace haichi
