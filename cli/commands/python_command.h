#pragma once

namespace haichi::cli {

/// Becomes `python3 -m haichi` with these arguments, the command's name first; does not return. The interpreter is
/// $HAICHI_PYTHON, the one beside this program where the package is installed with it, or python3 of PATH. Throws
/// UnsupportedError, saying what to install, when it has no haichi or cannot be started.
[[noreturn]] void run_python_command(char** arguments);

}  // namespace haichi::cli
