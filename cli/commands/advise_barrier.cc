#include "cli/commands/advise_barrier.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "commlog/ccs/extraction.h"
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
    std::string barriers;           ///< file that libhaichi-barriers reads
    std::vector<std::size_t> sets;  ///< sets with a barrier before them, counted from 0, in place of the advised ones
    std::string output;
    bool json = false;
};

/// Throws OptionError if --write-barriers cannot be used for this job.
void check_barriers(const AdviseBarrierArguments& arguments, const Job& job, const Console& console) {
    if (job.calls(console.log()) == nullptr) {
        throw OptionError("§write-barriers requires the log of the program as workload",
                          "name the log itself, as in -w app.haichi-log");
    }
    for (const std::size_t set : arguments.sets) {
        if (set < job.workload().set_count()) continue;
        throw OptionError("§write-sets: unknown set " + std::to_string(set + 1),
                          "the workload has " + std::to_string(job.workload().set_count()) + " sets");
    }
}

/// Returns the sets for which barriers are advised. Throws OptionError if no barrier is advised.
std::vector<std::size_t> advised_sets(const BarrierAdviceReport& report) {
    const BarrierAdvice& advice = report.sizes.front().advice;
    if (advice.verdict == BarrierVerdict::kSets) return advice.sets;
    throw OptionError("§write-barriers: no barrier is advised (" + report.sentence + ")",
                      "state the sets that get barriers, as in §write-sets 1,3");
}

int run(const AdviseBarrierArguments& arguments, Console& console) {
    JobSpec spec = arguments.job.job({arguments.map.map});
    spec.traffic.keeps_calls = true;  // --write-barriers needs the times of the calls, and the barriers between them
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    Destination destination = outputs.add_destination(arguments.output);
    OutputFile* const barriers = arguments.barriers.empty() ? nullptr : &outputs.add_file(arguments.barriers);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map);
    say_about_sets(placement.job().set_warnings(console.log()), console);
    say_about_simulated(placement.job().machine(), console);
    std::optional<barriers::BarrierFile> file;
    const auto find_barriers = [&](const std::vector<std::size_t>& sets) {
        file = barriers_before(*placement.job().calls(console.log()), sets);
    };
    if (barriers != nullptr) check_barriers(arguments, placement.job(), console);
    if (!arguments.sets.empty()) find_barriers(arguments.sets);  // checked before the simulations, which may take long
    outputs.open();
    const InterruptWatch watch;
    const BarrierAdviceReport report = [&] {
        AdviceLine line(console);
        return advise_barrier(placement, arguments.advice, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    if (barriers != nullptr) {
        if (!file) find_barriers(advised_sets(report));
        barriers->write(barrier_file_text(*file));
        console.say(arguments.barriers + ": " + std::to_string(file->barriers) +
                    (file->barriers == 1 ? " barrier" : " barriers") + " in the run, before " + sets_text(file->sets) +
                    "\n");
    }
    destination.write(arguments.json ? report_text(advice_json(report)) : barrier_advice_text(report));
    outputs.commit();
    return exit_code_of(report.interrupted, "the answer uses the results so far", console);
}

Action configure_advise_barrier(OptionTable& options) {
    const auto o = std::make_shared<AdviseBarrierArguments>();
    o->job.declare(options, JobUse::kSimulate);
    o->map.declare(options, "Rank map of the job", false);
    declare_advice(options, o->advice);
    declare_output(options, o->output, "Write the answer to FILE instead of standard output");
    options.add_output(
        "write-barriers", o->barriers,
        {.description = "Write the advised barriers to FILE, from which libhaichi-barriers inserts them at run time",
         .excludes = {"sizes"},
         .is_local = true});
    options.add_read("write-sets", ValueKind::kList,
                     [o = o.get()](const std::string& word) { o->sets = parse_set_numbers(word, "write-sets"); },
                     {.description = "Sets before which --write-barriers puts barriers, as in 1,3",
                      .value = "SET,SET,...",
                      .otherwise = "the advised sets",
                      .needs = {"write-barriers"},
                      .is_local = true});
    declare_json(options, o->json, "the answer as JSON (haichi-advice/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_barrier_command() {
    return {"barrier",
            "find the sets before which a barrier saves time, for a placement and message sizes",
            "haichi advise barrier -m fx10-kyushu --shape 1x2x4x2x3x2 -w cg64.json --map cg64.map",
            configure_advise_barrier,
            {},
            true};
}

}  // namespace haichi::cli
