#include "cli/commands/simulate.h"

#include <limits>
#include <memory>

#include "base/errors.h"
#include "base/quantity.h"
#include "cli/command_outputs.h"
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
    std::string stats;
    std::string stats_bin;
    std::string history;
    std::string router;
    std::string history_from;
    std::string history_to;
    std::string history_every;
    std::string output;
    bool json = false;
    bool no_timing = false;
};

std::int64_t read_time(const char* option, const std::string& text, std::int64_t otherwise_ps) {
    return text.empty() ? otherwise_ps : parse_time_ps(text, {option, 0});
}

std::int64_t read_span(const char* option, const std::string& text, std::int64_t otherwise_ps) {
    const std::int64_t span_ps = read_time(option, text, otherwise_ps);
    if (span_ps < 1) throw OptionError(std::string(option) + " must be longer than " + shown(text));
    return span_ps;
}

void read_observation(const SimulateOptions& options, SimulationOptions& simulation) {
    ObservationOptions& observation = simulation.observation;
    if (options.stats.empty() && !options.stats_bin.empty()) {
        throw OptionError("--stats-bin is that of --stats, which is not given");
    }
    if (options.history.empty()) {
        for (const std::string& text :
             {options.router, options.history_from, options.history_to, options.history_every}) {
            if (text.empty()) continue;
            throw OptionError("--router, --from, --to and --every are those of --buffer-history, which is not given");
        }
    } else {
        require_value(options.router, "--router");
        constexpr std::int64_t kMostVertices = std::numeric_limits<std::int32_t>::max();
        observation.router = static_cast<std::int32_t>(read_count("--router", options.router, 0, kMostVertices));
    }
    if (simulation.barriers.without && simulation.barriers.with &&
        (!options.stats.empty() || !options.history.empty())) {
        throw OptionError("--stats and --buffer-history describe one run", "use --barrier none or --barrier sets");
    }
    observation.bin_ps = read_span("--stats-bin", options.stats_bin, observation.bin_ps);
    observation.history_begin_ps = read_time("--from", options.history_from, 0);
    observation.history_end_ps = read_time("--to", options.history_to, 0);
    observation.interval_ps = read_span("--every", options.history_every, observation.interval_ps);
}

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
    read_observation(options, simulation);
    return request;
}

int run(const SimulateOptions& options, Console& console) {
    SimulateRequest request = simulate_request(options);
    CommandOutputs outputs(console);
    outputs.add_inputs({options.workload, options.map});
    options.job.add_inputs(outputs);
    ObservationOptions& observation = request.simulation.observation;
    if (!options.stats.empty()) observation.time_space = &outputs.add_stream(options.stats);
    if (!options.history.empty()) observation.history = &outputs.add_stream(options.history);
    Destination destination = outputs.add_destination(options.output);
    outputs.open();
    SimulateReport report;
    {
        SimulationLine line(console);
        report = run_simulate(request, {line.callback(), &InterruptWatch::flag()});
    }
    destination.write(options.json ? report_text(simulation_json(report, !options.no_timing))
                                   : simulation_text(report, !options.no_timing));
    outputs.commit();
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: this is what was simulated so far\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<SimulateOptions>();
    o->job.declare(app, true);
    app.remove_option(app.get_option("--count-nic"));  // a way of counting; packets pass them anyhow
    add_workload_options(app, o->workload, o->message_size);
    add_workload_format(app, o->workload_format);
    add_value(app, "--map", o->map, "FILE", "the rank map; default: the default placement");
    add_value(app, "-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_value(app, "--barrier", o->barrier, "WHERE",
              "before every set (sets), before some (1,3: by number from 1), nowhere (none), or both; default: none");
    add_value(app, "--sim-iterations", o->iterations, "N|auto|all",
              "how many to simulate, the rest is multiplied; auto, the default: until their time repeats");
    add_value(app, "--threads", o->threads, "N", "default: 1; the result does not depend on it");
    add_value(app, "--hottest", o->hottest, "N", "how many of the busiest links to list; default: 10");
    add_value(app, "--stats", o->stats, "FILE",
              "write what each link carried over time there as CSV, while the run goes on");
    add_value(app, "--stats-bin", o->stats_bin, "TIME", "length of a bin of --stats; default: 100us");
    add_value(app, "--buffer-history", o->history, "FILE",
              "write the packets that leave the buffers of --router there as CSV");
    add_value(app, "--router", o->router, "N", "the router of --buffer-history, numbered as --stats does");
    add_value(app, "--from", o->history_from, "TIME", "begin --buffer-history then; default: 0s");
    add_value(app, "--to", o->history_to, "TIME", "end it then; default: with the run");
    add_value(app, "--every", o->history_every, "TIME", "length of an interval of it; default: 10us");
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
