#include "mapper/job/map_auto.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>

#include "mapper/anneal/defaults.h"
#include "mapper/job/advice_runs.h"
#include "mapper/job/auto_budget.h"
#include "mapper/job/simulate.h"
#include "mapper/search/progress_meter.h"
#include "netmodel/packetsim/machine_timing.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPredictor = "predicted-time";

/// Jobs up to this size are searched from several seeds; for larger ones one search of each objective is what there is
/// time for.
constexpr std::int32_t kManySeeds = 1024;
constexpr std::int32_t kSeeds = 3;

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); }

/// One placement of one objective.
struct Candidate {
    std::size_t trial = 0;
    Placement placement;
    std::optional<double> seconds{};  ///< once it is judged
};

std::int32_t seeds_for(const Problem& problem) {
    return problem.communicating_ranks().size() <= kManySeeds ? kSeeds : 1;
}

/// Links that a message of the placement passes, and the node that it arrives at: the mean.
double mean_passages(const Job& job, const Mapping& mapping) {
    const auto nodes = mapping.node_of_rank();
    double passages = 0;
    double messages = 0;
    for (const Message& message : job.workload().messages()) {
        passages +=
            job.allocation().network.hops(nodes[message.source.index()], nodes[message.destination.index()]) + 1;
        ++messages;
    }
    return messages > 0 ? passages / messages : 1;
}

/// Packets that a run of the log sends, about: collectives as so many messages as a tree has steps.
double packets_of(const JobLog& log, const PacketTiming& timing) {
    double packets = 0;
    for (const RankLog& rank : log.ranks) {
        for (const CallSequence& calls : rank.threads) {
            for (const LoggedEvent& event : calls.events) {
                const bool is_collective = event.key.kind == CallKind::kCollective;
                if (event.count == 0 || (event.key.kind != CallKind::kSend && !is_collective)) continue;
                const auto bytes = static_cast<std::int64_t>(event.bytes_total / event.count);
                const auto steps = is_collective ? std::bit_width(static_cast<std::uint32_t>(log.rank_count)) : 1;
                packets += static_cast<double>(event.count) * steps *
                           static_cast<double>(timing.packet_count(std::max<std::int64_t>(bytes, 0)));
            }
        }
    }
    return packets;
}

