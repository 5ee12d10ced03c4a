#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "mapper/anneal/anneal_run.h"
#include "mapper/search/progress_meter.h"
#include "mapper/search/search_result.h"

namespace haichi {

/// The record of one restart, without its placement.
struct RestartTally {
    bool begun = false;
    bool complete = false;
    std::int64_t evaluations = 0;
    double loop_seconds = 0;
    double value = 0;  ///< best value, in the unit of the objective
    std::optional<Cooling::Window> temperatures{};
    std::vector<Cooling::PilotLevel> pilot{};  ///< only if the log level includes the pilot
};

/// The properties of the objective that a search's restarts use.
struct SearchedObjective {
    std::string_view name;
    MovesOfLarge moves_of_large{};
    bool is_split = false;  ///< whether several threads can work on one restart (SplitObjective)
    bool has_ties = false;  ///< whether other objectives decide among placements with equal values
};

/// The restarts of one search, with the objective's type hidden: threads, schedule, progress and log. This class is
/// compiled once. RestartedSearch is compiled for each objective.
class AnyRestarts {
  public:
    AnyRestarts(const SearchedObjective& objective, const Problem& problem, const StartOfRestart& start,
                const SearchOptions& options, const SearchControl& control);
    virtual ~AnyRestarts() = default;
    AnyRestarts(const AnyRestarts&) = delete;
    AnyRestarts& operator=(const AnyRestarts&) = delete;

  protected:
    /// The distribution of threads. Results depend neither on it nor on the number of threads.
    struct ThreadShares {
        std::int32_t restarts = 1;  ///< concurrent restarts
        std::int32_t threads_of_restart = 1;
        bool in_rounds = false;  ///< whether several threads could work on a restart
    };
    /// The best restart so far: the one with the smallest (value, restart index). RestartedSearch stores the value,
    /// which has the objective's type.
    struct Winner {
        std::int32_t restart = -1;
        bool at_bound = false;
        Mapping mapping;
        Convergence convergence;
    };

    virtual void run_restart(std::int32_t restart) = 0;
    /// Makes the best scout the winner after all scouts have ended.
    virtual void keep_scouts() = 0;

    /// The caller adds the value and the bound to the result.
    SearchResult run_restarts();

    /// Anneals until the schedule ends, and records the restart.
    void anneal(std::int32_t restart, AnyAnnealRun& run, std::optional<double> bound_in_unit);
    /// Must be called after the restart has been compared with the winner.
    void report_done(const AnyAnnealRun& run);

    /// Calls `mean_change` if the schedule needs the mean change.
    [[nodiscard]] Cooling plan_cooling(const Proposer& proposer, const std::function<double()>& mean_change) const;

    /// Restarts alternate between the two proposers. Restarts that finish ties use another one.
    [[nodiscard]] const Proposer& proposer_of(std::int32_t restart) const {
        return tied_start_ ? finisher_ : proposers_[static_cast<std::size_t>(restart % 2)];
    }

    // ---- Ties. Scouts are the first restarts. If a scout proves that its value of the first objective is minimal,
    // only the tie-breaking objectives can improve. The other restarts then begin from the best placement so far, in
    // two consecutive groups. The decision depends only on the scouts, so it does not depend on threads.

    [[nodiscard]] bool is_scout(std::int32_t restart) const { return has_ties_ && restart < kScouts; }
    void note_proven_first() { first_is_proven_ = true; }
    /// The first placement of the restarts that finish ties.
    [[nodiscard]] const std::optional<Mapping>& tied_start() const { return tied_start_; }
    [[nodiscard]] double smoothing_weight() const;

    const Problem& problem_;
    const StartOfRestart& start_;
    const SearchOptions& options_;
    ThreadShares shares_;
    std::mutex winner_mutex_;
    Winner winner_;

  private:
    static constexpr std::int32_t kScouts = 2;

    /// Runs the restarts [first, last).
    void run_between(std::int32_t first, std::int32_t last);
    void finish_ties();
    [[nodiscard]] bool stopped() const { return control_.stop != nullptr && control_.stop->load(); }
    /// True if the user stopped the search, if an earlier restart has reached the bound, or if the restart will begin
    /// anew to finish ties.
    [[nodiscard]] bool is_cut(std::int32_t restart) const {
        const bool begins_anew = first_is_proven_.load() && !tied_start_ && !is_scout(restart);
        return stopped() || first_at_bound_.load() < restart || begins_anew;
    }

    // These functions return true if the restart was not cut short.
    bool anneal_as_planned(std::int32_t restart, AnyAnnealRun& run);
    bool anneal_to(std::int32_t restart, AnyAnnealRun& run, std::int64_t all);
    bool anneal_by_windows(std::int32_t restart, AnyAnnealRun& run);
    bool anneal_for_time(std::int32_t restart, AnyAnnealRun& run);

    class Burst;
    /// Runs one burst, up to `all` evaluations of the run in total.
    void run_burst(AnyAnnealRun& run, Burst& burst, std::int64_t all);
    [[nodiscard]] double time_fraction() const;
    SearchResult sum_up();
    void log_restart(std::int32_t restart, const RestartTally& tally) const;

    SearchedObjective objective_;
    const SearchControl& control_;
    std::int32_t restarts_;
    bool has_ties_;
    std::array<Proposer, 2> proposers_;
    Proposer finisher_;
    std::optional<Mapping> tied_start_;
    std::atomic<bool> first_is_proven_{false};
    ProgressMeter meter_;
    std::chrono::steady_clock::time_point search_start_ = std::chrono::steady_clock::now();
    std::atomic<std::int32_t> first_at_bound_;
    std::vector<RestartTally> tallies_;
};

}  // namespace haichi
