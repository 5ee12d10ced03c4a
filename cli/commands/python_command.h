#pragma once

namespace haichi::cli {

/// Replaces this process by `python3 -m haichi` with these arguments, of which the first is the name of the command.
/// The interpreter is $HAICHI_PYTHON, the one beside this program if the package is installed with it, or python3 in
/// PATH. Throws UnsupportedError with an installation hint if the interpreter has no haichi or cannot be started.
[[noreturn]] void run_python_command(char** arguments);

}  // namespace haichi::cli
