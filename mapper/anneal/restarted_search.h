#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "base/thread_team.h"
#include "mapper/anneal/annealer.h"
#include "mapper/anneal/defaults.h"
#include "mapper/anneal/lane_annealer.h"
#include "mapper/search/progress_meter.h"
#include "mapper/search/search_result.h"

namespace haichi {

/// What every restart leaves behind; only the best mapping is kept.
struct RestartTally {
    bool begun = false;
    bool complete = false;
    std::int64_t evaluations = 0;
    double loop_seconds = 0;
    double value = 0;  ///< the best, unit of the objective
    std::optional<Cooling::Window> temperatures{};
    std::vector<Cooling::PilotLevel> pilot{};  ///< only for a log that wants it
};

/// The smallest (value, restart index) so far.
template <class Value>
struct Winner {
    std::int32_t restart = -1;
    Value value{};
    bool at_bound = false;
    Mapping mapping;
    Convergence convergence;
};

/// Mean size of the energy changes of a few proposals that change it, from the objective's current mapping; none is
/// made.
template <SearchObjective O>
double mean_change(O& objective, const Proposer& proposer, const Mapping& mapping, double companion, Random random) {
    constexpr int kDraws = 500;
    double sum = 0;
    int count = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        const Move move = proposer.propose(mapping, proposer.all_ranks({}), random);
        if (move.empty()) continue;
        const Change change = objective.propose(mapping, move);
        objective.rollback();
        const double energy = change.value + companion * change.companion;
        if (energy == 0) continue;
        sum += std::abs(energy);
        ++count;
    }
    return count > 0 ? sum / count : 1;
}

/// Sums over sets count only the worst links of every set; sums of hops every message.
template <SearchObjective O>
constexpr MovesOfLarge moves_of_large() {
    if constexpr (requires { O::kHotRanksAreFew; }) {
        if (O::kHotRanksAreFew) return MovesOfLarge::kFocused;
    }
    return O::kInfo.is_quadratic_assignment ? MovesOfLarge::kSteps : MovesOfLarge::kMixed;
}

/// All restarts of one search.
template <SearchObjective O>
class RestartedSearch {
  public:
    RestartedSearch(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement,
                    const StartOfRestart& start, const SearchOptions& options, const SearchControl& control)
        : problem_(problem),
          spec_(spec),
          default_placement_(default_placement),
          start_(start),
          options_(options),
          control_(control),
          restarts_(options.restarts > 0 ? options.restarts : default_restarts(problem, options.schedule)),
          shares_(share_threads(problem, options, restarts_)),
          proposers_{Proposer(problem, options.moves, moves_of_large<O>(), 0),
                     Proposer(problem, options.moves, moves_of_large<O>(), 1)},
          meter_(control, O::kInfo.name, restarts_, options.time_limit_seconds.has_value()),
          first_at_bound_(restarts_),
          tallies_(static_cast<std::size_t>(restarts_)) {}

    SearchResult run() {
        control_.log.info("annealing: {} restarts on {} threads, seed {}; restart k of 1 to {} draws from stream k",
                          restarts_, shares_.restarts * shares_.threads_of_restart, options_.seed, restarts_);
        std::exception_ptr failure;
        std::mutex failure_mutex;
#pragma omp parallel for num_threads(shares_.restarts) schedule(dynamic, 1)
        for (std::int32_t restart = 0; restart < restarts_; ++restart) {
            try {
                if (restart < first_at_bound_.load() && (restart == 0 || !stopped())) run_restart(restart);
            } catch (...) {
                const std::scoped_lock lock(failure_mutex);
                if (!failure) failure = std::current_exception();
                first_at_bound_ = -1;  // the others may end
            }
        }
        if (failure) std::rethrow_exception(failure);
        return sum_up();
    }

  private:
    [[nodiscard]] bool stopped() const { return control_.stop != nullptr && control_.stop->load(); }

    /// How threads are shared out; results depend neither on this nor on their number.
    struct ThreadShares {
        std::int32_t restarts = 1;  ///< at a time
        std::int32_t threads_of_restart = 1;
        bool in_rounds = false;  ///< several threads could work on a restart
    };
    static ThreadShares share_threads(const Problem& problem, const SearchOptions& options, std::int32_t restarts) {
        const std::int32_t threads = options.threads > 0 ? options.threads : omp_get_max_threads();
        if (!SplitObjective<O> || !restarts_are_shared(problem, options.schedule)) {
            return {.restarts = std::clamp(threads, 1, restarts)};
        }
        // Restarts of their own need no waiting for others.
        if (restarts >= threads) return {.restarts = threads, .in_rounds = true};
        return {.threads_of_restart = threads, .in_rounds = true};
    }

