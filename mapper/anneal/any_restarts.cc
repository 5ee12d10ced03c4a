#include "mapper/anneal/any_restarts.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "base/usable_threads.h"
#include "mapper/anneal/defaults.h"

namespace haichi {

namespace {

std::int64_t whole_rounds(std::int64_t evaluations, const AnyAnnealRun& run) {
    const std::int64_t round = run.round_size();
    return (evaluations + round - 1) / round * round;
}

/// The tie-breaking objectives count hops, for which moves of the kind `step` work well. Machines without coordinates
/// offer few such moves.
std::vector<MoveKind> moves_that_finish_ties(const Problem& problem, const SearchOptions& options) {
    if (!options.moves.empty() || problem.network().coordinates() == nullptr) return options.moves;
    return {MoveKind::kStep, MoveKind::kNeighbour};
}

}  // namespace

/// Adapts the number of evaluations between two polls of the stop flag and the clock to about a tenth of a second. A
/// few evaluations may take that long if a rank has tens of thousands of partners.
class AnyRestarts::Burst {
  public:
    Burst(std::int64_t most, const AnyAnnealRun& run)
        : round_(run.round_size()),
          most_(whole_rounds(most, run)),
          length_(whole_rounds(std::min(most, kFirst), run)) {}

    [[nodiscard]] std::int64_t length() const { return length_; }
    void took(double seconds) {
        constexpr double kLongest = 0.1;
        if (seconds > kLongest) {
            length_ = std::max(length_ / 2 / round_ * round_, round_);
        } else if (seconds < kLongest / 4) {
            length_ = std::min(2 * length_, most_);
        }
    }

