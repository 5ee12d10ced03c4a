#include "cli/commands/advise_shape.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"
#include "options/advice_options.h"
#include "options/common_options.h"
#include "options/job_options.h"

namespace haichi::cli {

namespace {

struct AdviseShapeArguments {
    JobOptions job;
    ShapeAdviceOptions advice;
    std::string output;
    bool json = false;
};

int run(const AdviseShapeArguments& arguments, Console& console) {
    const JobSpec named = arguments.job.job();
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const JobSpec spec = loaded(named, outputs.reading());
    say_about_sets(load_traffic(spec.traffic)->warnings(), console);
    say_about_simulated(*load_machine(spec, outputs.reading()), console);
    outputs.open();
    const InterruptWatch watch;
    const ShapeAdviceReport report = [&] {
        AdviceLine line(console);
        return advise_shape(spec, arguments.advice, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(advice_json(report)) : shape_advice_text(report));
    outputs.commit();
    return exit_code_of(report.interrupted, "the answer uses the results so far", console);
}

Action configure_advise_shape(OptionTable& options) {
    const auto o = std::make_shared<AdviseShapeArguments>();
    o->job.declare(options, JobUse::kShapes);
    declare_advice(options, o->advice);
    declare_output(options, o->output, "Write the answer to FILE instead of standard output");
    declare_json(options, o->json, "the answer as JSON (haichi-advice/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_shape_command() {
    return {"shape",
            "advise which job shape with a given number of nodes suits the application",
            "haichi advise shape -m fx10-kyushu -w cg64.json --node-count 96",
            configure_advise_shape,
            {},
            true};
}

}  // namespace haichi::cli
