#pragma once

#include <vector>

#include "options/command_line.h"

namespace haichi {

/// The commands that are written in Python (python/src/haichi), with their options. The tables keep the values.
std::vector<CommandSpec> python_commands();

/// The options of `haichi.compare` except the jobs.
void declare_comparison(OptionTable& options);

}  // namespace haichi
