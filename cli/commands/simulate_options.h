#pragma once

#include <string>
#include <vector>

#include "cli/commands/job_options.h"
#include "cli/commands/option_table.h"
#include "mapper/judge/simulate.h"

namespace haichi::cli {

/// The options of `haichi simulate` that say which program runs and how, as written.
struct ProgramArguments {
    std::string ranks;
    std::string stack;
    std::string globals;
    std::string payload;
    std::string refused_calls;
    std::string collectives;
    std::vector<std::string> program;  ///< and its arguments; empty: none is run

    void declare(OptionTable& options);
    /// Throws OptionError for options without a program.
    void refuse_without_program() const;
};

/// The options of `haichi simulate`, as written.
struct SimulateArguments {
    JobOptions job;
    ProgramArguments program;
    std::string map;
    std::string format;
    std::string form;
    std::string computing;
    std::string computing_factor;
    std::string seed;
    std::vector<std::string> algorithms;
    std::string barrier;
    std::string iterations;
    std::string threads;
    std::string partitions;
    std::string hottest;
    std::string stats;
    std::string stats_bin;
    std::string history;
    std::string router;
    std::string history_from;
    std::string history_to;
    std::string history_every;
    std::string output;
    bool json = false;
    bool no_timing = false;

    void declare(OptionTable& options);
};

/// What they ask of the simulator. Throws OptionError.
SimulationOptions simulation_options(const SimulateArguments& arguments);

}  // namespace haichi::cli
