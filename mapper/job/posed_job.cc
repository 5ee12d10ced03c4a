#include "mapper/job/posed_job.h"

#include <algorithm>

#include "mapper/job/plugin_library.h"
#include "objectives/metrics.h"
#include "objectives/tac3_bytes.h"

namespace haichi {

namespace {

/// Whether all messages have the same size. If so, tac3 of a single set equals its max-link-load, and its search is
/// faster.
bool has_equal_messages(const Workload& workload) {
    std::int64_t size_bytes = 0;
    for (const Message& m : workload.messages()) {
        if (!m.crosses_network()) continue;
        if (size_bytes != 0 && m.size_bytes != size_bytes) return false;
        size_bytes = m.size_bytes;
    }
    return true;
}

}  // namespace

std::vector<std::string> suited_objectives(const Problem& problem) {
    // The cost of a predicted-time evaluation grows with the number of ranks.
    constexpr std::size_t kMostPredictedRanks = 1024;
    std::vector<std::string> names = {"tac3", "hop-bytes"};
    if (problem.set_count() <= 1) {
        names = {"hop-bytes", has_equal_messages(problem.workload()) ? "tac3" : "max-link-load"};
    }
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
        objective = bind_function_objective(spec, problem(), job.default_placement());
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
