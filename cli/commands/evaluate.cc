#include "cli/commands/evaluate.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "cli/commands/requirements.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/judge/evaluate.h"
#include "mapper/report/report_json.h"
#include "options/common_options.h"
#include "options/job_options.h"
#include "options/search_options.h"
#include "options/simulation_options.h"

namespace haichi::cli {

namespace {

struct EvaluateArguments {
    JobOptions job;
    RankMapInput map;
    EvaluateOptions evaluate;
    std::vector<Requirement> require;
    MeasuredSimulation simulation;
    bool json = false;
    bool no_timing = false;
};

int run(const EvaluateArguments& arguments, Console& console) {
    JobSpec spec = arguments.job.job({arguments.map.map});
    EvaluateOptions options = arguments.evaluate;
    options.if_turned = true;
    check_requirement_names(arguments.require, options.objective.is_auto() ? "" : options.objective.name);
    options.simulation = arguments.simulation.wanted();
    if (options.simulation) options.simulation->form = with_form(options.simulation->form, spec);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    outputs.add_standard_output();
    outputs.check();
    const Placement placement =
        given_placement(Job(spec, outputs.reading()), arguments.map.map, arguments.map.format_name());
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
    const int code = check_requirements(arguments.require, evaluation, console);
    return exit_code_of(evaluation.interrupted, "the simulation is not complete", console, code);
}

Action configure_evaluate(OptionTable& options) {
    const auto o = std::make_shared<EvaluateArguments>();
    o->job.declare(options, JobUse::kMeasure);
    o->map.declare(options, "Rank map to evaluate", true);
    declare_objective(options, o->evaluate.objective,
                      "Objective by which haichi compares the placement with the default placement",
                      "the first objective that suits the job");
    declare_then(options, o->evaluate.objective);
    o->simulation.declare(options, "Simulate the placement and the default placement, packet by packet");
    options.begin(OptionGroup::kOutput);
    declare_most_loaded(options, o->evaluate.most_loaded_links);
    declare_requirements(options, o->require);
    declare_json(options, o->json, "the report as JSON (haichi-report/1)");
    declare_no_timing(options, o->no_timing);
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command evaluate_command() {
    return {"evaluate",
            "measure a placement: objectives, bounds, contention and most loaded links",
            "haichi evaluate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map",
            configure_evaluate,
            {},
            true};
}

}  // namespace haichi::cli
