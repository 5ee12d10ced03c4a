#include "mapper/job/posed_job.h"

#include <algorithm>

#include "mapper/job/plugin_library.h"
#include "objectives/function_objective.h"
#include "objectives/metrics.h"
#include "objectives/tac3_bytes.h"

namespace haichi {

std::vector<std::string> suited_objectives(const Problem& problem) {
    // What predicted-time costs an evaluation grows with the ranks.
    constexpr std::size_t kMostPredictedRanks = 1024;
    std::vector<std::string> names = problem.set_count() > 1 ? std::vector<std::string>{"tac3", "hop-bytes"}
                                                             : std::vector<std::string>{"hop-bytes", "max-link-load"};
    const ObjectiveRow* predictor = objectives().find(kPredictor);
    const bool is_small = problem.communicating_ranks().size() <= kMostPredictedRanks;
    if (predictor != nullptr && is_small && is_told_unasked(*predictor, problem)) names.emplace_back(kPredictor);
    return names;
}

PosedJob::PosedJob(Job of, const ObjectiveChoice& choice, const Log& log) : job(std::move(of)), held(job.problem(log)) {
    const auto take_next = [&] {
        set_next(choice.then.value_or(usual_next(spec)), spec);
        for (const NextObjective& one : spec.then) {
            next.push_back(bind_objective({.name = one.name}, problem(), job.default_placement()));
        }
    };
    if (choice.function) {
        spec = {.name = choice.name, .function = choice.function};
        take_next();
        objective = std::make_unique<BoundObjectiveOf<FunctionObjective>>(problem(), spec, job.default_placement());
    } else if (const auto plugin = parse_plugin_name(choice.name)) {
        spec = {.name = choice.name};
        take_next();
        objective = bind_plugin_objective(*plugin, spec.then, problem(), job.default_placement());
    } else {
        spec = parse_objective(choice.is_auto() ? suited_objectives(problem()).front() : choice.name);
        const ObjectiveRow& row = objectives().at(spec.name);
        if (!row.searched_as.empty()) {
            ranking = &row;
            spec = {.name = std::string(row.searched_as)};
        }
        take_next();
        objective = bind_objective(spec, problem(), job.default_placement());
    }
}

Mapping best_start(const PosedJob& posed, const BoundObjective& objective, std::uint64_t seed, const MayGoOn& may_go_on,
                   const Log& log) {
    // The values in their order, and whether all are at their bounds.
    struct Rank {
        std::vector<double> values;
        bool is_optimal = true;
    };
    const auto rank_of = [&](std::string_view name, const Mapping& mapping) {
        Rank rank;
        const auto add = [&](const BoundObjective& level) {
            const Standing standing = level.standing(mapping);
            log.debug("start {}: {} {}", name, level.info().name, standing.value);
            rank.values.push_back(standing.value);
            rank.is_optimal = rank.is_optimal && standing.optimal;
        };
        add(objective);
        for (const auto& level : posed.next) add(*level);
        return rank;
    };
    Mapping first = posed.job.default_placement();
    std::string_view name_of_best = "default";
    Rank best = rank_of(name_of_best, first);
    for (const char* name : {"grid", "greedy", "bisection"}) {
        if (best.is_optimal) break;
        const auto candidate = find_start(name)->place(posed.problem(), posed.job.allocation(), seed, may_go_on);
        if (!candidate) break;
        Rank rank = rank_of(name, *candidate);
        if (!(rank.values < best.values)) continue;
        best = std::move(rank);
        first = *candidate;
        name_of_best = name;
    }
    log.info("start: {}, the best of those tried", name_of_best);
    return first;
}

double seconds_worth_searching(const PosedJob& posed) {
    constexpr double kShare = 0.01;
    constexpr double kShortest = 0.5;
    constexpr double kLongest = 600;
    const Tac3Bytes seconds(posed.problem(), {}, posed.job.default_placement());
    const Metrics metrics = measure(posed.problem(), posed.job.default_placement());
    const double saved = seconds.in_unit(seconds.value_in(metrics)) - seconds.in_unit(*seconds.lower_bound());
    return std::clamp(kShare * saved * static_cast<double>(posed.job.workload().iterations()), kShortest, kLongest);
}

}  // namespace haichi
