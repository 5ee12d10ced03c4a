#include "cli/commands/simulate.h"

#include <limits>
#include <memory>
#include <optional>

#include "base/errors.h"
#include "base/quantity.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/simulate_program.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/simulation_text.h"
#include "mapper/job/report_json.h"
#include "mapper/job/simulate.h"
#include "mapper/job/simulation_json.h"
#include "netmodel/packetsim/machine_blocks.h"

namespace haichi::cli {

namespace {

struct SimulateArguments {
    JobOptions job;
    ProgramArguments program;
    std::string map;
    std::string format;
    std::string form;
    std::string computing;
    std::string computing_factor;
    std::string seed;
    std::vector<std::string> algorithms;
    std::string barrier;
    std::string iterations;
    std::string threads;
    std::string partitions;
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

void read_observation(const SimulateArguments& arguments, SimulationOptions& simulation) {
    ObservationOptions& observation = simulation.observation;
    if (arguments.stats.empty() && !arguments.stats_bin.empty()) {
        throw OptionError("--stats-bin is that of --stats, which is not given");
    }
    if (arguments.history.empty()) {
        for (const std::string& text :
             {arguments.router, arguments.history_from, arguments.history_to, arguments.history_every}) {
            if (text.empty()) continue;
            throw OptionError("--router, --from, --to and --every are those of --buffer-history, which is not given");
        }
    } else {
        require_value(arguments.router, "--router");
        constexpr std::int64_t kMostVertices = std::numeric_limits<std::int32_t>::max();
        observation.router = static_cast<std::int32_t>(read_count("--router", arguments.router, 0, kMostVertices));
    }
    if (simulation.barriers.without && simulation.barriers.with &&
        (!arguments.stats.empty() || !arguments.history.empty())) {
        throw OptionError("--stats and --buffer-history describe one run", "use --barrier none or --barrier sets");
    }
    observation.bin_ps = read_span("--stats-bin", arguments.stats_bin, observation.bin_ps);
    observation.history_begin_ps = read_time("--from", arguments.history_from, 0);
    observation.history_end_ps = read_time("--to", arguments.history_to, 0);
    observation.interval_ps = read_span("--every", arguments.history_every, observation.interval_ps);
}

/// How calls are replayed.
void read_replay(const SimulateArguments& arguments, SimulationOptions& options) {
    constexpr double kMostFactor = 1e6;
    if (!arguments.algorithms.empty()) options.call_option = "--collective";
    if (!arguments.computing_factor.empty()) options.call_option = "--compute-factor";
    if (!arguments.computing.empty()) options.call_option = "--compute";
    ReplayedComputing& computing = options.calls.computing;
    if (!arguments.computing.empty()) computing.rule = parse_computing(arguments.computing);
    if (!arguments.computing_factor.empty()) {
        computing.factor = read_number("--compute-factor", arguments.computing_factor);
        if (!(computing.factor >= 0 && computing.factor <= kMostFactor)) {
            throw OptionError("--compute-factor " + shown(arguments.computing_factor) + " is outside 0..1e6");
        }
    }
    if (!arguments.seed.empty()) {
        if (computing.rule != ReplayedComputing::Rule::kDrawn) {
            throw OptionError("--seed is that of --compute drawn, which is not given");
        }
        computing.seed = static_cast<std::uint64_t>(
            read_count("--seed", arguments.seed, 0, std::numeric_limits<std::int64_t>::max()));
    }
    for (const std::string& text : arguments.algorithms) options.calls.algorithms.set(text);
}

SimulationOptions simulation_options(const SimulateArguments& arguments) {
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMostHottest = 1'000'000;
    SimulationOptions options;
    if (arguments.program.program.empty()) read_replay(arguments, options);
    if (!arguments.barrier.empty()) options.barriers = parse_barrier_choice(arguments.barrier);
    if (!arguments.iterations.empty()) options.iterations = parse_simulated_iterations(arguments.iterations);
    if (!arguments.threads.empty()) {
        options.threads = static_cast<std::int32_t>(read_count("--threads", arguments.threads, 1, kMostThreads));
    }
    if (!arguments.partitions.empty()) {
        options.partitions =
            static_cast<std::int32_t>(read_count("--partitions", arguments.partitions, 0, MachineBlocks::kMostBlocks));
    }
    if (!arguments.hottest.empty()) {
        options.hottest_links = static_cast<std::size_t>(read_count("--hottest", arguments.hottest, 0, kMostHottest));
    }
    read_observation(arguments, options);
    return options;
}

void refuse_options_of_workloads(const SimulateArguments& arguments) {
    const auto refuse = [](const char* option, bool is_given) {
        if (!is_given) return;
        throw OptionError(std::string(option) + " is about workloads and logs, but a program is run");
    };
    refuse("--as", !arguments.form.empty());
    refuse("--barrier", !arguments.barrier.empty());
    refuse("--sim-iterations", !arguments.iterations.empty());
    refuse("--compute-factor", !arguments.computing_factor.empty());
    refuse("--seed", !arguments.seed.empty());
    refuse("--collective", !arguments.algorithms.empty());
}

/// `-- PROGRAM ARGS`: checks the command line, then replaces this process by the program's (exec). There the live
/// library reads the same command line again and simulates.
int run_program_of(const SimulateArguments& arguments, Console& console) {
    refuse_options_of_workloads(arguments);
    const JobSpec spec = arguments.job.program_spec(arguments.program.rank_count(), {arguments.map});
    check_map_format(arguments.map, arguments.format);
    SimulationOptions options = simulation_options(arguments);
    const LiveOptions live = arguments.program.live_options(arguments.computing);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    outputs.add_input(arguments.program.file());
    ObservationOptions& observation = options.observation;
    if (!arguments.stats.empty()) observation.time_space = &outputs.add_stream(arguments.stats);
    if (!arguments.history.empty()) observation.history = &outputs.add_stream(arguments.history);
    // Standard output is the program's, unless the report is asked for there.
    const bool has_file = !arguments.output.empty() && arguments.output != "-";
    const bool takes_output = !has_file && (arguments.json || arguments.output == "-");
    std::optional<Destination> destination;
    if (has_file || takes_output) destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map, arguments.format);
    if (console.live_process() == nullptr) {
        say_about_simulated(placement.job().machine(), console);
        start_program(arguments.program);
    }
    outputs.open();
    const InterruptWatch watch;
    Simulation simulation{.placement = placement, .runs = {}};
    simulation.runs.push_back(run_live_program(placement, options, live, arguments.program.program, takes_output,
                                               {{}, &InterruptWatch::flag(), console.log()}, console));
    const SimulatedRun& ran = simulation.runs.front();
    simulation.interrupted = ran.result.interrupted;
    const std::string report = arguments.json ? report_text(simulation_json(simulation, !arguments.no_timing))
                                              : simulation_text(simulation, !arguments.no_timing);
    if (destination) {
        destination->write(report);
    } else {
        console.say(report);
    }
    outputs.commit();
    if (!simulation.interrupted) return ran.program->exit_code;
    console.say("interrupted: this is what was simulated so far\n");
    return kExitInterrupted;
}

int run(const SimulateArguments& arguments, Console& console) {
    if (!arguments.program.program.empty()) {
        try {
            return run_program_of(arguments, console);
        } catch (const Error& error) {
            tell_failure(console, error);
            throw;
        }
    }
    arguments.program.refuse_without_program();
    JobSpec spec = arguments.job.spec(JobUse::kSimulate, {arguments.map});
    check_map_format(arguments.map, arguments.format);
    SimulationOptions options = simulation_options(arguments);
    options.form = read_traffic_form(arguments.form, arguments.job, spec);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    ObservationOptions& observation = options.observation;
    if (!arguments.stats.empty()) observation.time_space = &outputs.add_stream(arguments.stats);
    if (!arguments.history.empty()) observation.history = &outputs.add_stream(arguments.history);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map, arguments.format);
    if (!replays_calls(placement.job(), options, console.log()))
        say_about_sets(placement.job().set_warnings(console.log()), console);
    say_about_simulated(placement.job().machine(), console);
    outputs.open();
    const InterruptWatch watch;
    const Simulation simulation = [&] {
        SimulationLine line(console);
        return simulate(placement, options, {line.callback(), &InterruptWatch::flag(), console.log()});
    }();
    destination.write(arguments.json ? report_text(simulation_json(simulation, !arguments.no_timing))
                                     : simulation_text(simulation, !arguments.no_timing));
    outputs.commit();
    if (!simulation.interrupted) return kExitDone;
    console.say("interrupted: this is what was simulated so far\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<SimulateArguments>();
    o->job.declare(app, JobUse::kSimulate);
    o->program.declare(app);
    add_value(app, "--map", o->map, "FILE", "the rank map; default: the default placement");
    add_value(app, "-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_traffic_form(app, o->form);
    add_value(
        app, "--compute", o->computing, "mean|drawn|none|measured[*FACTOR]",
        "computing time between calls: the mean of what the log has at each place of the program (the default), "
        "drawn between its least and its greatest, or none; of a program: none (the default), or the CPU time that "
        "its code takes on this machine, times a factor, which no second run repeats");
    add_value(app, "--compute-factor", o->computing_factor, "F", "times this; default: 1");
    add_value(app, "--seed", o->seed, "N", "of --compute drawn; default: 1");
    app.add_option("--collective", o->algorithms,
                   "of the calls: by which algorithm collectives become messages, up to which sizes, as in haichi ccs")
        ->type_name("OP=ALGORITHM")
        ->allow_extra_args(false);
    add_value(app, "--barrier", o->barrier, "WHERE",
              "before every set (sets), before some (1,3: by number from 1), nowhere (none), or both; default: none");
    add_value(app, "--sim-iterations", o->iterations, "N|auto|all",
              "how many to simulate, the rest is multiplied; auto, the default: until their time repeats");
    add_value(app, "--threads", o->threads, "N", "default: 1; the result does not depend on it");
    add_value(app, "--partitions", o->partitions, "N",
              "parts of the machine that are simulated one by one; default: 0, by its size; the result does not depend "
              "on it");
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
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command simulate_command() {
    return {
        "simulate",
        "run a workload or an MPI program on the packet simulator: how long a placement takes, and where the time goes",
        "haichi simulate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map --barrier both\n"
        "  haichi simulate -m fugaku --shape 2x2x2x2x3x2 -n 64 -- ./app input.txt",
        configure,
        {},
        true};
}

}  // namespace haichi::cli
