#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/command_outputs.h"
#include "cli/live_process.h"
#include "cli/output/console.h"
#include "mapper/job/simulate.h"

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

    void declare(CLI::App& app);
    /// Throws OptionError for options without a program.
    void refuse_without_program() const;
    /// Throws OptionError.
    [[nodiscard]] bool starts_with_refused_calls() const;
    /// The program's file. Throws InputError where there is none of that name.
    [[nodiscard]] std::string file() const;
    /// 0: as many as the nodes take.
    [[nodiscard]] std::int32_t rank_count() const;
    /// Throws OptionError; `compute` is that of --compute.
    [[nodiscard]] LiveOptions live_options(const std::string& compute) const;
};

/// Checks the program's file and starts it in the place of this process, with haichi's library under it. Comes back
/// only by an error: InputError and UnsupportedError for programs that cannot run live.
[[noreturn]] void start_program(const ProgramArguments& arguments);

/// In the process of the program: runs it. Its standard output is ours, or goes to standard error.
SimulatedRun run_live_program(const Placement& placement, const SimulationOptions& options, const LiveOptions& live,
                              const std::vector<std::string>& program, bool output_to_standard_error,
                              SimulationControl control, Console& console);

}  // namespace haichi::cli
