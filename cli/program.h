#pragma once

namespace haichi::cli {

class LiveProcess;

/// The program `haichi`: reads the command line, runs the subcommand, prints errors. Returns the exit code.
/// `live_process` is the process of a program whose main() haichi has replaced, which runs the same command line again.
/// Otherwise it is null.
int run_program(int argc, char** argv, LiveProcess* live_process = nullptr);

}  // namespace haichi::cli
