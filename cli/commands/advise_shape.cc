#include "cli/commands/advise_shape.h"

#include <limits>
#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/advice_text.h"
#include "cli/output/progress.h"
#include "mapper/job/advice_json.h"
#include "mapper/job/report_json.h"

namespace haichi::cli {

namespace {

struct AdviseShapeOptions {
    std::string machine;
    std::string workload;
    std::string workload_format;
    std::string message_size;
    std::string node_count;
    std::string ranks_per_node;
    std::string routing;
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

ShapeAdviceRequest advice_request(const AdviseShapeOptions& options) {
    constexpr std::int64_t kMostRanksPerNode = 1 << 20;
    constexpr std::int64_t kMost = 1000;
    constexpr std::int64_t kMostThreads = 4096;
    ShapeAdviceRequest request;
    require_value(options.machine, "--machine");
    require_value(options.workload, "--workload");
    MapRequest& job = request.job;
    job.machine = options.machine;
    job.workload = options.workload;
    if (options.machine == "-" && options.workload == "-") {
        throw OptionError("standard input can be only one of the files", "- stands twice");
    }
    job.workload_format = read_workload_format(options.workload_format);
    if (!options.message_size.empty()) job.message_size_bytes = read_bytes("--message-size", options.message_size);
    job.allocation.ranks_per_node = read_small("--ppn", options.ranks_per_node, 1, kMostRanksPerNode);
    job.allocation.routing = options.routing;
    if (!options.objective.empty()) job.objective = options.objective;
    if (!options.seed.empty()) {
        job.search.seed =
            static_cast<std::uint64_t>(read_count("--seed", options.seed, 0, std::numeric_limits<std::int64_t>::max()));
    }
    job.search.threads = read_small("--threads", options.threads, 0, kMostThreads);
    if (!options.node_count.empty()) request.node_count = read_count("--node-count", options.node_count, 1, kMostNodes);
    request.seeds = read_small("--seeds", options.seeds, request.seeds, kMost);
    request.finalists = read_small("--finalists", options.finalists, request.finalists, kMost);
    request.packet_hops = read_packet_hops(options.packet_hops);
    return request;
}

int run(const AdviseShapeOptions& options, Console& console) {
    const ShapeAdviceRequest request = advice_request(options);
    CommandOutputs outputs(console);
    outputs.add_inputs({options.machine, options.workload});
    Destination destination = outputs.add_destination(options.output);
    outputs.open();
    ShapeAdviceReport report;
    {
        AdviceLine line(console);
        report = run_advise_shape(request, {line.callback(), &InterruptWatch::flag()});
    }
    destination.write(options.json ? report_text(advice_json(report)) : shape_advice_text(report));
    outputs.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what is known so far\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<AdviseShapeOptions>();
    add_value(app, "-m,--machine", o->machine, "MACHINE", "preset or machine file (haichi list machines)");
    add_workload_options(app, o->workload, o->message_size);
    add_workload_format(app, o->workload_format);
    add_value(app, "--node-count", o->node_count, "N", "of the job; default: as many as the ranks need");
    add_value(app, "--ppn", o->ranks_per_node, "N", "most ranks on a node; default: 1");
    add_value(app, "--routing", o->routing, "ROUTING", "static routing (haichi list routings); default: the machine's");
    add_value(app, "--objective", o->objective, "NAME", "that placements are searched by; default: tac3");
    add_value(app, "--seed", o->seed, "N", "of the first search; default: 1");
    add_value(app, "--seeds", o->seeds, "N", "placements of each shape that are simulated; default: 3");
    add_value(app, "--finalists", o->finalists, "N",
              "requests, after a quick search of all, whose shapes are simulated; default: 4");
    add_value(app, "--packet-hops", o->packet_hops, "N", "what all simulations may take; default: 1e9");
    add_value(app, "--threads", o->threads, "N", "default: all cores; the answer does not depend on it");
    add_value(app, "-o,--output", o->output, "FILE", "write the answer there instead of to standard output");
    app.add_flag("--json", o->json, "print the answer as haichi-advice/1");
    return [o](Console& console) {
        const InterruptWatch watch;
        return run(*o, console);
    };
}

}  // namespace

Command advise_shape_command() {
    return {"shape", "which job shape of so many nodes suits the application",
            "haichi advise shape -m fx10-kyushu -w cg64.json --node-count 96", configure};
}

}  // namespace haichi::cli
