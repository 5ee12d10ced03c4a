#pragma once

#include <string>
#include <vector>

namespace haichi::cli {

/// A compiler for programs that are written for the simulated machine (mgen.h): MPICH's, with haichi's headers and what
/// it links to them. All arguments are the compiler's.
struct CompilerCommand {
    std::string name;
    std::string summary;
    std::string compiler;  ///< the wrapper that is called
    std::string variable;  ///< that names another one
};
const std::vector<CompilerCommand>& compiler_commands();

/// `arguments`: the name of the command and what follows, ended by null. Comes back only by an error: UnsupportedError
/// where the compiler or haichi's library is missing.
[[noreturn]] void run_compiler_command(char** arguments);

}  // namespace haichi::cli
