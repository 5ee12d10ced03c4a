#include "cli/commands/advise_spread.h"

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

struct AdviseSpreadArguments {
    JobOptions job;
    SpreadAdviceOptions advice;
    std::string spread_workload;
    std::string output;
    bool json = false;
};

int run(const AdviseSpreadArguments& arguments, Console& console) {
    JobSpec named = arguments.job.job({arguments.spread_workload});
    SpreadAdviceOptions options = arguments.advice;
    options.form = with_form(options.form, named);
    if (!arguments.spread_workload.empty()) {
        options.spread_traffic = named.traffic;
        options.spread_traffic->source = WorkloadFile{arguments.spread_workload, arguments.job.workload.format};
    }
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.spread_workload);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const JobSpec spec = loaded(named, outputs.reading());
    say_about_sets(load_traffic(spec.traffic)->warnings(console.log()), console);
    if (options.spread_traffic) {
        const auto traffic = load_traffic(*options.spread_traffic, outputs.reading());
        say_about_sets(traffic->warnings(console.log()), console);
        options.spread_traffic = Traffic{.source = traffic};
    }
    say_about_simulated(*load_machine(spec), console);
    outputs.open();
    const InterruptWatch watch;
    const SpreadAdviceReport report = [&] {
        AdviceLine line(console);
        return advise_spread(spec, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(advice_json(report)) : spread_advice_text(report));
    outputs.commit();
    return exit_code_of(report.interrupted, "the answer uses the results so far", console);
}

Action configure_advise_spread(OptionTable& options) {
    const auto o = std::make_shared<AdviseSpreadArguments>();
    o->job.declare(options, JobUse::kSpread);
    options.begin(OptionGroup::kWorkload);
    options.add_file("spread-workload", o->spread_workload,
                     {.description = "Workload of the same problem on more ranks, for the run across all clusters",
                      .value = "WORKLOAD",
                      .otherwise = "the same workload, with fewer ranks per node"});
    declare_advice(options, o->advice);
    declare_output(options, o->output, "Write the answer to FILE instead of standard output");
    declare_json(options, o->json, "the answer as JSON (haichi-advice/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_spread_command() {
    return {"spread",
            "advise whether a job that fits into one cluster is faster across all clusters",
            "haichi advise spread -m two-clusters:4,2ms -w app16.json --spread-workload app32.json",
            configure_advise_spread,
            {},
            true};
}

}  // namespace haichi::cli
