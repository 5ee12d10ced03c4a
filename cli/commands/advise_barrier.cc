#include "cli/commands/advise_barrier.h"

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"

namespace haichi::cli {

namespace {

struct AdviseBarrierArguments {
    JobOptions job;
    std::string map;
    std::string format;
    std::string imbalance;
    std::string draws;
    std::string seed;
    std::string sizes;
    std::string simulations;
    std::string packet_hops;
    std::string threads;
    std::string output;
    bool json = false;
};

/// "64KiB,1MiB"
std::vector<std::int64_t> read_sizes(const std::string& text) {
    constexpr std::size_t kMost = 64;
    std::vector<std::int64_t> sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        sizes.push_back(read_bytes("--sizes", text.substr(at, end - at)));
        at = end + 1;
    }
    if (sizes.size() > kMost) throw OptionError("--sizes: at most " + std::to_string(kMost));
    return sizes;
}

BarrierAdviceOptions advice_options(const AdviseBarrierArguments& arguments) {
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMost = 100'000;
    BarrierAdviceOptions options;
    if (!arguments.imbalance.empty()) {
        parse_imbalance(arguments.imbalance, options);
    } else if (!arguments.draws.empty() || !arguments.seed.empty()) {
        throw OptionError("--draws and --seed are those of --imbalance, which is not given");
    }
    const auto read = [](const char* option, const std::string& text, std::int64_t otherwise, std::int64_t least,
                         std::int64_t most) {
        return text.empty() ? otherwise : read_count(option, text, least, most);
    };
    options.draws = static_cast<std::int32_t>(read("--draws", arguments.draws, options.draws, 1, kMost));
    constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
    options.seed = static_cast<std::uint64_t>(read("--seed", arguments.seed, 1, 0, kMostSeed));
    if (!arguments.sizes.empty()) options.sizes = read_sizes(arguments.sizes);
    options.most_simulations =
        static_cast<std::int32_t>(read("--simulations", arguments.simulations, options.most_simulations, 2, kMost));
    options.packet_hops = read_packet_hops(arguments.packet_hops);
    options.threads = static_cast<std::int32_t>(read("--threads", arguments.threads, 0, 1, kMostThreads));
    return options;
}

int run(const AdviseBarrierArguments& arguments, Console& console) {
    const JobSpec spec = arguments.job.spec(JobUse::kSimulate, {arguments.map});
    if (!arguments.job.message_size.empty() && !arguments.sizes.empty()) {
        throw OptionError("--message-size and --sizes exclude each other");
    }
    check_map_format(arguments.map, arguments.format);
    const BarrierAdviceOptions options = advice_options(arguments);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map, arguments.format);
    say_about_sets(placement.job().set_warnings(console.log()), console);
    say_about_simulated(placement.job().machine(), console);
    outputs.open();
    const InterruptWatch watch;
    const BarrierAdviceReport report = [&] {
        AdviceLine line(console);
        return advise_barrier(placement, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(advice_json(report)) : barrier_advice_text(report));
    outputs.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what is known so far\n");
    return kExitInterrupted;
}

Action configure_advise_barrier(OptionTable& options) {
    const auto o = std::make_shared<AdviseBarrierArguments>();
    o->job.declare(options, JobUse::kSimulate);
    options.add_value("--map", o->map, "FILE", "the rank map; default: the default placement");
    options.add_value("-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    options.add_value("--imbalance", o->imbalance, "SHARE|TIME",
                      "how unevenly ranks compute: by up to 5% of each set's time, or 20us more; default: evenly");
    options.add_value("--draws", o->draws, "N", "of the imbalance, which the advice must survive; default: 5");
    options.add_value("--seed", o->seed, "N", "of the first draw; default: 1");
    options.add_value("--sizes", o->sizes, "SIZE,SIZE,...", "ask for each of these message sizes, as in 64KiB,1MiB");
    options.add_value("--simulations", o->simulations, "N",
                      "at most, where there are too many choices of sets to try all; default: 64");
    options.add_value("--packet-hops", o->packet_hops, "N", "what the simulations of a size may take; default: 1e9");
    options.add_value("--threads", o->threads, "N", "default: all cores; the answer does not depend on it");
    options.add_value("-o,--output", o->output, "FILE", "write the answer there instead of to standard output");
    options.add_flag("--json", o->json, "print the answer as haichi-advice/1");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_barrier_command() {
    return {"barrier",
            "before which sets a barrier pays, for a placement and its message sizes",
            "haichi advise barrier -m fx10-kyushu --shape 1x2x4x2x3x2 -w cg64.json --map cg64.map",
            configure_advise_barrier,
            {},
            true};
}

}  // namespace haichi::cli
