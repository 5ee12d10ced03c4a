#pragma once

#include <string>
#include <vector>

namespace haichi::cli {

/// A command that is written in Python (python/src/haichi/cli/commands.py), which reads its own options.
struct PythonCommand {
    std::string name;
    std::string summary;
};
const std::vector<PythonCommand>& python_commands();

/// Becomes `python3 -m haichi` with these arguments, the command's name first; does not return. The interpreter is
/// $HAICHI_PYTHON, the one beside this program where the package is installed with it, or python3 of PATH. Throws
/// UnsupportedError, saying what to install, when it has no haichi or cannot be started.
[[noreturn]] void run_python_command(char** arguments);

}  // namespace haichi::cli
