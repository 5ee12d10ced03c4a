#include "options/simulation_options.h"

#include "base/errors.h"
#include "netmodel/packetsim/machine_blocks.h"
#include "options/job_options.h"

namespace haichi {

void declare_most_loaded(OptionTable& options, std::size_t& links) {
    options.begin(OptionGroup::kOutput);
    options.add_count("most-loaded", links,
                      {.description = "Number of the most loaded links to list",
                       .least = 0,
                       .most = 1'000'000,
                       .former_names = {"hottest"}});
}

void declare_collectives(OptionTable& options, collectives::CollectiveSelection& selection, CollectivesUse use) {
    const bool takes_files = use == CollectivesUse::kProgram;
    options.add_read(
        "collectives", ValueKind::kTexts,
        [&selection, takes_files](const std::string& word) {
            if (!takes_files && word.find('=') == std::string::npos) (void)collectives::selection_tables().at(word);
            selection.set(word);
        },
        {.description = std::string("Algorithms of collectives: those of a library, ") +
                        (takes_files ? "those in FILE, " : "") +
                        "or those of one operation. allreduce=recursive-doubling:2KiB,ring selects recursive "
                        "doubling for messages up to 2 KiB, and ring for larger messages",
         .value = takes_files ? "openmpi|mpich|FILE|OP=ALGORITHM" : "openmpi|mpich|OP=ALGORITHM",
         .otherwise = takes_files ? "mpich" : "the library that the log names",
         .former_names = {"collective"},
         .is_local = takes_files});
}

void declare_call_replay(OptionTable& options, CallReplayOptions& calls) {
    options.add_choice("compute", calls.computing.rule, computing_rules(), &ComputingRow::rule,
                       {.description = "Computation time between the calls of a log: the measured mean of each call "
                                       "site, a random value within its measured range (drawn), or none"});
    options.add_number(
        "compute-factor", calls.computing.factor,
        {.description = "Factor by which all computation times are multiplied", .least = 0, .most = 1e6});
    options.add_count("compute-seed", calls.computing.seed,
                      {.description = "Random seed of --compute drawn", .least = 0, .former_names = {"seed"}});
    declare_collectives(options, calls.algorithms, CollectivesUse::kLog);
}

void declare_compute_spread(OptionTable& options, ComputeImbalance& imbalance, const std::vector<std::string>& needs,
                            const std::vector<std::string>& excludes) {
    options.add_read(
        "compute-spread", ValueKind::kText,
        [&imbalance](const std::string& word) {
            const std::uint64_t seed = imbalance.seed;
            imbalance = parse_compute_spread(word);
            imbalance.seed = seed;
        },
        {.description =
             "Random variation of computation times: 5% (of each set's time), 20us (before each set), or 50us/200ms "
             "(interruptions of up to 50us, 200ms apart)",
         .value = "FRACTION|TIME|TIME/TIME",
         .otherwise = "none",
         .needs = needs,
         .excludes = excludes});
}

void declare_compute_spread_seed(OptionTable& options, ComputeImbalance& imbalance) {
    options.add_count("compute-spread-seed", imbalance.seed,
                      {.description = "Random seed of --compute-spread", .least = 0, .needs = {"compute-spread"}});
}

void MeasuredSimulation::declare(OptionTable& options, const std::string& description) {
    options.begin(OptionGroup::kSimulation);
    options.add_flag("simulate", is_wanted, {.description = description, .former_names = {"validate"}});
    declare_form(options, simulation.form, {"simulate"});
    declare_compute_spread(options, simulation.imbalance, {"simulate"});
    declare_compute_spread_seed(options, simulation.imbalance);
}

void SimulationArguments::declare_traffic(OptionTable& options) {
    options.begin(OptionGroup::kSimulation);
    declare_form(options, simulation.form);
    options.add_read("barrier", ValueKind::kText,
                     [this](const std::string& word) { simulation.barriers = parse_barrier_choice(word); },
                     {.description = "Barriers: before every set (sets), before some sets (1,3), none, or two runs "
                                     "without and with barriers (both)",
                      .value = "WHERE",
                      .otherwise = "none"});
    options.add_read("sim-iterations", ValueKind::kText,
                     [this](const std::string& word) { simulation.iterations = parse_simulated_iterations(word); },
                     {.description = "Number of iterations to simulate. With auto, haichi simulates until the time per "
                                     "iteration repeats, and extrapolates the rest",
                      .value = "N|auto|all",
                      .otherwise = "auto"});
    declare_compute_spread(options, simulation.imbalance);
    declare_compute_spread_seed(options, simulation.imbalance);
    declare_call_replay(options, simulation.calls);
}

void SimulationArguments::declare_machine(OptionTable& options) {
    options.begin(OptionGroup::kSimulation);
    declare_threads(options, simulation.threads, "1");
    options.begin(OptionGroup::kExpert);
    options.add_count("partitions", simulation.partitions,
                      {.description = "Number of partitions of the simulated machine, which does not change the result",
                       .otherwise = "0, haichi chooses by the machine's size",
                       .least = 0,
                       .most = MachineBlocks::kMostBlocks});
    declare_most_loaded(options, simulation.most_loaded_links);
}

void SimulationArguments::declare_observation(OptionTable& options) {
    constexpr double kPs = 1e-12;
    options.begin(OptionGroup::kExpert);
    ObservationOptions& observation = simulation.observation;
    options.add_output(
        "stats", stats,
        {.description = "Write the traffic of each link over time to FILE as CSV, during the run", .is_local = true});
    options.add_time("stats-bin", observation.bin_ps,
                     {.description = "Length of a time bin of --stats",
                      .otherwise = "100us",
                      .least = kPs,
                      .needs = {"stats"},
                      .is_local = true});
    options.add_output("buffer-history", history,
                       {.description = "Write the packets that leave the buffers of a router to FILE as CSV",
                        .needs = {"router"},
                        .is_local = true});
    options.add_count(
        "router", observation.router,
        {.description = "Router whose buffers --buffer-history records, by its number in the --stats file",
         .least = 0,
         .needs = {"buffer-history"},
         .is_local = true});
    options.add_time("history-begin", observation.history_begin_ps,
                     {.description = "Start time of the history",
                      .otherwise = "0s",
                      .least = 0,
                      .needs = {"buffer-history"},
                      .former_names = {"from"},
                      .is_local = true});
    options.add_time("history-end", observation.history_end_ps,
                     {.description = "End time of the history",
                      .otherwise = "the end of the run",
                      .least = 0,
                      .needs = {"buffer-history"},
                      .former_names = {"to"},
                      .is_local = true});
    options.add_time("history-interval", observation.interval_ps,
                     {.description = "Length of one interval of the history",
                      .otherwise = "10us",
                      .least = kPs,
                      .needs = {"buffer-history"},
                      .former_names = {"every"},
                      .is_local = true});
}

void SimulationArguments::check(const OptionTable& options) {
    if (options.is_given("compute-seed") && simulation.calls.computing.rule != ReplayedComputing::Rule::kDrawn) {
        throw OptionError("§compute-seed requires §compute drawn");
    }
    for (const char* option : {"collectives", "compute-factor", "compute"}) {
        if (options.is_given(option)) simulation.call_option = option;
    }
    const bool has_two_runs = simulation.barriers.without && simulation.barriers.with;
    if (has_two_runs && (!stats.empty() || !history.empty())) {
        throw OptionError("§stats and §buffer-history cannot be combined with §barrier both",
                          "use §barrier none or §barrier sets");
    }
}

void SimulationArguments::open_streams(Outputs& outputs) {
    if (!stats.empty()) simulation.observation.time_space = &outputs.add_stream(stats);
    if (!history.empty()) simulation.observation.history = &outputs.add_stream(history);
}

}  // namespace haichi
