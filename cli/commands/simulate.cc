#include "cli/commands/simulate.h"

#include <memory>

#include "base/errors.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/simulation_text.h"
#include "mapper/job/report_json.h"
#include "mapper/job/simulate_job.h"
#include "mapper/job/simulation_json.h"

namespace haichi::cli {

namespace {

struct SimulateOptions {
    JobOptions job;
    std::string workload;
    std::string workload_format;
    std::string message_size;
    std::string map;
    std::string format;
    std::string barrier;
    std::string iterations;
    std::string threads;
    std::string hottest;
    std::string output;
    bool json = false;
    bool no_timing = false;
};

SimulateRequest simulate_request(const SimulateOptions& options) {
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMostHottest = 1'000'000;
    SimulateRequest request;
    request.allocation = options.job.request();
    request.machine = options.job.machine;
    request.hosts = options.job.hosts;
    require_value(options.workload, "--workload");
    request.workload = options.workload;
    request.workload_format = read_workload_format(options.workload_format);
    if (!options.message_size.empty()) {
        request.message_size_bytes = read_bytes("--message-size", options.message_size);
    }
    if (!options.map.empty()) request.map = options.map;
    request.format = options.format;
    if (!request.format.empty()) {
        if (options.map.empty()) throw OptionError("--format is that of the map, but there is no --map");
        (void)rank_map_format(request.format);
    }
    options.job.check_standard_input({options.workload, options.map});
    SimulationOptions& simulation = request.simulation;
    if (!options.barrier.empty()) simulation.barriers = parse_barrier_choice(options.barrier);
    if (!options.iterations.empty()) simulation.iterations = parse_simulated_iterations(options.iterations);
    if (!options.threads.empty()) {
        simulation.threads = static_cast<std::int32_t>(read_count("--threads", options.threads, 1, kMostThreads));
    }
    if (!options.hottest.empty()) {
        simulation.hottest_links = static_cast<std::size_t>(read_count("--hottest", options.hottest, 0, kMostHottest));
    }
    return request;
}

int run(const SimulateOptions& options, Console& console) {
    const SimulateRequest request = simulate_request(options);
    Destination destination(options.output, console);
    SimulateReport report;
    {
        SimulationLine line(console);
        report = run_simulate(request, {line.callback(), &InterruptWatch::flag()});
    }
    destination.write(options.json ? report_text(simulation_json(report, !options.no_timing))
                                   : simulation_text(report, !options.no_timing));
    destination.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what was simulated so far\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<SimulateOptions>();
    o->job.declare(app, true);
    add_workload_options(app, o->workload, o->message_size);
    add_workload_format(app, o->workload_format);
    add_value(app, "--map", o->map, "FILE", "the rank map; default: the default placement");
    add_value(app, "-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_value(app, "--barrier", o->barrier, "WHERE", "before every set (sets) or not (none), or both; default: none");
    add_value(app, "--sim-iterations", o->iterations, "N|auto|all",
              "how many to simulate, the rest is multiplied; auto, the default: until their time repeats");
    add_value(app, "--threads", o->threads, "N", "default: 1; the result does not depend on it");
    add_value(app, "--hottest", o->hottest, "N", "how many of the busiest links to list; default: 10");
    add_value(app, "-o,--output", o->output, "FILE", "write the report there instead of to standard output");
    app.add_flag("--json", o->json, "print the report haichi-simulation/1");
    app.add_flag("--no-timing", o->no_timing, "leave wall times out, so that equal runs print equal bytes");
    return [o](Console& console) {
        const InterruptWatch watch;
        return run(*o, console);
    };
}

}  // namespace

Command simulate_command() {
    return {"simulate", "run a workload on the packet simulator: how long a placement takes, and where the time goes",
            "haichi simulate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map --barrier both", configure};
}

}  // namespace haichi::cli
