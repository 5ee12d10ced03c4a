#include "cli/commands/advise_barrier.h"

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

struct AdviseBarrierArguments {
    JobOptions job;
    RankMapInput map;
    BarrierAdviceOptions advice;
    std::string output;
    bool json = false;
};

int run(const AdviseBarrierArguments& arguments, Console& console) {
    const JobSpec spec = arguments.job.job({arguments.map.map});
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map);
    say_about_sets(placement.job().set_warnings(console.log()), console);
    say_about_simulated(placement.job().machine(), console);
    outputs.open();
    const InterruptWatch watch;
    const BarrierAdviceReport report = [&] {
        AdviceLine line(console);
        return advise_barrier(placement, arguments.advice, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(advice_json(report)) : barrier_advice_text(report));
    outputs.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: the answer uses the results so far\n");
    return kExitInterrupted;
}

Action configure_advise_barrier(OptionTable& options) {
    const auto o = std::make_shared<AdviseBarrierArguments>();
    o->job.declare(options, JobUse::kSimulate);
    o->map.declare(options, "Rank map of the job", false);
    declare_advice(options, o->advice);
    declare_output(options, o->output, "Write the answer to FILE instead of standard output");
    declare_json(options, o->json, "the answer as haichi-advice/1");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_barrier_command() {
    return {"barrier",
            "advise before which sets a barrier saves time, for a placement and message sizes",
            "haichi advise barrier -m fx10-kyushu --shape 1x2x4x2x3x2 -w cg64.json --map cg64.map",
            configure_advise_barrier,
            {},
            true};
}

}  // namespace haichi::cli
