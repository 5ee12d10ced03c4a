#include "mapper/choose/map.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "mapper/anneal/defaults.h"
#include "mapper/choose/auto_budget.h"
#include "mapper/choose/auto_judge.h"
#include "mapper/job/posed_job.h"
#include "mapper/search/progress_meter.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

/// Jobs up to this size are searched from several seeds. For larger jobs, the time suffices for one search per
/// objective.
constexpr std::int32_t kManySeeds = 1024;
constexpr std::int32_t kSeeds = 3;

/// One placement of one objective.
struct Candidate {
    std::size_t trial = 0;
    Placement placement;
    std::optional<double> seconds{};  ///< set after the comparison
};

std::int32_t seeds_for(const Problem& problem) {
    return problem.communicating_ranks().size() <= kManySeeds ? kSeeds : 1;
}

/// One call of map() with an open objective.
class AutoRun {
  public:
    AutoRun(const Job& job, const MapOptions& options, const SearchControl& control,
            const SimulationControl& simulation)
        : job_(job),
          options_(options),
          seconds_gone_(options.search.seconds_gone),
          control_(control),
          simulation_(simulation),
          held_(job.problem(control.log)),
          suited_(suited_objectives(held_->problem)),
          seeds_(seeds_for(held_->problem)),
          budget_(held_->problem, suited_.size(), seeds_) {
        if (options.search.time_by_savings) {
            options_.search.time_limit_seconds = seconds_worth_searching(PosedJob(job, {}));
            options_.search.time_by_savings = false;
        }
        time_limit_seconds_ = options_.search.time_limit_seconds;
        options_.search.time_limit_seconds = time_left(options_.search);
        options_.search.seconds_gone = 0;
        budget_ = AutoBudget(held_->problem, suited_.size(), seeds_, options_.search.time_limit_seconds);
    }

    Placement run() {
        control_.log.info("auto: {} objectives, {} seeds, up to {:.0f} s of one core", suited_.size(), seeds_,
                          options_.search.time_limit_seconds.value_or(budget_.seconds()));
        search_and_judge();
        return chosen();
    }

  private:
    [[nodiscard]] bool is_stopped() const {
        return (control_.stop != nullptr && control_.stop->load()) || simulation_.is_stopped();
    }

    /// Compares the placements of the first seed before it searches with others. If none of them is a gain, also under
    /// load, other seeds of the same searches rarely find one: the default placement is kept.
    void search_and_judge() {
        for (const std::string& name : suited_) trials_.trials.push_back({.objective = name});
        AutoJudge judge(job_, budget_,
                        {.threads = options_.search.threads,
                         .may_go_on = [this] { return may_go_on(); },
                         .simulation = simulation_});
        search(0);
        timed([&] {
            judge_first(judge);
            if (seeds_ == 1 || trials_.default_seconds <= kAlike * least_seconds()) settle(judge);
        });
        if (seeds_ == 1 || (best_ != nullptr && trials_.keeps_default)) return;
        // Seed by seed, so that an interruption leaves comparable results.
        for (std::int32_t seed = 1; seed < seeds_ && may_go_on(); ++seed) search(seed);
        timed([&] {
            judge_further(judge);
            settle(judge);
        });
    }

    /// Times of the default placement and of others within this factor are alike: a run on a machine would not show the
    /// difference.
    static constexpr double kAlike = 1.02;

    [[nodiscard]] double least_seconds() const {
        double least = trials_.default_seconds;
        for (const Candidate& candidate : candidates_) least = std::min(least, candidate.seconds.value_or(least));
        return least;
    }

    void settle(const AutoJudge& judge) {
        trials_.loaded.reset();
        best_ = &best_by_mean();
        trials_.keeps_default = !is_gain(trials_.trials[best_->trial], trials_.default_seconds);
        judge_under_load(judge);
        state_full_times(judge);
    }

    /// States the gain of all iterations, which other commands state as well. It must still be a gain.
    void state_full_times(const AutoJudge& judge) {
        trials_.full.reset();
        if (trials_.keeps_default) return;
        const std::array<const Mapping*, 2> placements = {&job_.default_placement(), &best_->placement.mapping()};
        const auto seconds = judge.full_times(placements);
        if (!seconds) return;
        const ObjectiveTrial& trial = trials_.trials[best_->trial];
        const double spread = spread_seconds(trial).value_or(0) / trials_.default_seconds;
        const double share = 1 - seconds->back() / seconds->front();
        if (share >= kLeastGain && share > spread) {
            trials_.full = {.default_seconds = seconds->front(), .seconds = seconds->back()};
        } else {
            trials_.keeps_default = true;
        }
    }

