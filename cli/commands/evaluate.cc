#include "cli/commands/evaluate.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/judge/evaluate.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/report/report_json.h"

namespace haichi::cli {

namespace {

struct EvaluateArguments {
    JobOptions job;
    std::string map;
    std::string format;
    std::string objective;
    std::string then;
    std::vector<std::string> require;
    std::string hottest;
    std::string form;
    bool simulate = false;
    bool json = false;
    bool no_timing = false;
};

EvaluateOptions evaluate_options(const EvaluateArguments& arguments) {
    constexpr std::int64_t kMostHottest = 1'000'000;
    EvaluateOptions options;
    if (!arguments.objective.empty()) options.objective.name = arguments.objective;
    if (!arguments.then.empty()) options.objective.then = parse_next(arguments.then);
    if (!arguments.hottest.empty()) {
        options.hottest_links = static_cast<std::size_t>(read_count("--hottest", arguments.hottest, 0, kMostHottest));
    }
    if (arguments.simulate) options.simulation.emplace();
    return options;
}

int run(const EvaluateArguments& arguments, Console& console) {
    JobSpec spec = arguments.job.spec(JobUse::kMeasure, {arguments.map});
    require_value(arguments.map, "--map");
    if (!arguments.format.empty()) (void)rank_map_format(arguments.format);
    const std::vector<Requirement> requirements = read_requirements(arguments.require, arguments.objective);
    EvaluateOptions options = evaluate_options(arguments);
    if (options.simulation) {
        options.simulation->form = read_traffic_form(arguments.form, arguments.job, spec);
    } else if (!arguments.form.empty()) {
        throw OptionError("--as is that of --simulate, which is not given");
    }
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    outputs.add_standard_output();
    outputs.check();
    const Placement placement = given_placement(Job(spec, outputs.reading()), arguments.map, arguments.format);
    say_about_sets(placement.job().set_warnings(console.log()), console);
    if (options.simulation) say_about_simulated(placement.job().machine(), console);
    outputs.open();
    std::optional<InterruptWatch> watch;
    if (options.simulation) watch.emplace();
    const Evaluation evaluation = [&] {
        SimulationLine line(console);
        return evaluate(placement, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    console.data(arguments.json ? report_text(report_json(evaluation, !arguments.no_timing))
                                : evaluation_text(evaluation));
    const int code = check_requirements(requirements, evaluation, console);
    if (!evaluation.interrupted) return code;
    console.say("interrupted: the simulation is not complete\n");
    return kExitInterrupted;
}

Action configure_evaluate(OptionTable& options) {
    const auto o = std::make_shared<EvaluateArguments>();
    o->job.declare(options, JobUse::kMeasure);
    options.add_value("--map", o->map, "FILE", "the rank map");
    options.add_value("-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    options.add_value("--objective", o->objective, "NAME",
                      "the one compared with the default placement; default: tac3");
    options.add_value("--then", o->then, "LIST", "objectives that decide between equal values, as haichi map has them");
    add_requirements(options, o->require);
    options.add_value("--hottest", o->hottest, "N", "how many of the hottest links to list; default: 10");
    add_traffic_form(options, o->form);
    options.add_flag("--simulate", o->simulate, "simulate it and the default placement, packet by packet");
    options.add_flag("--json", o->json, "print the report haichi-report/1");
    options.add_flag("--no-timing", o->no_timing, "leave times out, so that equal runs print equal bytes");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command evaluate_command() {
    return {"evaluate",
            "measure a given placement: every objective, bounds, contention, hottest links",
            "haichi evaluate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map",
            configure_evaluate,
            {},
            true};
}

}  // namespace haichi::cli
