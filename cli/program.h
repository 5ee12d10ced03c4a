#pragma once

namespace haichi::cli {

/// The program `haichi`: reads the command line, runs the subcommand, prints errors. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace haichi::cli