    /// One search per objective.
    void search(std::int32_t seed) {
        const auto all = static_cast<std::int32_t>(suited_.size()) * seeds_;
        for (std::size_t trial = 0; trial < trials_.trials.size(); ++trial) {
            if (!candidates_.empty() && !may_go_on()) return;
            const auto done = static_cast<std::int32_t>(candidates_.size());
            control_.log.info("auto: {}, seed {} of {}", suited_[trial], seed + 1, seeds_);
            candidates_.push_back({trial, solve(job_, options_of(trial, seed, all - done), part(done, all))});
            const SearchRecord& found = *candidates_.back().placement.search();
            trials_.trials[trial].next = found.next;
            evaluations_ += found.evaluations;
        }
    }

    template <class Work>
    void timed(Work&& work) {
        const Clock::time_point begin = Clock::now();
        work();
        trials_.judging_seconds += seconds_since(begin);
    }

    [[nodiscard]] bool any_gain() const {
        return std::ranges::any_of(
            trials_.trials, [this](const ObjectiveTrial& trial) { return is_gain(trial, trials_.default_seconds); });
    }

    /// The search with predicted-time continues from the first objective's result for the seed, because its evaluations
    /// are more expensive.
    [[nodiscard]] MapOptions options_of(std::size_t trial, std::int32_t seed, std::int32_t left) const {
        const std::string& objective = trials_.trials[trial].objective;
        MapOptions options = options_;
        options.strategy = "anneal";  // tabu search, the default for hop-bytes on few nodes, takes ten times as long
        options.objective.name = objective;
        if (options.objective.then) std::erase(*options.objective.then, objective);
        options.search = budget_.effort(objective, options_.search);
        options.search.seed += static_cast<std::uint64_t>(seed);
        if (objective == kPredictor && !options.has_start() && trial > 0) {
            const auto nodes = candidates_[candidates_.size() - trial].placement.mapping().node_of_rank();
            options.start = std::vector<NodeId>(nodes.begin(), nodes.end());
            if (options_.search.restarts == 0) options.search.restarts = 1;
        }
        if (options_.search.time_limit_seconds) {
            constexpr double kLeast = 1e-3;
            const double gone = seconds_since(start_time_) - trials_.judging_seconds;
            options.search.time_limit_seconds =
                std::max((*options_.search.time_limit_seconds / 2 - gone) / left, kLeast);
        }
        return options;
    }

    /// Reports the progress of one search as a part of all searches.
    [[nodiscard]] SearchControl part(std::int32_t number, std::int32_t all) const {
        SearchControl control = control_;
        if (!control_.progress) return control;
        control.progress = [this, number, all](SearchProgress progress) {
            progress.fraction_done = (number + progress.fraction_done) / all;
            control_.progress(progress);
        };
        return control;
    }

    [[nodiscard]] bool may_go_on() {
        if (options_.checkpoint != nullptr) options_.checkpoint->tick();
        const bool is_late =
            options_.search.time_limit_seconds && seconds_since(start_time_) > *options_.search.time_limit_seconds;
        if (is_late) is_cut_short_ = true;
        return !is_late && !is_stopped();
    }

    void judge_first(AutoJudge& judge) {
        std::vector<const Mapping*> placements = {&job_.default_placement()};
        for (const Candidate& candidate : candidates_) placements.push_back(&candidate.placement.mapping());
        const AutoJudge::Times times = judge.first_times(placements, seeds_);
        trials_.judge = times.is_simulated ? "simulated" : "predicted";
        trials_.of_calls = times.of_calls;
        trials_.reason = times.reason;
        trials_.default_seconds = times.seconds.front();
        seeds_ = times.seeds;
        for (std::size_t k = 0; k < candidates_.size(); ++k) set_seconds(candidates_[k], times.seconds[k + 1]);
    }

    void judge_further(const AutoJudge& judge) {
        const auto is_new = [](const Candidate& candidate) { return !candidate.seconds; };
        const auto first = std::ranges::find_if(candidates_, is_new);
        std::vector<const Mapping*> placements;
        for (auto at = first; at != candidates_.end(); ++at) placements.push_back(&at->placement.mapping());
        if (placements.empty()) return;
        const std::vector<std::optional<double>> seconds = judge.further_times(placements);
        for (std::size_t k = 0; k < seconds.size(); ++k) {
            if (seconds[k]) set_seconds(*(first + static_cast<std::ptrdiff_t>(k)), *seconds[k]);
        }
    }

    void set_seconds(Candidate& candidate, double seconds) {
        candidate.seconds = seconds;
        trials_.trials[candidate.trial].seconds.push_back(seconds);
    }

    // ---- The choice -------------------------------------------------------------------------------------------------

