#pragma once

namespace haichi::cli {

class LiveProcess;

/// The program `haichi`: reads the command line, runs the subcommand and prints errors. Returns the exit code.
/// `live_process` is null, or the process of a program whose main() haichi has replaced. Such a process runs the same
/// command line again.
int run_program(int argc, char** argv, LiveProcess* live_process = nullptr);

}  // namespace haichi::cli
