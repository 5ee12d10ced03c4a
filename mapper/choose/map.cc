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
/// objective. The best objectives then continue from the placements found.
constexpr std::int32_t kManySeeds = 1024;
constexpr std::int32_t kSeeds = 3;

/// One placement of one objective.
struct Candidate {
    std::size_t trial = 0;
    std::int32_t round = 0;
    Placement placement;
    std::optional<double> seconds{};  ///< set after the comparison
};

std::int32_t seeds_for(const Problem& problem) {
    return problem.communicating_ranks().size() <= kManySeeds ? kSeeds : 1;
}

/// The state of one call of map() that chooses the objective.
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
          budget_(held_->problem, suited_.size()) {
        if (options.search.time_by_savings) {
            options_.search.time_limit_seconds = seconds_worth_searching(PosedJob(job, {}));
            options_.search.time_by_savings = false;
        }
        time_limit_seconds_ = options_.search.time_limit_seconds;
        options_.search.time_limit_seconds = time_left(options_.search);
        options_.search.seconds_gone = 0;
        budget_ = AutoBudget(held_->problem, suited_.size(), options_.search.time_limit_seconds);
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

    /// Compares the placements of the first seed before it searches further. If none of them is a gain, even under
    /// load, it keeps the default placement, because other seeds rarely find a gain. On large jobs, the objectives with
    /// the fastest placements continue from these.
    void search_and_judge() {
        for (const std::string& name : suited_) {
            searched_.push_back(trials_.trials.size());
            trials_.trials.push_back({.objective = name});
        }
        AutoJudge judge(job_, budget_,
                        {.threads = options_.search.threads,
                         .may_go_on = [this] { return may_go_on(); },
                         .simulation = simulation_});
        search_first();
        timed([&] {
            judge_first(judge);
            const bool is_last = seeds_ == 1 && !is_large_;
            if (is_last || trials_.default_seconds <= kAlike * least_seconds()) settle(judge);
        });
        if (best_ != nullptr && (trials_.keeps_default || (seeds_ == 1 && !is_large_))) return;
        best_ = nullptr;
        if (is_large_) keep_fastest();
        // Searches round by round, so that an interruption leaves comparable results.
        const std::int32_t rounds = std::max(seeds_, 2);
        for (std::int32_t round = 1; round < rounds && may_go_on(); ++round) {
            search_further(round, rounds - round);
        }
        timed([&] {
            judge_further(judge);
            settle(judge);
        });
    }

    /// Keeps the objectives whose first placement is about as fast as the fastest one.
    void keep_fastest() {
        constexpr double kNear = 1.05;
        const double least = mean_seconds(*std::ranges::min_element(trials_.trials, {}, mean_seconds));
        std::erase_if(searched_,
                      [&](std::size_t trial) { return mean_seconds(trials_.trials[trial]) > kNear * least; });
    }

    /// Placements whose times differ by less than this factor count as equal. A run on a machine would not show the
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

    /// States the gain over all iterations, as other commands do. Discards it if it is no longer a gain.
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

    /// Runs one search per objective. On large jobs, later objectives continue from the placement of the first.
    void search_first() {
        for (const std::size_t trial : searched_) search(trial, 0, trial == 0 && is_large_ ? 2 : 1);
    }
    void search_further(std::int32_t round, std::int32_t rounds_left) {
        const double parts = (budget_.all_parts() - parts_done_) / rounds_left;
        for (const std::size_t trial : searched_) search(trial, round, parts / static_cast<double>(searched_.size()));
    }

    /// Searches with `parts` of the budget.
    void search(std::size_t trial, std::int32_t round, double parts) {
        if (!candidates_.empty() && !may_go_on()) return;
        control_.log.info("auto: {}, search {}", suited_[trial], round + 1);
        candidates_.push_back({trial, round, solve(job_, options_of(trial, round, parts), part(parts))});
        parts_done_ += parts;
        const SearchRecord& found = *candidates_.back().placement.search();
        trials_.trials[trial].next = found.next;
        evaluations_ += found.evaluations;
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

    [[nodiscard]] MapOptions options_of(std::size_t trial, std::int32_t round, double parts) const {
        const std::string& objective = trials_.trials[trial].objective;
        MapOptions options = options_;
        options.strategy = "anneal";  // tabu search, the default for hop-bytes on few nodes, takes ten times as long
        options.objective.name = objective;
        if (options.objective.then) std::erase(*options.objective.then, objective);
        options.search = budget_.effort(objective, options_.search, parts);
        options.search.seed += static_cast<std::uint64_t>(round);
        if (const Candidate* before = options.has_start() ? nullptr : predecessor(trial, round)) {
            const auto nodes = before->placement.mapping().node_of_rank();
            options.start = std::vector<NodeId>(nodes.begin(), nodes.end());
            if (options_.search.restarts == 0) {
                if (options_.search.evaluations == 0) options.search.evaluations *= options.search.restarts;
                options.search.restarts = 1;
            }
        }
        if (options_.search.time_limit_seconds) options.search.time_limit_seconds = seconds_for(parts);
        return options;
    }

    /// The placement from which a search continues, or null. A search with predicted-time continues from another
    /// objective's placement, because its evaluations are more expensive.
    [[nodiscard]] const Candidate* predecessor(std::size_t trial, std::int32_t round) const {
        if (round > 0 && is_large_) return candidate(trial, 0);
        const bool continues = is_large_ || trials_.trials[trial].objective == kPredictor;
        if (!continues || trial == 0) return nullptr;
        const Candidate* of_seed = candidate(0, round);
        return of_seed != nullptr ? of_seed : candidate(trial, 0);
    }
    [[nodiscard]] const Candidate* candidate(std::size_t trial, std::int32_t round) const {
        const auto found = std::ranges::find_if(
            candidates_, [&](const Candidate& one) { return one.trial == trial && one.round == round; });
        return found == candidates_.end() ? nullptr : &*found;
    }

    /// Searches have half of the time limit. Later searches also have the time that the comparisons did not need.
    [[nodiscard]] double seconds_for(double parts) const {
        constexpr double kLeast = 1e-3;
        const double limit = *options_.search.time_limit_seconds;
        const double searched = seconds_since(start_time_) - trials_.judging_seconds;
        const double left = candidates_.size() < suited_.size()
                                ? limit / 2 - searched
                                : std::max(limit / 2 - searched, limit - searched - 3 * trials_.judging_seconds);
        return std::max(left * parts / (budget_.all_parts() - parts_done_), kLeast);
    }

    /// Reports the progress of one search as a part of all searches.
    [[nodiscard]] SearchControl part(double parts) const {
        SearchControl control = control_;
        if (!control_.progress) return control;
        control.progress = [this, parts, done = parts_done_](SearchProgress progress) {
            progress.fraction_done = (done + parts * progress.fraction_done) / budget_.all_parts();
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
        std::vector<double>& of_trial = trials_.trials[candidate.trial].seconds;
        if (is_large_ && !of_trial.empty()) {  // a continuation of the same search
            of_trial.front() = std::min(of_trial.front(), seconds);
        } else {
            of_trial.push_back(seconds);
        }
    }

    // ---- The choice -------------------------------------------------------------------------------------------------

    /// Selects the fastest placement of the objective with the lowest mean over the seeds, among those with a gain if
    /// there are any. If objectives differ by less than a thousandth, the one that suits the job best wins. Statements
    /// about its value, such as optimality, then apply to the placement.
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

    /// Simulates the sets under load to compare placements with similar times. The result decides between the
    /// placements with a gain. If there is no gain, it decides between all placements and the default: computation and
    /// overheads may hide a difference.
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
                          trials_.keeps_default ? "; no significant gain, so the default placement is kept" : "");
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
    MapOptions options_;  ///< its time limit is the remaining time
    const double seconds_gone_;
    std::optional<double> time_limit_seconds_;  ///< the whole limit
    const SearchControl& control_;
    const SimulationControl& simulation_;
    const std::shared_ptr<const JobProblem> held_;  ///< keeps the problem between searches
    const std::vector<std::string> suited_;
    const bool is_large_ = seeds_for(held_->problem) == 1;
    std::int32_t seeds_;  ///< maximum at first; exact after the first comparison
    AutoBudget budget_;
    std::vector<std::size_t> searched_;  ///< trials that are still searched
    double parts_done_ = 0;
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
