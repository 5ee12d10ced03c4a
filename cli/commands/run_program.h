#pragma once

#include <string>
#include <vector>

#include "cli/commands/job_words.h"
#include "cli/output/console.h"
#include "options/job_options.h"
#include "options/live_options.h"
#include "options/simulation_options.h"

namespace haichi::cli {

/// The options of `haichi run`.
struct RunArguments {
    JobOptions job;
    RankMapInput map;
    SimulationArguments simulation;
    LiveOptions live;
    std::vector<std::string> program;  ///< the program and its arguments
    std::string output;
    bool json = false;
    bool no_timing = false;
};

/// Checks the program file, and then replaces this process by the program (exec). In the new process, the live library
/// parses the same command line again, loads the job and simulates. A binary links this function or its substitute
/// (haichi_cli_programs_absent), which throws UnsupportedError.
int run_program(RunArguments& arguments, Console& console);

}  // namespace haichi::cli
