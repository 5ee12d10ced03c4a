#include "mapper/solve/best_start.h"

#include <string_view>
#include <utility>
#include <vector>

#include "mapper/start/grid_start.h"
#include "mapper/start/start.h"

namespace haichi {

namespace {

constexpr std::string_view kGrid = "grid";
constexpr std::string_view kGreedy = "greedy";
constexpr std::string_view kBisection = "bisection";
constexpr std::string_view kGrouped = "groups";

std::optional<Mapping> placed(const PosedJob& posed, std::string_view name, const StartEffort& effort) {
    const Problem& problem = posed.problem();
    const Allocation& allocation = posed.job.allocation();
    if (name == kGrouped) return grouped_start(problem, allocation, effort);
    return find_start(name)->place(problem, allocation, effort.search.seed, effort.may_go_on);
}

}  // namespace

Mapping best_start(const PosedJob& posed, const BoundObjective& objective, const StartEffort& effort) {
    const Log& log = effort.control.log;
    // The values of a start in tie-breaking order, and whether all reach their bounds.
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
    for (const std::string_view name : {kGrid, kGreedy, ranks_are_grouped(posed.problem()) ? kGrouped : kBisection}) {
        if (best.is_optimal) break;
        const bool is_grid_by_values = name == kGrid && !objective.info().is_quadratic_assignment;
        const auto candidate =
            is_grid_by_values
                ? grid_placement_by(
                      posed.problem(), posed.job.allocation(),
                      [&](const Mapping& mapping) { return rank_of(name, mapping).values; }, effort.may_go_on)
                : placed(posed, name, effort);
        if (!candidate) break;
        Rank rank = rank_of(name, *candidate);
        if (!(rank.values < best.values)) continue;
        best = std::move(rank);
        first = *candidate;
        name_of_best = name;
    }
    log.info("start: {}, the best of the starts tried", name_of_best);
    return first;
}

}  // namespace haichi
