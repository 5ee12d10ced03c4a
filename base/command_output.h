#pragma once

#include <string>
#include <vector>

namespace haichi {

/// The standard output of a command, whose first word is found through PATH; empty if it cannot be started. Its
/// standard error is dropped.
std::string command_output(const std::vector<std::string>& command);

}  // namespace haichi
