#include "mapper/choose/auto_budget.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "mapper/anneal/defaults.h"
#include "objectives/sliced_collisions.h"

namespace haichi {

namespace {

/// Approximate mean number of links between two nodes, from randomly drawn pairs.
double mean_distance(const Network& network) {
    constexpr int kDraws = 256;
    Random random(1, 1);
    const auto nodes = static_cast<std::uint32_t>(network.node_count());
    double sum = 0;
    int pairs = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        const NodeId from(static_cast<std::int32_t>(random.below(nodes)));
        const NodeId to(static_cast<std::int32_t>(random.below(nodes)));
        if (!network.is_usable(from) || !network.is_usable(to)) continue;
        sum += network.route_length(from, to);
        ++pairs;
    }
    return pairs > 0 ? sum / pairs : 1;
}

/// Number of link traversals that a proposal changes: two ranks move, and their messages leave their old routes and
/// take new ones.
double changed_passages(const Problem& problem) {
    std::size_t ends = 0;
    for (const RankId rank : problem.communicating_ranks()) ends += problem.incident(rank).size();
    const double ends_per_rank =
        static_cast<double>(ends) / static_cast<double>(std::max<std::size_t>(problem.communicating_ranks().size(), 1));
    return 2 * 2 * ends_per_rank * std::max(mean_distance(problem.network()), 1.0);
}

/// Nanoseconds per evaluation: `fixed`, plus `per_passage` for each link traversal. Measured on 96 nodes with CG,
/// stencils of 7 and 27 points, FFT, Bruck's and pairwise all-to-all and a dense matrix. Three of them were also
/// measured on 4,096 nodes. Accurate within a factor of two.
struct EvaluationCost {
    double fixed = 0;
    double per_passage = 0;
};

EvaluationCost cost_of(std::string_view objective, const Problem& problem) {
    if (objective == "hop-bytes") return {.fixed = 200, .per_passage = 0.5};
    if (objective == "predicted-time") return {.fixed = 1000, .per_passage = 110};
    const bool is_sliced = objective == "tac3" && SlicedCollisions::suits(problem, Counted::kPerSet);
    return is_sliced ? EvaluationCost{.fixed = 200, .per_passage = 3} : EvaluationCost{.fixed = 500, .per_passage = 18};
}

}  // namespace

AutoBudget::AutoBudget(const Problem& problem, std::size_t trials, std::optional<double> time_limit)
    : problem_(&problem), all_parts_(static_cast<double>(trials) * kPartsPerObjective) {
    constexpr double kLeast = 10;
    constexpr double kAtLarge = 60;
    constexpr double kLarge = 4096;
    seconds_ = std::max(kLeast, kAtLarge * std::sqrt(static_cast<double>(problem.rank_count()) / kLarge));
    seconds_ = std::min(seconds_, time_limit.value_or(seconds_));
}

double AutoBudget::evaluation_seconds(std::string_view objective) const {
    constexpr double kNanosecond = 1e-9;
    const EvaluationCost cost = cost_of(objective, *problem_);
    return (cost.fixed + cost.per_passage * changed_passages(*problem_)) * kNanosecond;
}

SearchOptions AutoBudget::effort(std::string_view objective, const SearchOptions& asked, double parts) const {
    SearchOptions options = asked;
    options.restarts = asked.restarts > 0 ? std::max(static_cast<std::int32_t>(asked.restarts * parts / all_parts_), 1)
                                          : (default_restarts(*problem_, asked.schedule) + kPartsPerObjective - 1) /
                                                kPartsPerObjective;
    if (asked.evaluations > 0 || asked.time_limit_seconds) return options;
    constexpr std::int64_t kFewest = 1000;
    const auto usual = static_cast<double>(default_evaluations(*problem_));
    const double affordable = seconds_ / 2 / all_parts_ * parts / evaluation_seconds(objective);
    if (asked.restarts == 0) {
        options.restarts = static_cast<std::int32_t>(std::clamp(affordable / usual, 1.0, double{1} * options.restarts));
    }
    options.evaluations =
        std::max(static_cast<std::int64_t>(std::min(usual * parts, affordable / options.restarts)), kFewest);
    return options;
}

}  // namespace haichi
