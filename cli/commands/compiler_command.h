#pragma once

#include <string>
#include <vector>

namespace haichi::cli {

/// A compiler command for programs that are written for the simulated machine (mgen.h). It calls a compiler of MPICH
/// with haichi's headers and library. The compiler gets all arguments.
struct CompilerCommand {
    std::string name;
    std::string summary;
    std::string compiler;  ///< compiler wrapper of MPICH to call
    std::string variable;  ///< environment variable that can name another wrapper
};
const std::vector<CompilerCommand>& compiler_commands();

/// Replaces this process by the compiler. `arguments` has the name of the command and its arguments, and ends with
/// null. Throws UnsupportedError if the compiler or haichi's library is missing, and OptionError without arguments.
[[noreturn]] void run_compiler_command(char** arguments);

}  // namespace haichi::cli
