#include "cli/commands/simulate_options.h"

#include <limits>

#include "base/errors.h"
#include "base/quantity.h"
#include "cli/commands/values.h"
#include "netmodel/packetsim/machine_blocks.h"

namespace haichi::cli {

namespace {

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

}  // namespace

void ProgramArguments::declare(OptionTable& options) {
    options.add_arguments(
        "PROGRAM", program,
        "behind --: an MPI program, built for MPICH, and its arguments; its ranks run on the machine");
    options.add_value("-n,--ranks", ranks, "N", "of the program; default: as many as the job's nodes take");
    options.add_value("--stack", stack, "BYTES", "of each rank, as in 1MiB; default: 8MiB, less for many ranks");
    options.add_value(
        "--globals", globals, "auto|none|copy|remap|image",
        "how each rank gets variables of its own: copied or remapped when another rank runs, in an image of the "
        "program that is the rank's, or none does; default: auto");
    options.add_value(
        "--payload", payload, "auto|none|all",
        "what is really moved between ranks: data of collectives and messages up to 1 GiB / ranks, at least 64 "
        "KiB (auto, the default), "
        "nothing, or everything");
    options.add_value(
        "--refused-calls", refused_calls, "early|late",
        "a program with calls that cannot be simulated is not started (early, the default), or ends when it makes "
        "one");
    options.add_value("--collectives", collectives, "openmpi|mpich|FILE|OP=ALGORITHM",
                      "of the program: by which algorithms collectives become messages; default: mpich");
}

void ProgramArguments::refuse_without_program() const {
    const auto refuse = [](const char* option, const std::string& value) {
        if (value.empty()) return;
        throw OptionError(std::string(option) + " is that of a program, but none is given",
                          "haichi simulate -m MACHINE -n 64 -- ./app runs one");
    };
    refuse("--ranks", ranks);
    refuse("--stack", stack);
    refuse("--globals", globals);
    refuse("--payload", payload);
    refuse("--refused-calls", refused_calls);
    refuse("--collectives", collectives);
}

void SimulateArguments::declare(OptionTable& options) {
    job.declare(options, JobUse::kSimulate);
    program.declare(options);
    options.add_value("--map", map, "FILE", "the rank map; default: the default placement");
    options.add_value("-f,--format", format, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_traffic_form(options, form);
    options.add_value(
        "--compute", computing, "mean|drawn|none|measured[*FACTOR]",
        "computing time between calls: the mean of what the log has at each place of the program (the default), "
        "drawn between its least and its greatest, or none; of a program: none (the default), or the CPU time that "
        "its code takes on this machine, times a factor, which no second run repeats");
    options.add_value("--compute-factor", computing_factor, "F", "times this; default: 1");
    options.add_value("--seed", seed, "N", "of --compute drawn; default: 1");
    options.add_values(
        "--collective", algorithms, "OP=ALGORITHM",
        "of the calls: by which algorithm collectives become messages, up to which sizes, as in haichi ccs");
    options.add_value(
        "--barrier", barrier, "WHERE",
        "before every set (sets), before some (1,3: by number from 1), nowhere (none), or both; default: none");
    options.add_value("--sim-iterations", iterations, "N|auto|all",
                      "how many to simulate, the rest is multiplied; auto, the default: until their time repeats");
    options.add_value("--threads", threads, "N", "default: 1; the result does not depend on it");
    options.add_value(
        "--partitions", partitions, "N",
        "parts of the machine that are simulated one by one; default: 0, by its size; the result does not depend "
        "on it");
    options.add_value("--hottest", hottest, "N", "how many of the busiest links to list; default: 10");
    options.add_value("--stats", stats, "FILE",
                      "write what each link carried over time there as CSV, while the run goes on");
    options.add_value("--stats-bin", stats_bin, "TIME", "length of a bin of --stats; default: 100us");
    options.add_value("--buffer-history", history, "FILE",
                      "write the packets that leave the buffers of --router there as CSV");
    options.add_value("--router", router, "N", "the router of --buffer-history, numbered as --stats does");
    options.add_value("--from", history_from, "TIME", "begin --buffer-history then; default: 0s");
    options.add_value("--to", history_to, "TIME", "end it then; default: with the run");
    options.add_value("--every", history_every, "TIME", "length of an interval of it; default: 10us");
    options.add_value("-o,--output", output, "FILE", "write the report there instead of to standard output");
    options.add_flag("--json", json, "print the report haichi-simulation/1");
    options.add_flag("--no-timing", no_timing, "leave wall times out, so that equal runs print equal bytes");
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

}  // namespace haichi::cli
