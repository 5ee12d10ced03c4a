#pragma once

#include <string>
#include <vector>

namespace haichi::cli {

/// A compiler for programs that are written for the simulated machine (mgen.h): MPICH's compiler with haichi's headers
/// and library. The compiler gets all arguments.
struct CompilerCommand {
    std::string name;
    std::string summary;
    std::string compiler;  ///< the wrapper to call
    std::string variable;  ///< environment variable that names another wrapper
};
const std::vector<CompilerCommand>& compiler_commands();

/// `arguments` is the name of the command and its arguments, with null at the end. Does not return. Throws
/// UnsupportedError if the compiler or haichi's library is missing, and OptionError without arguments.
[[noreturn]] void run_compiler_command(char** arguments);

}  // namespace haichi::cli
