#include "options/advice_options.h"

#include <limits>

#include "base/errors.h"
#include "base/split.h"
#include "mgen/process_options.h"
#include "options/job_options.h"
#include "options/search_options.h"
#include "options/simulation_options.h"

namespace haichi {

namespace {

void declare_searches(OptionTable& options, std::uint64_t& seed, std::int32_t& seeds, const std::string& description) {
    declare_seed(options, seed);
    options.add_count("seeds", seeds, {.description = description, .most = 1000});
}

void declare_effort(OptionTable& options, double& packet_hops, std::int32_t& threads) {
    options.begin(OptionGroup::kSimulation);
    options.add_number(
        "packet-hops", packet_hops,
        {.description = "Limit on the simulation work: packets times links traversed, summed over all simulations",
         .value = "N",
         .otherwise = "1e9"});
    declare_threads(options, threads, "all cores");
}

}  // namespace

void declare_advice(OptionTable& options, ShapeAdviceOptions& advice) {
    options.begin(OptionGroup::kJob);
    options.add_count("node-count", advice.node_count,
                      {.description = "Number of nodes of the job",
                       .otherwise = "as many as the ranks need",
                       .most = std::numeric_limits<std::int32_t>::max()});
    declare_objective(options, advice.objective, "Objective of the searches",
                      "tac3, or hop-bytes if all messages are in one set");
    declare_searches(options, advice.seed, advice.seeds, "Number of placements to simulate for each shape");
    options.add_count(
        "finalists", advice.finalists,
        {.description = "Number of job shapes to simulate after a quick search of all shapes", .most = 1000});
    declare_effort(options, advice.packet_hops, advice.threads);
}

void declare_advice(OptionTable& options, SpreadAdviceOptions& advice) {
    constexpr double kSPerPs = 1e-12;
    options.begin(OptionGroup::kWorkload);
    options.add_read(
        "compute-time", ValueKind::kTime,
        [&advice](const std::string& word) {
            std::int64_t time_ps = 0;
            OptionTable time;
            time.add_time("compute-time", time_ps,
                          {.description = "", .least = 0, .most = static_cast<double>(kLongestSimulationPs) * kSPerPs});
            time.take("compute-time", {word});
            advice.compute_seconds = static_cast<double>(time_ps) * kSPerPs;
        },
        {.description =
             "Computation time of a rank per iteration in one cluster, as in 5ms, if the workload does not state it"});
    declare_objective(options, advice.objective, "Objective of the searches", "hop-bytes");
    declare_searches(options, advice.seed, advice.seeds, "Number of searches in each cluster and over all clusters");
    options.begin(OptionGroup::kSimulation);
    declare_form(options, advice.form);
    declare_effort(options, advice.packet_hops, advice.threads);
}

void declare_advice(OptionTable& options, BarrierAdviceOptions& advice) {
    options.begin(OptionGroup::kWorkload);
    constexpr std::size_t kMostAnswers = 64;
    options.add_read(
        "compute-imbalance", ValueKind::kText,
        [&advice](const std::string& word) {
            const std::uint64_t seed = advice.imbalance.seed;
            advice.imbalance = parse_imbalance(word, "compute-imbalance");
            advice.imbalance.seed = seed;
        },
        {.description =
             "Largest additional computation time of a rank before each set, as in 5% of the set's time, or 20us",
         .value = "FRACTION|TIME",
         .otherwise = "none",
         .former_names = {"imbalance"}});
    declare_compute_spread(options, advice.imbalance, {}, {"compute-imbalance"});
    options.add_count("draws", advice.draws,
                      {.description = "Number of random imbalances for which the advice must hold",
                       .most = 100'000,
                       .needs = {"compute-imbalance", "compute-spread"}});
    options.add_count("compute-imbalance-seed", advice.imbalance.seed,
                      {.description = "Random seed of the first imbalance",
                       .least = 0,
                       .needs = {"compute-imbalance", "compute-spread"},
                       .former_names = {"imbalance-seed", "seed"}});
    options.add_read("sizes", ValueKind::kList,
                     [&advice](const std::string& word) {
                         advice.sizes.clear();
                         for (const std::string_view part : split(word, ',')) {
                             OptionTable size;
                             size.add_bytes("sizes", advice.sizes.emplace_back(), {.description = "", .least = 0});
                             size.take("sizes", {std::string(part)});
                         }
                         if (advice.sizes.size() > kMostAnswers)
                             throw OptionError("§sizes: too many message sizes (at most 64)");
                     },
                     {.description = "Message sizes, each with its own answer, as in 64KiB,1MiB",
                      .value = "SIZE,SIZE,...",
                      .excludes = {"message-size"}});
    options.begin(OptionGroup::kSimulation);
    options.add_count("simulations", advice.most_simulations,
                      {.description = "Maximum number of simulations if there are too many choices of sets to try all",
                       .least = 2,
                       .most = 100'000});
    declare_effort(options, advice.packet_hops, advice.threads);
}

}  // namespace haichi
