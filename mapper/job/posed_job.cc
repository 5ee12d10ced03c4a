#include "mapper/job/posed_job.h"

#include <algorithm>

#include "mapper/job/plugin_library.h"
#include "objectives/function_objective.h"
#include "objectives/metrics.h"
#include "objectives/tac3_bytes.h"

namespace haichi {

PosedJob::PosedJob(Job of, const ObjectiveChoice& choice, const Log& log) : job(std::move(of)), held(job.problem(log)) {
    if (choice.function) {
        spec = {.name = choice.name, .function = choice.function};
        objective = std::make_unique<BoundObjectiveOf<FunctionObjective>>(problem(), spec, job.default_placement());
    } else if (const auto plugin = parse_plugin_name(choice.name)) {
        spec = {.name = choice.name};
        objective = bind_plugin_objective(*plugin, problem(), job.default_placement());
    } else {
        spec = parse_objective(choice.name);
        const ObjectiveRow& row = objectives().at(spec.name);
        if (!row.searched_as.empty()) {
            ranking = &row;
            spec = {.name = std::string(row.searched_as)};
        }
        objective = bind_objective(spec, problem(), job.default_placement());
    }
}

Mapping best_start(const PosedJob& posed, const BoundObjective& objective, std::uint64_t seed, const MayGoOn& may_go_on,
                   const Log& log) {
    Mapping first = posed.job.default_placement();
    Standing best = objective.standing(first);
    std::string_view name_of_best = "default";
    const auto tell = [&](std::string_view name, const Standing& standing) {
        log.debug("start {}: {} {}", name, objective.info().name, standing.value);
    };
    tell(name_of_best, best);
    for (const char* name : {"greedy", "bisection"}) {
        if (best.optimal) break;
        const auto candidate = find_start(name)->place(posed.problem(), posed.job.allocation(), seed, may_go_on);
        if (!candidate) break;
        const Standing standing = objective.standing(*candidate);
        tell(name, standing);
        if (!(standing.value < best.value)) continue;
        best = standing;
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
