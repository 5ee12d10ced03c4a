#include "cli/commands/run.h"

#include <limits>
#include <memory>

#include "base/errors.h"
#include "cli/commands/run_program.h"
#include "cli/output/progress.h"
#include "options/common_options.h"

namespace haichi::cli {

namespace {

void declare_program(OptionTable& options, RunArguments& arguments) {
    options.begin(OptionGroup::kJob);
    options.add_texts("PROGRAM", arguments.program,
                      {.description = "MPI program built for MPICH or Open MPI, and its arguments",
                       .is_required = true,
                       .is_argument = true,
                       .takes_rest = true,
                       .is_local = true});
}

Action configure_run(OptionTable& options) {
    const auto o = std::make_shared<RunArguments>();
    o->job.declare(options, JobUse::kProgram);
    declare_program(options, *o);
    o->map.declare(options, "Rank map to simulate", false);
    o->live.declare(options);
    o->simulation.declare_machine(options);
    o->simulation.declare_observation(options);
    declare_output(options, o->output, "Write the report to FILE instead of standard error");
    declare_json(options, o->json,
                 "the report as JSON (haichi-simulation/1). The program's output goes to standard error");
    declare_no_timing(options, o->no_timing);
    return [o](Console& console) {
        try {
            return run_program(*o, console);
        } catch (const Error& error) {
            report_failure(console, error);
            throw;
        }
    };
}

}  // namespace

Command run_command() {
    return {"run",
            "run an MPI program on the simulated machine",
            "haichi run -m fugaku --shape 2x2x2x2x3x2 -n 64 -- ./app input.txt",
            configure_run,
            {},
            true};
}

}  // namespace haichi::cli
