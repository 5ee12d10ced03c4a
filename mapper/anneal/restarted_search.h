#pragma once

#include <cmath>
#include <cstdint>

#include "base/thread_team.h"
#include "mapper/anneal/annealer.h"
#include "mapper/anneal/any_restarts.h"
#include "mapper/anneal/lane_annealer.h"

namespace haichi {

/// Mean size of the energy changes of a few proposals, without proposals that change nothing. Proposals start from the
/// objective's current mapping, and no move is applied. Called once per restart, and compiled for every objective.
template <SearchObjective O>
[[gnu::cold, gnu::noinline]] double mean_change(O& objective, const Proposer& proposer, const Mapping& mapping,
                                                double smoothing, Random random) {
    constexpr int kDraws = 500;
    double sum = 0;
    int count = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        const Move move = proposer.propose(mapping, proposer.all_ranks({}), random);
        if (move.empty()) continue;
        const Change change = objective.propose(mapping, move);
        objective.rollback();
        const double energy = change.value + smoothing * change.smoothing;
        if (energy == 0) continue;
        sum += std::abs(energy);
        ++count;
    }
    return count > 0 ? sum / count : 1;
}

/// The mix of moves that suits the objective. Sums over sets depend only on the most loaded links of every set; sums of
/// hops depend on every message.
template <SearchObjective O>
constexpr MovesOfLarge moves_of_large() {
    if constexpr (requires { O::kHotRanksAreFew; }) {
        if (O::kHotRanksAreFew) return MovesOfLarge::kFocused;
    }
    return O::kInfo.is_quadratic_assignment ? MovesOfLarge::kSteps : MovesOfLarge::kMixed;
}

/// All restarts of one search.
template <SearchObjective O>
class RestartedSearch final : public AnyRestarts {
  public:
    RestartedSearch(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement,
                    const StartOfRestart& start, const SearchOptions& options, const SearchControl& control)
        : AnyRestarts({O::kInfo.name, moves_of_large<O>(), SplitObjective<O>, !spec.then.empty()}, problem, start,
                      options, control),
          spec_(spec),
          default_placement_(default_placement) {}

    SearchResult run() {
        SearchResult found = run_restarts();
        const O objective(problem_, spec_, default_placement_);
        found.value = objective.in_unit(winner_value_);
        if (const auto bound = objective.lower_bound()) found.lower_bound = objective.in_unit(*bound);
        return found;
    }

  private:
    void run_restart(std::int32_t restart) override {
        O objective(problem_, spec_, default_placement_);
        const Mapping start = tied_start() ? *tied_start() : start_(restart);
        const Random random(options_.seed, static_cast<std::uint64_t>(restart) + 1);
        objective.reset(start);
        const Proposer& proposer = proposer_of(restart);
        const Cooling cooling =
            plan_cooling(proposer, [&] { return mean_change(objective, proposer, start, smoothing_weight(), random); });
        const AnnealState state(start, random, cooling);
        if constexpr (SplitObjective<O>) {
            if (shares_.in_rounds) {
                ThreadTeam team(shares_.threads_of_restart);
                LaneAnnealer<O> annealer(problem_, objective, proposer, options_.verify, state, team);
                return run_restart(restart, annealer, objective);
            }
        }
        Annealer<O> annealer(problem_, objective, proposer, smoothing_weight(), options_.verify, state);
        run_restart(restart, annealer, objective);
    }

    void run_restart(std::int32_t restart, AnnealRun<O>& run, const O& objective) {
        std::optional<double> bound_in_unit;
        if (const auto bound = objective.lower_bound()) bound_in_unit = objective.in_unit(*bound);
        anneal(restart, run, bound_in_unit);
        if (is_scout(restart) && !run.at_bound() && is_first_proven(run, objective)) note_proven_first();
        keep_if_best(restart, run);
        report_done(run);
    }

    /// Whether the value of the first objective has reached its lower bound.
    static bool is_first_proven(const AnnealRun<O>& run, const O& objective) {
        if constexpr (requires { run.best_value().then; }) {
            const auto bound = objective.lower_bound();
            return bound && !(bound->first < run.best_value().first);
        } else {
            return false;
        }
    }

    void keep_scouts() override {
        winner_ = scout_;
        winner_value_ = scout_value_;
    }

    /// Keeps the restart if it is the best so far. A discarded restart never wins, because an earlier restart has the
    /// smallest possible value.
    void keep_if_best(std::int32_t restart, const AnnealRun<O>& run) {
        const std::scoped_lock lock(winner_mutex_);
        keep_if_best(restart, run, winner_, winner_value_);
        if (is_scout(restart)) keep_if_best(restart, run, scout_, scout_value_);
    }
    static void keep_if_best(std::int32_t restart, const AnnealRun<O>& run, Winner& best,
                             typename O::Value& best_value) {
        const auto value = run.best_value();
        const bool wins = best.restart < 0 || value < best_value || (!(best_value < value) && restart < best.restart);
        if (!wins) return;
        best = {restart, run.at_bound(), run.best(), run.state().convergence};
        best_value = value;
    }

    const ObjectiveSpec& spec_;
    const Mapping& default_placement_;
    typename O::Value winner_value_{};
    Winner scout_;  ///< the best of the scouts
    typename O::Value scout_value_{};
};

}  // namespace haichi