    /// Selects the fastest placement of the objective with the lowest mean over the seeds, among those with a gain if
    /// there are any. If objectives differ by less than a thousandth, the one that suits the job best wins. Facts about
    /// its value, such as optimality, then apply to the placement.
    [[nodiscard]] const Candidate& best_by_mean() const {
        constexpr double kEqual = 0.999;
        const bool needs_gain = any_gain();
        const ObjectiveTrial* winner = nullptr;
        for (const ObjectiveTrial& trial : trials_.trials) {
            if (trial.seconds.empty() || (needs_gain && !is_gain(trial, trials_.default_seconds))) continue;
            if (winner == nullptr || mean_seconds(trial) < kEqual * mean_seconds(*winner)) winner = &trial;
        }
        const Candidate* best = nullptr;
        for (const Candidate& candidate : candidates_) {
            if (&trials_.trials[candidate.trial] != winner || !candidate.seconds) continue;
            if (best == nullptr || *candidate.seconds < *best->seconds) best = &candidate;
        }
        return *best;
    }

    /// Compares placements whose times are alike by the sets under load. These decide between the placements with a
    /// gain and the default one. Without a gain, they only show what computation and overheads hide.
    void judge_under_load(const AutoJudge& judge) {
        constexpr double kNotSlower = 1.001;
        const double least = least_seconds();
        std::vector<const Candidate*> alike;
        std::vector<const Mapping*> placements = {&job_.default_placement()};
        for (const Candidate& candidate : candidates_) {
            if (!candidate.seconds || *candidate.seconds > kAlike * least) continue;
            if (*candidate.seconds > kNotSlower * trials_.default_seconds) continue;
            if (!trials_.keeps_default && !is_gain(trials_.trials[candidate.trial], trials_.default_seconds)) continue;
            alike.push_back(&candidate);
            placements.push_back(&candidate.placement.mapping());
        }
        const bool default_is_alike = trials_.default_seconds <= kAlike * least;
        if (alike.empty() || alike.size() + (default_is_alike ? 1 : 0) < 2) return;
        const auto loaded = judge.loaded_times(placements);
        if (!loaded) return;
        // If times are equal under load as well, the best placement without load wins.
        const auto best = std::ranges::find(alike, best_);
        std::size_t winner = best == alike.end() ? 1 : static_cast<std::size_t>(best - alike.begin()) + 1;
        for (std::size_t k = 1; k < placements.size(); ++k) {
            if (loaded->seconds[k] < loaded->seconds[winner]) winner = k;
        }
        if (default_is_alike && loaded->seconds.front() < loaded->seconds[winner]) trials_.keeps_default = true;
        best_ = alike[winner - 1];
        trials_.loaded = {.mean_message_bytes = loaded->mean_message_bytes,
                          .is_simulated = loaded->is_simulated,
                          .default_seconds = loaded->seconds.front(),
                          .seconds = loaded->seconds[winner]};
    }

    Placement chosen() {
        ObjectiveTrial& trial = trials_.trials[best_->trial];
        trial.is_chosen = true;
        trials_.seconds = *best_->seconds;
        control_.log.info("auto: {} by {}{}", trial.objective, trials_.judge,
                          trials_.keeps_default ? "; no gain beyond the spread, so the default placement is kept" : "");
        SearchRecord record = *best_->placement.search();
        record.seed = options_.search.seed;
        record.evaluations = evaluations_;
        record.wall_seconds = seconds_since(start_time_);
        record.time_limit_seconds = time_limit_seconds_;
        record.seconds_gone = seconds_gone_;
        record.interrupted = is_stopped();
        record.reproducible = !record.time_limit_seconds && !record.interrupted && !is_cut_short_;
        record.trials = std::move(trials_);
        const bool keeps_default = record.trials->keeps_default;
        return {job_, keeps_default ? job_.default_placement() : best_->placement.mapping(), std::move(record)};
    }

    const Clock::time_point start_time_ = Clock::now();
    const Job& job_;
    MapOptions options_;  ///< with the remaining time limit
    const double seconds_gone_;
    std::optional<double> time_limit_seconds_;  ///< the whole limit
    const SearchControl& control_;
    const SimulationControl& simulation_;
    const std::shared_ptr<const JobProblem> held_;  ///< kept from search to search
    const std::vector<std::string> suited_;
    std::int32_t seeds_;  ///< at most; known after the first comparison
    AutoBudget budget_;
    std::vector<Candidate> candidates_;
    const Candidate* best_ = nullptr;  ///< set after the comparison
    ObjectiveTrials trials_;
    std::int64_t evaluations_ = 0;
    std::atomic<bool> is_cut_short_ = false;
};

}  // namespace

bool is_open(const MapOptions& options) {
    const bool is_usual_search = options.strategy == "auto" || options.strategy == "anneal";
    return options.objective.is_auto() && is_usual_search && options.search.schedule == ScheduleKind::kAuto;
}

Placement map(const Job& job, const MapOptions& options, const SearchControl& control,
              const SimulationControl& simulation) {
    check_map_options(options);
    if (!is_open(options) || job.balance() != nullptr) return solve(job, options, control, simulation);
    return AutoRun(job, options, control, simulation).run();
}

}  // namespace haichi
