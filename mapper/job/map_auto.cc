#include "mapper/job/map_auto.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "mapper/anneal/defaults.h"
#include "mapper/job/advice_runs.h"
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
};

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
        : job_(job), options_(options), control_(control), simulation_(simulation), held_(job.problem(control.log)) {}

    Placement run() {
        search();
        const Clock::time_point begin = Clock::now();
        judge();
        trials_.judging_seconds = seconds_since(begin);
        return chosen();
    }

  private:
    [[nodiscard]] bool is_stopped() const { return is_set(control_.stop) || is_set(simulation_.stop); }

    void search() {
        for (const std::string& name : suited_objectives(held_->problem)) {
            trials_.trials.push_back({.objective = name});
        }
        const bool is_small = job_.rank_count() <= kManySeeds;
        const std::int32_t seeds = is_small ? kSeeds : 1;
        const auto all = static_cast<std::int32_t>(trials_.trials.size()) * seeds;
        // Seed after seed, so that what an interruption leaves can be compared.
        for (std::int32_t seed = 0; seed < seeds; ++seed) {
            for (std::size_t trial = 0; trial < trials_.trials.size(); ++trial) {
                if (!candidates_.empty() && is_stopped()) return;
                const auto done = static_cast<std::int32_t>(candidates_.size());
                candidates_.push_back({trial, map(job_, options_of(trial, seed, seeds, all - done), part(done, all))});
                const SearchRecord& found = *candidates_.back().placement.search();
                trials_.trials[trial].next = found.next;
                evaluations_ += found.evaluations;
            }
        }
    }

    /// The searches of an objective share its usual restarts. predicted-time goes on from what the first objective of
    /// the seed has found: a change of it costs more than one of theirs.
    [[nodiscard]] MapOptions options_of(std::size_t trial, std::int32_t seed, std::int32_t seeds,
                                        std::int32_t left) const {
        MapOptions options = options_;
        options.strategy = "anneal";  // tabu search, the usual one for hop-bytes on few nodes, takes ten times as long
        const bool is_costly = trials_.trials[trial].objective == kPredictor;
        options.objective = {.name = trials_.trials[trial].objective, .then = options_.objective.then};
        options.search.seed = options_.search.seed + static_cast<std::uint64_t>(seed);
        if (options_.search.restarts == 0) {
            const std::int32_t usual = default_restarts(held_->problem, options.search.schedule);
            options.search.restarts = is_costly ? 1 : (usual + seeds - 1) / seeds;
        }
        if (is_costly && !options.has_start() && !candidates_.empty()) {
            const auto nodes = candidates_[candidates_.size() - trial].placement.mapping().node_of_rank();
            options.start = std::vector<NodeId>(nodes.begin(), nodes.end());
            if (options_.search.evaluations == 0) {
                constexpr std::int64_t kShare = 4;
                options.search.evaluations = default_evaluations(held_->problem) / kShare;
            }
        }
        if (options_.search.time_limit_seconds) {
            constexpr double kLeast = 1e-3;
            const double gone = seconds_since(start_time_);
            options.search.evaluations = 0;
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
        const std::optional<SimulationOptions> options = affordable_simulation();
        if (options && judge_by([&](const Mapping& mapping) { return simulated(mapping, *options); })) {
            trials_.judge = "simulated";
            return;
        }
        if (options) trials_.reason = "the time or an interruption ended the simulations";
        trials_.judge = "predicted";
        trials_.of_calls = false;
        const auto predictor = bind_objective({.name = kPredictor}, held_->problem, job_.default_placement());
        (void)judge_by([&](const Mapping& mapping) { return std::optional(predictor->standing(mapping).value); });
    }

    /// False when not even the default placement and one of each objective could be judged.
    template <class SecondsOf>
    bool judge_by(SecondsOf&& seconds_of) {
        for (ObjectiveTrial& trial : trials_.trials) trial.seconds.clear();
        seconds_.assign(candidates_.size(), std::nullopt);
        const std::optional<double> usual = seconds_of(job_.default_placement());
        if (!usual) return false;
        trials_.default_seconds = *usual;
        for (std::size_t k = 0; k < candidates_.size(); ++k) {
            seconds_[k] = seconds_of(candidates_[k].placement.mapping());
            if (!seconds_[k]) break;
            trials_.trials[candidates_[k].trial].seconds.push_back(*seconds_[k]);
        }
        const auto tried = std::min(trials_.trials.size(), candidates_.size());
        return std::all_of(seconds_.begin(), seconds_.begin() + static_cast<std::ptrdiff_t>(tried),
                           [](const auto& seconds) { return seconds.has_value(); });
    }

    /// Nothing, with the reason, where the machine cannot be simulated or it would take too long.
    std::optional<SimulationOptions> affordable_simulation() {
        SimulationOptions options;
        options.threads = std::max(options_.search.threads, 1);
        options.hottest_links = 0;
        try {
            check_simulation(job_, options);
        } catch (const Error& error) {
            trials_.reason = error.what();
            return std::nullopt;
        }
        const auto runs = static_cast<double>(candidates_.size() + 1);
        const double hops = packet_hops_per_iteration(Placement(job_));
        if (replays_calls(job_, options, control_.log)) {
            const PacketTiming timing(packet_timing_of(job_.machine()));
            const double mean_route = job_.allocation().network.node_count() > 1 ? mean_hops() : 1;
            if (packets_of(*job_.calls(), timing) * mean_route * runs <= kJudgingPacketHops) {
                trials_.of_calls = true;
                return options;
            }
            trials_.reason = "its calls are too many to be simulated so often";
        }
        options.form = TrafficForm::kSets;
        const auto iterations = affordable_iterations(hops, job_.workload().iterations(),
                                                      static_cast<std::int64_t>(runs), kJudgingPacketHops, 1);
        if (!iterations) {
            trials_.reason = "its packets are too many to be simulated so often";
            return std::nullopt;
        }
        options.iterations = *iterations;
        return options;
    }

    /// Links that a message of the default placement passes.
    [[nodiscard]] double mean_hops() const {
        const auto nodes = job_.default_placement().node_of_rank();
        double hops = 0;
        double messages = 1;
        for (const Message& message : job_.workload().messages()) {
            hops += job_.allocation().network.hops(nodes[message.source.index()], nodes[message.destination.index()]);
            ++messages;
        }
        return hops / messages + 1;
    }

    std::optional<double> simulated(const Mapping& mapping, const SimulationOptions& options) {
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
            if (simulation_.progress) simulation_.progress(progress);
        };
        const SimulationResult result = simulate_mapping(job_, mapping, options, watched).front().result;
        if (result.interrupted) return std::nullopt;
        return trials_.of_calls ? result.seconds : result.seconds_per_iteration;
    }

    // ---- The choice -------------------------------------------------------------------------------------------------

    Placement chosen() {
        std::size_t winner = 0;
        for (std::size_t k = 1; k < trials_.trials.size(); ++k) {
            const ObjectiveTrial& trial = trials_.trials[k];
            if (!trial.seconds.empty() && mean_seconds(trial) < mean_seconds(trials_.trials[winner])) winner = k;
        }
        trials_.trials[winner].is_chosen = true;
        std::size_t best = candidates_.size();
        for (std::size_t k = 0; k < candidates_.size(); ++k) {
            if (candidates_[k].trial != winner || !seconds_[k]) continue;
            if (best == candidates_.size() || *seconds_[k] < *seconds_[best]) best = k;
        }
        if (best == candidates_.size()) best = 0;
        const Placement& found = candidates_[best].placement;
        const bool is_default_best = seconds_[best] && !(*seconds_[best] < trials_.default_seconds);
        control_.log.info("auto: {} by {}{}", trials_.trials[winner].objective, trials_.judge,
                          is_default_best ? "; the default placement is not slower and is kept" : "");
        SearchRecord record = *found.search();
        record.seed = options_.search.seed;
        record.evaluations = evaluations_;
        record.wall_seconds = seconds_since(start_time_);
        record.time_limit_seconds = options_.search.time_limit_seconds;
        record.interrupted = is_stopped();
        record.reproducible = !record.time_limit_seconds && !record.interrupted && !is_cut_short_;
        record.trials = std::move(trials_);
        return {job_, is_default_best ? job_.default_placement() : found.mapping(), std::move(record)};
    }

    const Clock::time_point start_time_ = Clock::now();
    const Job& job_;
    const MapOptions& options_;
    const SearchControl& control_;
    const SimulationControl& simulation_;
    const std::shared_ptr<const JobProblem> held_;  ///< kept from search to search
    std::vector<Candidate> candidates_;
    std::vector<std::optional<double>> seconds_;  ///< by candidate
    ObjectiveTrials trials_;
    std::int64_t evaluations_ = 0;
    bool is_cut_short_ = false;
};

}  // namespace

std::vector<std::string> suited_objectives(const Problem& problem) {
    std::vector<std::string> names = problem.set_count() > 1 ? std::vector<std::string>{"tac3", "hop-bytes"}
                                                             : std::vector<std::string>{"hop-bytes", "max-link-load"};
    const ObjectiveRow* predictor = objectives().find(kPredictor);
    const auto ranks = static_cast<std::int32_t>(problem.communicating_ranks().size());
    if (predictor != nullptr && ranks <= kManySeeds && is_told_unasked(*predictor, problem)) {
        names.emplace_back(kPredictor);
    }
    return names;
}

Placement map_auto(const Job& job, const MapOptions& options, const SearchControl& control,
                   const SimulationControl& simulation) {
    if (options.strategy != "auto" && options.strategy != "anneal") {
        throw OptionError("--objective auto and --strategy " + options.strategy + " exclude each other",
                          "it searches by itself; name an objective");
    }
    return AutoRun(job, options, control, simulation).run();
}

}  // namespace haichi
