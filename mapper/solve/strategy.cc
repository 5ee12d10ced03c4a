#include "mapper/solve/strategy.h"

#include "base/errors.h"
#include "mapper/partition/partition_search.h"
#include "mapper/start/start.h"
#include "mapper/tabu/population_search.h"

namespace haichi {

namespace {

/// Names of the objectives that tabu search can minimise.
std::vector<std::string> objectives_of_tabu_search() {
    std::vector<std::string> names;
    for (const ObjectiveRow& row : objectives()) {
        if (row.is_quadratic_assignment) names.emplace_back(row.name);
    }
    return names;
}

/// The reason why tabu search does not support this job, or nothing.
std::optional<std::string> why_no_tabu_search(const PosedJob& posed, const SearchOptions& options) {
    if (!posed.objective->info().is_quadratic_assignment) {
        return "tabu search supports only " + joined(objectives_of_tabu_search());
    }
    if (!posed.spec.then.empty()) return "§then requires annealing";
    if (options.schedule != ScheduleKind::kAuto || !options.moves.empty() || options.smoothing_weight) {
        return "§schedule, §moves and §smoothing require annealing";
    }
    return why_not_tabu(posed.problem());
}

/// Whether tabu search is better than annealing. Measured at equal time, with the defaults of both, on dense and sparse
/// communication (studies/search/README.md). The density made no difference. Idle slots made tabu search worse, because
/// they add many swaps.
bool is_small_and_full(const Problem& problem) {
    constexpr std::int64_t kMostSlots = 256;
    const std::int64_t slots = problem.open_slot_count();
    return slots <= kMostSlots && static_cast<std::int64_t>(problem.communicating_ranks().size()) * 4 >= slots * 3;
}

/// The reason why `auto` does not choose tabu search, or nothing.
std::optional<std::string> why_not_tabu(const PosedJob& posed, const SearchOptions& options) {
    if (auto reason = why_no_tabu_search(posed, options)) return reason;
    if (is_small_and_full(posed.problem())) return std::nullopt;
    return "the job has more than 256 rank slots, or uses less than 3/4 of them";
}

/// The reason why the strategy `partition` does not support this job, or nothing.
std::optional<std::string> why_no_partition(const PosedJob& posed, const MapOptions& options) {
    const SearchOptions& search = options.search;
    if (posed.objective->info().name != std::string_view("hop-bytes") || posed.ranking != nullptr) {
        return "the partition supports only the objective hop-bytes";
    }
    if (!posed.spec.then.empty()) return "§then requires annealing";
    if (options.has_start()) return "§start requires annealing";
    if (search.schedule != ScheduleKind::kAuto || !search.moves.empty() || search.smoothing_weight) {
        return "§schedule, §moves and §smoothing require annealing";
    }
    if (search.restarts > 0 || search.verify != VerifyLevel::kOff) return "§restarts and §verify require annealing";
    if (options.checkpoint != nullptr) return "§checkpoint requires annealing";
    return why_no_partition(posed.problem());
}

/// Throws for limits and tuning options if the strategy has none, like starts and the exhaustive search.
void check_options_mean_something(const MapOptions& options) {
    if (strategies().at(options.strategy).is_tuned) return;
    const SearchOptions& search = options.search;
    const char* option = nullptr;
    if (search.time_limit_seconds || search.time_by_savings) option = "§time";
    if (search.evaluations > 0) option = "§evaluations";
    if (search.restarts > 0) option = "§restarts";
    if (search.schedule != ScheduleKind::kAuto) option = "§schedule";
    if (!search.moves.empty()) option = "§moves";
    if (search.smoothing_weight) option = "§smoothing";
    if (option == nullptr) return;
    throw OptionError(std::string(option) + " cannot be combined with §strategy " + options.strategy,
                      "leave it out, or use §strategy auto, anneal or tabu");
}

}  // namespace

const Table<StrategyRow>& strategies() {
    static const Table<StrategyRow> kStrategies({"strategy", "strategies"}, [] {
        const ObjectiveChoice usual;
        const std::vector<std::string> names = objectives_of_tabu_search();
        const std::string of_tabu = joined(names);
        std::vector<StrategyRow> rows;
        rows.push_back({.name = "auto",
                        .sentence = "tabu for " + of_tabu +
                                    " on up to 256 rank slots if at least 3/4 are in use, else anneal; the default",
                        .objective = usual.name,
                        .is_tuned = true,
                        .uses_seed = true});
        for (const StartRow& row : start_rows()) {
            rows.push_back({.name = row.name, .sentence = row.sentence, .uses_seed = row.uses_seed});
        }
        rows.push_back({.name = "anneal",
                        .sentence = "simulated annealing on the objective, with restarts",
                        .objective = usual.name,
                        .is_tuned = true,
                        .uses_seed = true});
        rows.push_back({.name = "tabu",
                        .sentence = "populations of robust tabu searches, for " + of_tabu + " on up to " +
                                    std::to_string(kMostTabuSlots) + " rank slots",
                        .objective = names.empty() ? usual.name : names.front(),
                        .is_tuned = true,
                        .uses_seed = true});
        rows.push_back({.name = "partition",
                        .sentence = "multilevel partition of the ranks along the blocks of the machine, for many ranks "
                                    "per node; the default with §imbalance",
                        .objective = "hop-bytes",
                        .is_tuned = true,
                        .uses_seed = true});
        rows.push_back({.name = "exhaustive",
                        .sentence = "every placement, for up to 10 ranks on 10 rank slots or as many placements",
                        .objective = usual.name});
        return rows;
    }());
    return kStrategies;
}

std::string chosen_strategy(const PosedJob& posed, const MapOptions& options, const Log& log) {
    check_options_mean_something(options);
    if (posed.problem().node_capacity() > 0 && options.strategy != "auto" && options.strategy != "partition") {
        throw OptionError("§imbalance cannot be combined with §strategy " + options.strategy,
                          "use §strategy partition, the default");
    }
    if (options.strategy == "partition" || posed.problem().node_capacity() > 0) {
        if (const auto reason = why_no_partition(posed, options)) {
            throw OptionError("§strategy partition does not support this job: " + *reason);
        }
        log.info("strategy partition");
        return "partition";
    }
    if (options.strategy == "tabu") {
        if (const auto reason = why_no_tabu_search(posed, options.search)) {
            throw OptionError("§strategy tabu does not support this job: " + *reason, "use §strategy anneal");
        }
    }
    if (options.strategy != "auto") {
        log.info("strategy {}: as requested", options.strategy);
        return options.strategy;
    }
    if (const auto reason = why_not_tabu(posed, options.search)) {
        log.info("strategy auto is anneal: {}", *reason);
        return "anneal";
    }
    log.info("strategy auto is tabu: {} on few rank slots, most of them in use", posed.objective->info().name);
    return "tabu";
}

}  // namespace haichi
