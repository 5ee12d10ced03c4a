#pragma once

#include <string>
#include <vector>

namespace haichi {

/// Runs a command, whose first word is searched in PATH, and returns its standard output. Empty if it cannot be
/// started. Its standard error is discarded.
std::string command_output(const std::vector<std::string>& command);

}  // namespace haichi
