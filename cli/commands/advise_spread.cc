#include "cli/commands/advise_spread.h"

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/quantity.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"
#include "mgen/process_options.h"

namespace haichi::cli {

namespace {

struct AdviseSpreadArguments {
    JobOptions job;
    std::string spread_workload;
    std::string compute_time;
    std::string form;
    std::string objective;
    std::string seed;
    std::string seeds;
    std::string packet_hops;
    std::string threads;
    std::string output;
    bool json = false;
};

double read_compute_seconds(const std::string& text) {
    constexpr double kPsPerS = 1e12;
    const std::int64_t time_ps = parse_time_ps(text, {"--compute-time", 0});
    if (time_ps > kLongestSimulationPs) throw OptionError("--compute-time: at most 26 days");
    return static_cast<double>(time_ps) / kPsPerS;
}

SpreadAdviceOptions advice_options(const AdviseSpreadArguments& arguments) {
    constexpr std::int64_t kMost = 1000;
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
    const auto read = [](const char* option, const std::string& text, std::int64_t otherwise, std::int64_t least,
                         std::int64_t most) {
        return text.empty() ? otherwise : read_count(option, text, least, most);
    };
    SpreadAdviceOptions options;
    if (!arguments.compute_time.empty()) options.compute_seconds = read_compute_seconds(arguments.compute_time);
    if (!arguments.objective.empty()) options.objective.name = arguments.objective;
    options.seed = static_cast<std::uint64_t>(read("--seed", arguments.seed, 1, 0, kMostSeed));
    options.seeds = static_cast<std::int32_t>(read("--seeds", arguments.seeds, options.seeds, 1, kMost));
    options.packet_hops = read_packet_hops(arguments.packet_hops);
    options.threads = static_cast<std::int32_t>(read("--threads", arguments.threads, 0, 1, kMostThreads));
    return options;
}

int run(const AdviseSpreadArguments& arguments, Console& console) {
    JobSpec named = arguments.job.spec(JobUse::kSpread, {arguments.spread_workload});
    SpreadAdviceOptions options = advice_options(arguments);
    options.form = read_traffic_form(arguments.form, arguments.job, named);
    if (!arguments.spread_workload.empty()) {
        options.spread_traffic = named.traffic;
        options.spread_traffic->source = WorkloadFile{arguments.spread_workload, arguments.job.workload_format};
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
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what is known so far\n");
    return kExitInterrupted;
}

Action configure_advise_spread(OptionTable& options) {
    const auto o = std::make_shared<AdviseSpreadArguments>();
    o->job.declare(options, JobUse::kSpread);
    options.add_value("--spread-workload", o->spread_workload, "WORKLOAD",
                      "the same work on the ranks of all clusters; default: the ranks of --workload, fewer on a node");
    options.add_value(
        "--compute-time", o->compute_time, "TIME",
        "that a rank computes in an iteration in one cluster, as in 5ms, where the workload does not state it");
    add_traffic_form(options, o->form);
    options.add_value("--objective", o->objective, "NAME", "that placements are searched by; default: hop-bytes");
    options.add_value("--seed", o->seed, "N", "of the first search; default: 1");
    options.add_value("--seeds", o->seeds, "N",
                      "placements that are searched in each cluster and over all; default: 3");
    options.add_value("--packet-hops", o->packet_hops, "N", "what all simulations may take; default: 1e9");
    options.add_value("--threads", o->threads, "N", "default: all cores; the answer does not depend on it");
    options.add_value("-o,--output", o->output, "FILE", "write the answer there instead of to standard output");
    options.add_flag("--json", o->json, "print the answer as haichi-advice/1");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_spread_command() {
    return {"spread",
            "whether a job that fits into one cluster is faster over all clusters of the machine",
            "haichi advise spread -m two-clusters:4,2ms -w app16.json --spread-workload app32.json",
            configure_advise_spread,
            {},
            true};
}

}  // namespace haichi::cli