  private:
    static constexpr std::int64_t kFirst = 16;
    std::int64_t round_;
    std::int64_t most_;
    std::int64_t length_;
};

AnyRestarts::AnyRestarts(const SearchedObjective& objective, const Problem& problem, const StartOfRestart& start,
                         const SearchOptions& options, const SearchControl& control)
    : problem_(problem),
      start_(start),
      options_(options),
      objective_(objective),
      control_(control),
      restarts_(options.restarts > 0 ? options.restarts : default_restarts(problem, options.schedule)),
      has_ties_(objective.has_ties && restarts_ > kScouts && options.schedule == ScheduleKind::kAuto &&
                !options.time_limit_seconds),
      proposers_{Proposer(problem, options.moves, objective.moves_of_large, 0),
                 Proposer(problem, options.moves, objective.moves_of_large, 1)},
      finisher_(problem, moves_that_finish_ties(problem, options)),
      meter_(control, objective.name, restarts_, options.time_limit_seconds.has_value()),
      first_at_bound_(restarts_),
      tallies_(static_cast<std::size_t>(restarts_)) {
    const std::int32_t threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (!objective.is_split || !restarts_are_shared(problem, options.schedule)) {
        shares_ = {.restarts = std::clamp(threads, 1, restarts_)};
    } else if (restarts_ >= threads) {  // independent restarts, which never wait for other threads
        shares_ = {.restarts = threads, .in_rounds = true};
    } else {
        shares_ = {.threads_of_restart = threads, .in_rounds = true};
    }
    (void)usable_threads(shares_.restarts * shares_.threads_of_restart);
}

SearchResult AnyRestarts::run_restarts() {
    control_.log.info("annealing: {} restarts on {} threads, seed {}; restart k of 1 to {} uses random stream k",
                      restarts_, shares_.restarts * shares_.threads_of_restart, options_.seed, restarts_);
    run_between(0, restarts_);
    if (first_is_proven_ && first_at_bound_ >= kScouts) finish_ties();
    return sum_up();
}

void AnyRestarts::finish_ties() {
    keep_scouts();
    std::fill(tallies_.begin() + kScouts, tallies_.end(), RestartTally{});
    first_at_bound_ = restarts_;
    const std::int32_t middle = kScouts + (restarts_ - kScouts + 1) / 2;
    control_.log.info("annealing: the first value is minimal, and restarts {} to {} improve the others", kScouts + 1,
                      restarts_);
    for (const auto& [first, last] : {std::pair{kScouts, middle}, std::pair{middle, restarts_}}) {
        tied_start_ = winner_.mapping;
        run_between(first, last);
    }
}

void AnyRestarts::run_between(std::int32_t first, std::int32_t last) {
    std::exception_ptr failure;
    std::mutex failure_mutex;
#pragma omp parallel for num_threads(shares_.restarts) schedule(dynamic, 1)
    for (std::int32_t restart = first; restart < last; ++restart) {
        try {
            const bool begins = restart == 0 || !is_cut(restart);
            if (restart < first_at_bound_.load() && begins) run_restart(restart);
        } catch (...) {
            const std::scoped_lock lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            first_at_bound_ = -1;  // restarts that finish ties may begin
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void AnyRestarts::anneal(std::int32_t restart, AnyAnnealRun& run, std::optional<double> bound_in_unit) {
    auto& tally = tallies_[static_cast<std::size_t>(restart)];
    tally.begun = true;
    if (bound_in_unit) meter_.set_bound(bound_in_unit);
    const auto loop_start = std::chrono::steady_clock::now();
    tally.complete = !proposer_of(restart).can_move() || anneal_as_planned(restart, run);
    tally.loop_seconds = seconds_since(loop_start) * shares_.threads_of_restart;
    tally.evaluations = run.state().evaluations;
    tally.value = run.best_in_unit();
    tally.temperatures = run.state().cooling.window();
    if (control_.log.enabled(LogLevel::kTrace)) tally.pilot = run.state().cooling.pilot();
    if (options_.verify != VerifyLevel::kOff) run.verify();
    if (run.at_bound() && tally.complete) {
        std::int32_t first = first_at_bound_.load();
        while (restart < first && !first_at_bound_.compare_exchange_weak(first, restart)) {
        }
    }
}

void AnyRestarts::report_done(const AnyAnnealRun& run) {
    meter_.report(1, time_fraction(), run.best_in_unit(), true, [&] { return run.best(); });
}

Cooling AnyRestarts::plan_cooling(const Proposer& proposer, const std::function<double()>& mean_change) const {
    // The RMATT tool stops after a window of 10 minutes without enough change. Its paper reports 492,500 evaluations of
    // this objective in 257 s.
    constexpr std::int64_t kRmattWindow = 1'150'000;
    if (options_.schedule == ScheduleKind::kPaper) return Cooling::paper(options_.evaluations);
    if (options_.schedule == ScheduleKind::kRmatt) {
        return Cooling::rmatt(options_.evaluations > 0 ? options_.evaluations : kRmattWindow);
    }
    const std::int64_t evaluations = options_.evaluations > 0 ? options_.evaluations : default_evaluations(problem_);
    const double spread = proposer.can_move() ? mean_change() : 1;
    const std::size_t ranks = proposer.steps_to_partners() ? problem_.communicating_ranks().size() : 0;
    return Cooling::automatic(spread, evaluations, static_cast<std::int64_t>(ranks));
}

double AnyRestarts::smoothing_weight() const {
    // The weight is small compared with the steps of the objective (one message), but large enough to guide the search
    // on plateaus. Moves that keep a minimal value are rare, so a search for such placements needs more guidance.
    constexpr double kDefault = 0.1;
    constexpr double kWithMinimum = 0.5;
    return options_.smoothing_weight.value_or(tied_start_ ? kWithMinimum : kDefault);
}

bool AnyRestarts::anneal_as_planned(std::int32_t restart, AnyAnnealRun& run) {
    if (options_.time_limit_seconds) return anneal_for_time(restart, run);
    if (options_.schedule == ScheduleKind::kRmatt) return anneal_by_windows(restart, run);
    return anneal_to(restart, run, run.state().cooling.evaluations());
}

/// Anneals in bursts, which only limit the time between two polls of the stop flag.
bool AnyRestarts::anneal_to(std::int32_t restart, AnyAnnealRun& run, std::int64_t all) {
    Burst burst(options_.verify == VerifyLevel::kStep ? 16 : 2048, run);
    while (run.state().evaluations < all && !run.finished()) {
        if (is_cut(restart)) return false;
        run_burst(run, burst, all);
        meter_.report(static_cast<double>(run.state().evaluations) / static_cast<double>(all), 0, run.best_in_unit(),
                      false, [&] { return run.best(); });
    }
    return true;
}

/// Applies the stop rule of the RMATT tool: the run ends when the objective has changed by at most a tenth over a
/// window.
bool AnyRestarts::anneal_by_windows(std::int32_t restart, AnyAnnealRun& run) {
    constexpr double kLeastChange = 0.1;
    const std::int64_t window = run.state().cooling.evaluations();
    while (!run.finished()) {
        const double before = run.best_in_unit();
        if (!anneal_to(restart, run, run.state().evaluations + window)) return false;
        if (before - run.best_in_unit() <= kLeastChange * before) break;
    }
    return true;
}

/// Anneals for the fraction of the time limit that a restart gets. The temperature follows the clock.
bool AnyRestarts::anneal_for_time(std::int32_t restart, AnyAnnealRun& run) {
    const double limit = *options_.time_limit_seconds;
    const std::int32_t rounds = (restarts_ + shares_.restarts - 1) / shares_.restarts;
    const double now = seconds_since(search_start_);
    const double mine = std::max(limit - now, 0.0) / std::max(rounds - restart / shares_.restarts, 1);
    Burst burst(512, run);
    while (!run.finished()) {
        const double fraction = (seconds_since(search_start_) - now) / std::max(mine, 1e-9);
        if (fraction >= 1) break;
        if (is_cut(restart)) return false;
        run.cool_to(fraction);
        run_burst(run, burst, std::numeric_limits<std::int64_t>::max());
        meter_.report(fraction, time_fraction(), run.best_in_unit(), false, [&] { return run.best(); });
    }
    return true;
}

void AnyRestarts::run_burst(AnyAnnealRun& run, Burst& burst, std::int64_t all) {
    const std::int64_t begin = run.state().evaluations;
    const auto start = std::chrono::steady_clock::now();
    run.run_until(std::min(all, begin + burst.length()));
    burst.took(seconds_since(start));
    meter_.count(run.state().evaluations - begin);
}

double AnyRestarts::time_fraction() const {
    const double limit = options_.time_limit_seconds.value_or(0);
    return limit > 0 ? std::min(1.0, seconds_since(search_start_) / limit) : 0;
}

SearchResult AnyRestarts::sum_up() {
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
        control_.log.info("annealing: restart {} has the best value{}", winner_.restart + 1,
                          winner_.at_bound ? ", at the lower bound" : "");
    }
    found.mapping = std::move(winner_.mapping);
    found.convergence = winner_.convergence.points();
    found.optimal = winner_.at_bound;
    return found;
}

/// Called in the order of the restarts after all have ended, so that the log does not depend on threads.
void AnyRestarts::log_restart(std::int32_t restart, const RestartTally& tally) const {
    if (!control_.log.enabled(LogLevel::kDebug)) return;
    std::string temperatures = "from the schedule";
    if (tally.temperatures) {
        temperatures = fmt::format("{:.4g} to {:.4g} {}{}", tally.temperatures->first, tally.temperatures->last,
                                   tally.temperatures->is_from_pilot ? "from the pilot" : "without a pilot",
                                   tally.temperatures->is_loosened ? ", with a good start" : "");
    }
    control_.log.debug("restart {}: {} {} after {} evaluations{}; temperatures {}", restart + 1, objective_.name,
                       tally.value, tally.evaluations, tally.complete ? "" : ", cut short", temperatures);
    for (const Cooling::PilotLevel& level : tally.pilot) {
        control_.log.trace("restart {}: pilot at temperature {:.4g}, energy {:.4g} relative to the start", restart + 1,
                           level.temperature, level.energy);
    }
}

}  // namespace haichi