    void run_restart(std::int32_t restart) {
        O objective(problem_, spec_, default_placement_);
        const Mapping start = start_(restart);
        const double companion = options_.companion_weight.value_or(kDefaultCompanionWeight);
        const Random random(options_.seed, static_cast<std::uint64_t>(restart) + 1);
        objective.reset(start);
        const Proposer& proposer = proposer_of(restart);
        const Cooling cooling = plan_cooling(objective, start, companion, random, proposer);
        const AnnealState state(start, random, cooling);
        if constexpr (SplitObjective<O>) {
            if (shares_.in_rounds) {
                ThreadTeam team(shares_.threads_of_restart);
                LaneAnnealer<O> annealer(problem_, objective, proposer, options_.verify, state, team);
                return run_restart(restart, annealer, objective);
            }
        }
        Annealer<O> annealer(problem_, objective, proposer, companion, options_.verify, state);
        run_restart(restart, annealer, objective);
    }

    template <class AnnealerOfO>
    void run_restart(std::int32_t restart, AnnealerOfO& annealer, const O& objective) {
        auto& tally = tallies_[static_cast<std::size_t>(restart)];
        tally.begun = true;
        if (const auto bound = objective.lower_bound()) meter_.set_bound(objective.in_unit(*bound));
        const auto loop_start = std::chrono::steady_clock::now();
        tally.complete = !proposer_of(restart).can_move() || anneal(annealer, objective, restart);
        tally.loop_seconds = seconds_since(loop_start) * shares_.threads_of_restart;
        tally.evaluations = annealer.state().evaluations;
        tally.value = objective.in_unit(annealer.best_value());
        tally.temperatures = annealer.state().cooling.window();
        if (control_.log.enabled(LogLevel::kTrace)) tally.pilot = annealer.state().cooling.pilot();
        if (options_.verify != VerifyLevel::kOff) annealer.verify();
        if (annealer.at_bound() && tally.complete) {
            std::int32_t first = first_at_bound_.load();
            while (restart < first && !first_at_bound_.compare_exchange_weak(first, restart)) {
            }
        }
        keep_if_best(restart, annealer);
        meter_.report(1, time_fraction(), objective.in_unit(annealer.best_value()), true,
                      [&] { return annealer.best(); });
    }

    /// Restarts take turns.
    [[nodiscard]] const Proposer& proposer_of(std::int32_t restart) const {
        return proposers_[static_cast<std::size_t>(restart % 2)];
    }

    /// A restart that is discarded never wins: it is above one with the smallest value there can be.
    void keep_if_best(std::int32_t restart, const AnnealRun<O>& annealer) {
        const std::scoped_lock lock(winner_mutex_);
        const auto value = annealer.best_value();
        const bool wins =
            winner_.restart < 0 || value < winner_.value || (!(winner_.value < value) && restart < winner_.restart);
        if (wins) winner_ = {restart, value, annealer.at_bound(), annealer.best(), annealer.state().convergence};
    }

    Cooling plan_cooling(O& objective, const Mapping& start, double companion, const Random& random,
                         const Proposer& proposer) {
        if (options_.schedule == ScheduleKind::kPaper) return Cooling::paper(options_.evaluations);
        if (options_.schedule == ScheduleKind::kRmatt) {
            return Cooling::rmatt(options_.evaluations > 0 ? options_.evaluations : kRmattWindow);
        }
        const std::int64_t evaluations =
            options_.evaluations > 0 ? options_.evaluations : default_evaluations(problem_);
        double spread = 1;
        if (proposer.can_move()) spread = mean_change(objective, proposer, start, companion, random);
        const std::size_t ranks = proposer.steps_to_partners() ? problem_.communicating_ranks().size() : 0;
        return Cooling::automatic(spread, evaluations, static_cast<std::int64_t>(ranks));
    }

    /// True when the restart was not cut short.
    template <class AnnealerOfO>
    bool anneal(AnnealerOfO& annealer, const O& objective, std::int32_t restart) {
        if (options_.time_limit_seconds) return anneal_for_time(annealer, objective, restart);
        if (options_.schedule == ScheduleKind::kRmatt) return anneal_by_windows(annealer, objective, restart);
        return anneal_to(annealer, objective, restart, annealer.state().cooling.evaluations());
    }

    template <class AnnealerOfO>
    static std::int64_t whole_rounds(std::int64_t evaluations, const AnnealerOfO& annealer) {
        const std::int64_t round = annealer.round_size();
        return (evaluations + round - 1) / round * round;
    }

    template <class AnnealerOfO>
    void run_burst(AnnealerOfO& annealer, std::int64_t end) {
        const std::int64_t begin = annealer.state().evaluations;
        annealer.run_until(end);
        meter_.count(annealer.state().evaluations - begin);
    }

    /// The bursts only bound the time between two looks at the stop flag.
    template <class AnnealerOfO>
    bool anneal_to(AnnealerOfO& annealer, const O& objective, std::int32_t restart, std::int64_t all) {
        const std::int64_t burst = whole_rounds(options_.verify == VerifyLevel::kStep ? 16 : 2048, annealer);
        while (annealer.state().evaluations < all && !annealer.finished()) {
            if (stopped() || first_at_bound_.load() < restart) return false;
            run_burst(annealer, std::min(all, annealer.state().evaluations + burst));
            meter_.report(static_cast<double>(annealer.state().evaluations) / static_cast<double>(all), 0,
                          objective.in_unit(annealer.best_value()), false, [&] { return annealer.best(); });
        }
        return true;
    }

