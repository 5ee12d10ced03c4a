#include "cli/commands/simulate.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/simulation_text.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "options/common_options.h"
#include "options/job_options.h"
#include "options/simulation_options.h"

namespace haichi::cli {

namespace {

struct SimulateArguments {
    JobOptions job;
    RankMapInput map;
    SimulationArguments simulation;
    std::string output;
    bool json = false;
    bool no_timing = false;
};

int run(SimulateArguments& arguments, const OptionTable& given, Console& console) {
    arguments.simulation.check(given);
    JobSpec spec = arguments.job.job({arguments.map.map});
    SimulationOptions& options = arguments.simulation.simulation;
    options.form = with_form(options.form, spec);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    arguments.simulation.open_streams(outputs);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map);
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
    return exit_code_of(simulation.interrupted, "the report covers the simulated part", console);
}

Action configure_simulate(OptionTable& options) {
    const auto o = std::make_shared<SimulateArguments>();
    o->job.declare(options, JobUse::kSimulate);
    o->map.declare(options, "Rank map to simulate", false);
    o->simulation.declare_traffic(options);
    o->simulation.declare_machine(options);
    o->simulation.declare_observation(options);
    declare_output(options, o->output, "Write the report to FILE instead of standard output");
    declare_json(options, o->json, "the report as JSON (haichi-simulation/1)");
    declare_no_timing(options, o->no_timing);
    return [o, &options](Console& console) { return run(*o, options, console); };
}

}  // namespace

Command simulate_command() {
    return {"simulate",
            "simulate the run time of a placement, packet by packet, for a workload or a log",
            "haichi simulate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map --barrier both",
            configure_simulate,
            {},
            true};
}

}  // namespace haichi::cli
