#include "cli/commands/simulate.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/simulate_options.h"
#include "cli/commands/simulate_program.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/simulation_text.h"
#include "mapper/judge/simulate.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"

namespace haichi::cli {

namespace {

int run(const SimulateArguments& arguments, Console& console) {
    if (!arguments.program.program.empty()) {
        try {
            return simulate_program(arguments, console);
        } catch (const Error& error) {
            tell_failure(console, error);
            throw;
        }
    }
    arguments.program.refuse_without_program();
    JobSpec spec = arguments.job.spec(JobUse::kSimulate, {arguments.map});
    check_map_format(arguments.map, arguments.format);
    SimulationOptions options = simulation_options(arguments);
    options.form = read_traffic_form(arguments.form, arguments.job, spec);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    ObservationOptions& observation = options.observation;
    if (!arguments.stats.empty()) observation.time_space = &outputs.add_stream(arguments.stats);
    if (!arguments.history.empty()) observation.history = &outputs.add_stream(arguments.history);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map, arguments.format);
    if (!replays_calls(placement.job(), options, console.log()))
        say_about_sets(placement.job().set_warnings(console.log()), console);
    say_about_simulated(placement.job().machine(), console);
    outputs.open();
    const InterruptWatch watch;
    const Simulation simulation = [&] {
        SimulationLine line(console);
        return simulate(placement, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(simulation_json(simulation, !arguments.no_timing))
                                     : simulation_text(simulation, !arguments.no_timing));
    outputs.commit();
    if (!simulation.interrupted) return kExitDone;
    console.say("interrupted: this is what was simulated so far\n");
    return kExitInterrupted;
}

Action configure_simulate(OptionTable& options) {
    const auto o = std::make_shared<SimulateArguments>();
    o->declare(options);
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command simulate_command() {
    return {
        "simulate",
        "run a workload or an MPI program on the packet simulator: how long a placement takes, and where the time goes",
        "haichi simulate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map --barrier both\n"
        "  haichi simulate -m fugaku --shape 2x2x2x2x3x2 -n 64 -- ./app input.txt",
        configure_simulate,
        {},
        true};
}

}  // namespace haichi::cli
