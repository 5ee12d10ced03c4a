#include "cli/commands/advise_shape.h"

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"

namespace haichi::cli {

namespace {

struct AdviseShapeArguments {
    JobOptions job;
    std::string node_count;
    std::string objective;
    std::string seed;
    std::string seeds;
    std::string finalists;
    std::string packet_hops;
    std::string threads;
    std::string output;
    bool json = false;
};

constexpr std::int64_t kMostNodes = std::numeric_limits<std::int32_t>::max();

std::int32_t read_small(const char* option, const std::string& text, std::int32_t otherwise, std::int64_t most) {
    return text.empty() ? otherwise : static_cast<std::int32_t>(read_count(option, text, 1, most));
}

ShapeAdviceOptions advice_options(const AdviseShapeArguments& arguments) {
    constexpr std::int64_t kMost = 1000;
    constexpr std::int64_t kMostThreads = 4096;
    ShapeAdviceOptions options;
    if (!arguments.objective.empty()) options.objective.name = arguments.objective;
    if (!arguments.seed.empty()) {
        options.seed = static_cast<std::uint64_t>(
            read_count("--seed", arguments.seed, 0, std::numeric_limits<std::int64_t>::max()));
    }
    options.threads = read_small("--threads", arguments.threads, 0, kMostThreads);
    if (!arguments.node_count.empty()) {
        options.node_count = read_count("--node-count", arguments.node_count, 1, kMostNodes);
    }
    options.seeds = read_small("--seeds", arguments.seeds, options.seeds, kMost);
    options.finalists = read_small("--finalists", arguments.finalists, options.finalists, kMost);
    options.packet_hops = read_packet_hops(arguments.packet_hops);
    return options;
}

int run(const AdviseShapeArguments& arguments, Console& console) {
    const JobSpec named = arguments.job.spec(JobUse::kShapes);
    const ShapeAdviceOptions options = advice_options(arguments);
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
        return advise_shape(spec, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(advice_json(report)) : shape_advice_text(report));
    outputs.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what is known so far\n");
    return kExitInterrupted;
}

Action configure_advise_shape(OptionTable& options) {
    const auto o = std::make_shared<AdviseShapeArguments>();
    o->job.declare(options, JobUse::kShapes);
    options.add_value("--node-count", o->node_count, "N", "of the job; default: as many as the ranks need");
    options.add_value("--objective", o->objective, "NAME",
                      "that placements are searched by; default: tac3, or hop-bytes where all messages are one set");
    options.add_value("--seed", o->seed, "N", "of the first search; default: 1");
    options.add_value("--seeds", o->seeds, "N", "placements of each shape that are simulated; default: 3");
    options.add_value("--finalists", o->finalists, "N",
                      "requests, after a quick search of all, whose shapes are simulated; default: 4");
    options.add_value("--packet-hops", o->packet_hops, "N", "what all simulations may take; default: 1e9");
    options.add_value("--threads", o->threads, "N", "default: all cores; the answer does not depend on it");
    options.add_value("-o,--output", o->output, "FILE", "write the answer there instead of to standard output");
    options.add_flag("--json", o->json, "print the answer as haichi-advice/1");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_shape_command() {
    return {"shape",
            "which job shape of so many nodes suits the application",
            "haichi advise shape -m fx10-kyushu -w cg64.json --node-count 96",
            configure_advise_shape,
            {},
            true};
}

}  // namespace haichi::cli