    /// The RMATT tool's rule: ends when the objective has changed by at most a tenth over a window.
    template <class AnnealerOfO>
    bool anneal_by_windows(AnnealerOfO& annealer, const O& objective, std::int32_t restart) {
        constexpr double kLeastChange = 0.1;
        const std::int64_t window = annealer.state().cooling.evaluations();
        while (!annealer.finished()) {
            const double before = objective.in_unit(annealer.best_value());
            if (!anneal_to(annealer, objective, restart, annealer.state().evaluations + window)) return false;
            if (before - objective.in_unit(annealer.best_value()) <= kLeastChange * before) break;
        }
        return true;
    }

    /// Gives each restart its share of the time; the temperature follows the clock.
    template <class AnnealerOfO>
    bool anneal_for_time(AnnealerOfO& annealer, const O& objective, std::int32_t restart) {
        const double limit = *options_.time_limit_seconds;
        const std::int32_t rounds = (restarts_ + shares_.restarts - 1) / shares_.restarts;
        const double now = seconds_since(search_start_);
        const double mine = std::max(limit - now, 0.0) / std::max(rounds - restart / shares_.restarts, 1);
        const std::int64_t burst = whole_rounds(512, annealer);
        while (!annealer.finished()) {
            const double fraction = (seconds_since(search_start_) - now) / std::max(mine, 1e-9);
            if (fraction >= 1) break;
            if (stopped() || first_at_bound_.load() < restart) return false;
            annealer.cool_to(fraction);
            run_burst(annealer, annealer.state().evaluations + burst);
            meter_.report(fraction, time_fraction(), objective.in_unit(annealer.best_value()), false,
                          [&] { return annealer.best(); });
        }
        return true;
    }

    [[nodiscard]] double time_fraction() const {
        const double limit = options_.time_limit_seconds.value_or(0);
        return limit > 0 ? std::min(1.0, seconds_since(search_start_) / limit) : 0;
    }

    SearchResult sum_up() {
        SearchResult found;
        const std::int32_t last = std::min(first_at_bound_.load(), restarts_ - 1);
        for (std::int32_t restart = 0; restart <= last; ++restart) {
            const RestartTally& tally = tallies_[static_cast<std::size_t>(restart)];
            if (!tally.complete) found.interrupted = true;
            if (!tally.begun) continue;
            found.evaluations += tally.evaluations;
            found.loop_seconds += tally.loop_seconds;
            log_restart(restart, tally);
        }
        if (winner_.restart >= 0) {
            control_.log.info("annealing: the best is that of restart {}{}", winner_.restart + 1,
                              winner_.at_bound ? ", at the lower bound" : "");
        }
        const O objective(problem_, spec_, default_placement_);
        found.mapping = std::move(winner_.mapping);
        found.convergence = winner_.convergence.points();
        found.value = objective.in_unit(winner_.value);
        if (const auto bound = objective.lower_bound()) found.lower_bound = objective.in_unit(*bound);
        found.optimal = winner_.at_bound;
        return found;
    }

    /// Told when all have ended, in their order, so that the log does not depend on threads.
    void log_restart(std::int32_t restart, const RestartTally& tally) const {
        if (!control_.log.enabled(LogLevel::kDebug)) return;
        std::string temperatures = "as the schedule says";
        if (tally.temperatures) {
            temperatures = fmt::format("{:.4g} to {:.4g} {}{}", tally.temperatures->first, tally.temperatures->last,
                                       tally.temperatures->is_from_pilot ? "from the pilot" : "without a pilot",
                                       tally.temperatures->is_loosened ? ", which found the start good" : "");
        }
        control_.log.debug("restart {}: {} {} after {} evaluations{}; temperatures {}", restart + 1, O::kInfo.name,
                           tally.value, tally.evaluations, tally.complete ? "" : ", cut short", temperatures);
        for (const Cooling::PilotLevel& level : tally.pilot) {
            control_.log.trace("restart {}: pilot at temperature {:.4g}, energy {:.4g} against the start", restart + 1,
                               level.temperature, level.energy);
        }
    }

    /// Small against the objective's own steps (one message), large enough to show the way on plateaus.
    static constexpr double kDefaultCompanionWeight = 0.1;

    /// The tool's window is 10 minutes; the paper made 492,500 evaluations of this objective in 257 s.
    static constexpr std::int64_t kRmattWindow = 1'150'000;

    const Problem& problem_;
    const ObjectiveSpec& spec_;
    const Mapping& default_placement_;
    const StartOfRestart& start_;
    const SearchOptions& options_;
    const SearchControl& control_;
    std::int32_t restarts_;
    ThreadShares shares_;
    std::array<Proposer, 2> proposers_;
    ProgressMeter meter_;
    std::chrono::steady_clock::time_point search_start_ = std::chrono::steady_clock::now();
    std::atomic<std::int32_t> first_at_bound_;
    std::vector<RestartTally> tallies_;
    std::mutex winner_mutex_;
    Winner<typename O::Value> winner_;
};

}  // namespace haichi