/// One call of map_auto().
class AutoRun {
  public:
    AutoRun(const Job& job, const MapOptions& options, const SearchControl& control,
            const SimulationControl& simulation)
        : job_(job),
          options_(options),
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
    }

    Placement run() {
        control_.log.info("auto: {} objectives, {} seeds, up to {:.0f} s of one core", suited_.size(), seeds_,
                          options_.search.time_limit_seconds.value_or(budget_.seconds()));
        search();
        const Clock::time_point begin = Clock::now();
        judge();
        trials_.judging_seconds = seconds_since(begin);
        return chosen();
    }

  private:
    [[nodiscard]] bool is_stopped() const { return is_set(control_.stop) || is_set(simulation_.stop); }

    void search() {
        for (const std::string& name : suited_) trials_.trials.push_back({.objective = name});
        const auto all = static_cast<std::int32_t>(suited_.size()) * seeds_;
        // Seed after seed, so that what an interruption leaves can be compared.
        for (std::int32_t seed = 0; seed < seeds_; ++seed) {
            for (std::size_t trial = 0; trial < trials_.trials.size(); ++trial) {
                if (!candidates_.empty() && is_stopped()) return;
                const auto done = static_cast<std::int32_t>(candidates_.size());
                control_.log.info("auto: {}, seed {} of {}", suited_[trial], seed + 1, seeds_);
                candidates_.push_back({trial, map(job_, options_of(trial, seed, all - done), part(done, all))});
                const SearchRecord& found = *candidates_.back().placement.search();
                trials_.trials[trial].next = found.next;
                evaluations_ += found.evaluations;
            }
        }
    }

    /// predicted-time goes on from what the first objective of the seed has found: a change of it costs more than one
    /// of theirs.
    [[nodiscard]] MapOptions options_of(std::size_t trial, std::int32_t seed, std::int32_t left) const {
        const std::string& objective = trials_.trials[trial].objective;
        MapOptions options = options_;
        options.strategy = "anneal";  // tabu search, the usual one for hop-bytes on few nodes, takes ten times as long
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
            const double gone = seconds_since(start_time_);
            options.search.time_limit_seconds =
                std::max((*options_.search.time_limit_seconds / 2 - gone) / left, kLeast);
        }
        return options;
    }

    /// Tells the progress of one search as that of all.
    [[nodiscard]] SearchControl part(std::int32_t number, std::int32_t all) const {
        SearchControl control = control_;
        if (!control_.progress) return control;
        control.progress = [this, number, all](SearchProgress progress) {
            progress.fraction_done = (number + progress.fraction_done) / all;
            control_.progress(progress);
        };
        return control;
    }

    // ---- The judge --------------------------------------------------------------------------------------------------

    void judge() {
        if (const auto options = affordable_simulation()) {
            if (simulate(*options)) {
                trials_.judge = "simulated";
                return;
            }
            trials_.reason = "the time or an interruption ended the simulations";
        }
        trials_.judge = "predicted";
        trials_.of_calls = false;
        const auto predictor = bind_objective({.name = kPredictor}, held_->problem, job_.default_placement());
        trials_.default_seconds = predictor->standing(job_.default_placement()).value;
        for (Candidate& candidate : candidates_) {
            candidate.seconds = predictor->standing(candidate.placement.mapping()).value;
        }
    }

    /// False when not even the default placement and one of each objective could be simulated.
    bool simulate(const SimulationOptions& options) {
        // The default placement first.
        std::vector<std::optional<double>> seconds(1 + judged_);
        std::mutex mutex;
        run_side_by_side(static_cast<std::int64_t>(seconds.size()), options_.search.threads, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            const Mapping& mapping = k == 0 ? job_.default_placement() : candidates_[k - 1].placement.mapping();
            seconds[k] = simulated(mapping, options, mutex);
        });
        const auto tried = std::min(trials_.trials.size(), judged_);
        const auto needed = seconds.begin() + static_cast<std::ptrdiff_t>(1 + tried);
        if (!std::all_of(seconds.begin(), needed, [](const auto& one) { return one.has_value(); })) return false;
        trials_.default_seconds = *seconds.front();
        for (std::size_t k = 0; k < judged_; ++k) candidates_[k].seconds = seconds[k + 1];
        return true;
    }

    /// Nothing, with the reason, where the machine cannot be simulated or it would take too long; else `judged_` are to
    /// be simulated.
    std::optional<SimulationOptions> affordable_simulation() {
        SimulationOptions options;
        options.hottest_links = 0;
        try {
            check_simulation(job_, options);
        } catch (const Error& error) {
            trials_.reason = error.what();
            return std::nullopt;
        }
        if (replays_calls(job_, options, control_.log)) {
            const PacketTiming timing(packet_timing_of(job_.machine()));
            const double packets = packets_of(*job_.calls(), timing);
            const auto hops = [&](const Placement& placement) {
                return packets * mean_passages(job_, placement.mapping());
            };
            judged_ = affordable([&](double all) { return all <= budget_.packet_hops(); }, hops);
            trials_.of_calls = judged_ > 0;
            if (trials_.of_calls) return options;
            trials_.reason = "its calls are too many to be simulated so often";
        }
        options.form = TrafficForm::kSets;
        std::optional<SimulatedIterations> iterations;
        const auto fits = [&](double all) {
            iterations = affordable_iterations(all, job_.workload().iterations(), 1, budget_.packet_hops(), 1);
            return iterations.has_value();
        };
        judged_ = affordable(fits, packet_hops_per_iteration);
        if (judged_ > 0) {
            options.iterations = *iterations;
            return options;
        }
        trials_.reason = "its packets are too many to be simulated so often";
        return std::nullopt;
    }

    /// How many candidates, those of all seeds or fewer, can be simulated beside the default placement; 0: not one of
    /// each objective.
    template <class Fits, class Hops>
    std::size_t affordable(Fits&& fits, Hops&& hops) {
        const std::size_t each = std::min(trials_.trials.size(), candidates_.size());
        std::vector<double> until = {hops(Placement(job_))};
        for (const Candidate& candidate : candidates_) until.push_back(until.back() + hops(candidate.placement));
        for (std::size_t count = candidates_.size(); count >= each && count > 0; count -= std::min(each, count)) {
            if (fits(until[count])) return count;
        }
        return 0;
    }

    std::optional<double> simulated(const Mapping& mapping, const SimulationOptions& options, std::mutex& mutex) {
        std::atomic<bool> stop = false;
        const auto look = [&] {
            const bool is_late =
                options_.search.time_limit_seconds && seconds_since(start_time_) > *options_.search.time_limit_seconds;
            if (is_late) is_cut_short_ = true;
            if (is_late || is_stopped()) stop = true;
        };
        look();
        if (stop) return std::nullopt;
        SimulationControl watched;
        watched.stop = &stop;
        watched.log = simulation_.log;
        watched.progress = [&](const SimulationProgress& progress) {
            look();
            const std::scoped_lock lock(mutex);
            if (simulation_.progress) simulation_.progress(progress);
        };
        const SimulationResult result = simulate_mapping(job_, mapping, options, watched).front().result;
        if (result.interrupted) return std::nullopt;
        return trials_.of_calls ? result.seconds : result.seconds_per_iteration;
    }

    // ---- The choice -------------------------------------------------------------------------------------------------

    Placement chosen() {
        for (const Candidate& candidate : candidates_) {
            if (candidate.seconds) trials_.trials[candidate.trial].seconds.push_back(*candidate.seconds);
        }
        std::size_t winner = 0;
        for (std::size_t k = 1; k < trials_.trials.size(); ++k) {
            const ObjectiveTrial& trial = trials_.trials[k];
            if (!trial.seconds.empty() && mean_seconds(trial) < mean_seconds(trials_.trials[winner])) winner = k;
        }
        trials_.trials[winner].is_chosen = true;
        const Candidate* best = nullptr;
        for (const Candidate& candidate : candidates_) {
            if (candidate.trial != winner || !candidate.seconds) continue;
            if (best == nullptr || *candidate.seconds < *best->seconds) best = &candidate;
        }
        const Placement& found = best->placement;
        trials_.keeps_default = !(*best->seconds < trials_.default_seconds);
        control_.log.info("auto: {} by {}{}", trials_.trials[winner].objective, trials_.judge,
                          trials_.keeps_default ? "; the default placement is not slower and is kept" : "");
        SearchRecord record = *found.search();
        record.seed = options_.search.seed;
        record.evaluations = evaluations_;
        record.wall_seconds = seconds_since(start_time_);
        record.time_limit_seconds = options_.search.time_limit_seconds;
        record.interrupted = is_stopped();
        record.reproducible = !record.time_limit_seconds && !record.interrupted && !is_cut_short_;
        record.trials = std::move(trials_);
        const bool keeps_default = record.trials->keeps_default;
        return {job_, keeps_default ? job_.default_placement() : found.mapping(), std::move(record)};
    }

    const Clock::time_point start_time_ = Clock::now();
    const Job& job_;
    MapOptions options_;
    const SearchControl& control_;
    const SimulationControl& simulation_;
    const std::shared_ptr<const JobProblem> held_;  ///< kept from search to search
    const std::vector<std::string> suited_;
    const std::int32_t seeds_;
    const AutoBudget budget_;
    std::vector<Candidate> candidates_;
    std::size_t judged_ = 0;  ///< of them, the first
    ObjectiveTrials trials_;
    std::int64_t evaluations_ = 0;
    std::atomic<bool> is_cut_short_ = false;
};

}  // namespace

bool is_open(const MapOptions& options) {
    const bool is_usual_search = options.strategy == "auto" || options.strategy == "anneal";
    return options.objective.is_auto() && is_usual_search && options.search.schedule == ScheduleKind::kAuto;
}

Placement map_auto(const Job& job, const MapOptions& options, const SearchControl& control,
                   const SimulationControl& simulation) {
    return AutoRun(job, options, control, simulation).run();
}

}  // namespace haichi
