#pragma once

#include <vector>

#include "options/command_line.h"

namespace haichi {

/// The commands that are written in Python (python/src/haichi), with their options. The option tables keep the values.
std::vector<CommandSpec> python_commands();

/// Declares the options of `haichi.compare`, except the jobs.
void declare_comparison(OptionTable& options);

}  // namespace haichi
