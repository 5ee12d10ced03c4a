#include "mapper/advise/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "mapper/advise/cluster_nodes.h"
#include "mapper/judge/simulation_budget.h"
#include "mapper/solve/solve.h"
#include "mgen/replay/simulation.h"

namespace haichi {

namespace {

using PaysAt = std::function<std::optional<bool>(double)>;

constexpr double kDelayResolution = 1e-6;

/// Returns a text such as "1.05 s in cluster 0, 0.7 s over clusters 0 and 1".
std::string times_text(const SpreadPlace& one, const SpreadPlace& all) {
    const auto ranks = [](const SpreadPlace& place) { return std::to_string(place.ranks) + " ranks"; };
    const bool same = one.ranks == all.ranks;
    return (same ? "" : ranks(one) + " take ") + duration_text(fastest(one).seconds) + " in " + clusters_text(one) +
           ", " + (same ? "" : ranks(all) + " ") + duration_text(fastest(all).seconds) + " over " + clusters_text(all);
}

class SpreadAdvisor {
  public:
    SpreadAdvisor(const SpreadQuestion& question, const SpreadTrials& trials) : question_(question), trials_(trials) {}

    SpreadAdvice advise() {
        if (!question_.unknown_because.empty() || question_.interrupted) {
            advice_.interrupted = question_.interrupted;
            return unknown(question_.interrupted ? "interrupted before all placements were simulated"
                                                 : question_.unknown_because);
        }
        for (std::size_t k = 1; k < question_.in_one.size(); ++k) {
            if (fastest(question_.in_one[k]).seconds < fastest(one()).seconds) advice_.best = k;
        }
        const SimulatedTime& in_one = fastest(one());
        const SimulatedTime& over_all = fastest(question_.over_all);
        advice_.gain = in_one.seconds / over_all.seconds;
        advice_.tolerance = (in_one.tolerance_seconds + over_all.tolerance_seconds) / over_all.seconds;
        if (advice_.gain > 1 + advice_.tolerance) return spread();
        if (!question_.computing_is_known && one().ranks != question_.over_all.ranks) return unknown_computing();
        return stay();
    }

  private:
    [[nodiscard]] const SpreadPlace& one() const { return question_.in_one[advice_.best]; }

    SpreadAdvice unknown(const std::string& why) {
        advice_.verdict = SpreadVerdict::kUnknown;
        advice_.sentence = "Not known: " + why + ".";
        return std::move(advice_);
    }

    [[nodiscard]] PaysAt pays_with_delay() const {
        return [this](double delay_seconds) -> std::optional<bool> {
            const auto time = trials_.with_delay(delay_seconds);
            if (!time) return std::nullopt;
            return time->seconds < fastest(one()).seconds;
        };
    }

    SpreadAdvice spread() {
        advice_.verdict = SpreadVerdict::kSpread;
        advice_.pays_without_delay = true;
        advice_.sentence = "Spread the job: " + times_text(one(), question_.over_all) + ", " + gain_text() + ".";
        if (trials_.with_delay) find_longest_delay();
        return std::move(advice_);
    }

    /// Finds the longest packet delay at which spreading saves time.
    void find_longest_delay() {
        constexpr double kFirst = 1e-3;
        constexpr double kStep = 4;
        const PaysAt pays_at = pays_with_delay();
        BreakEven between{.pays = question_.delay_seconds, .does_not = 0};
        for (double delay = std::max(question_.delay_seconds * kStep, kFirst); between.does_not == 0; delay *= kStep) {
            delay = std::min(delay, kLongestDelaySeconds);
            const std::optional<bool> pays = pays_at(delay);
            if (!pays) return cut_short();
            (*pays ? between.pays : between.does_not) = delay;
            if (*pays && delay >= kLongestDelaySeconds) {
                advice_.pays_at_any_delay = true;
                advice_.sentence +=
                    " Spreading saves time at any delay up to " + duration_text(kLongestDelaySeconds) + ".";
                return;
            }
        }
        advice_.delay_seconds = narrowed(between, kDelayResolution, pays_at);
        if (!advice_.delay_seconds) return cut_short();
        advice_.sentence += " Spreading saves time up to a delay of about " +
                            rough_duration_text(advice_.delay_seconds->middle()) + ".";
    }

    SpreadAdvice stay() {
        const bool is_slower = advice_.gain * (1 + advice_.tolerance) < 1;
        advice_.verdict = is_slower ? SpreadVerdict::kStay : SpreadVerdict::kEqual;
        advice_.sentence = (is_slower ? "Keep the job in one cluster: " : "No significant difference: ") +
                           times_text(one(), question_.over_all) + (is_slower ? ", " + gain_text() : "") + ".";
        if (!trials_.with_delay) return std::move(advice_);
        const PaysAt pays_at = pays_with_delay();
        const std::optional<bool> pays = question_.delay_seconds > 0 ? pays_at(0) : std::optional(advice_.gain > 1);
        if (!pays) {
            cut_short();
            return std::move(advice_);
        }
        advice_.pays_without_delay = *pays;
        if (!*pays) {
            advice_.sentence += " Spreading would not save time without a delay either.";
        } else if (question_.delay_seconds > 0) {
            advice_.delay_seconds =
                narrowed({.pays = 0, .does_not = question_.delay_seconds}, kDelayResolution, pays_at);
            if (!advice_.delay_seconds) {
                cut_short();
            } else {
                advice_.sentence += " Spreading would save time up to a delay of about " +
                                    rough_duration_text(advice_.delay_seconds->middle()) + ".";
            }
        }
        return std::move(advice_);
    }

    /// The answer for an unknown computation time that more ranks would share. Finds the computation time above which
    /// more ranks are faster.
    SpreadAdvice unknown_computing() {
        constexpr int kMostDoublings = 40;
        constexpr double kShareOfIteration = 0.01;
        const std::string why = "the workload does not state its computation time; without computation, " +
                                times_text(one(), question_.over_all);
        const PaysAt pays_at = [this](double seconds) -> std::optional<bool> {
            const auto both = trials_.with_computing(seconds);
            if (!both) return std::nullopt;
            return both->over_all.seconds < both->in_one.seconds;
        };
        BreakEven between{.pays = 0, .does_not = 0};
        const double iteration =
            fastest(question_.over_all).seconds / static_cast<double>(std::max<std::int64_t>(question_.iterations, 1));
        double seconds = iteration;
        for (int k = 0; k < kMostDoublings && between.pays == 0; ++k, seconds *= 2) {
            const std::optional<bool> pays = pays_at(seconds);
            if (!pays) {
                advice_.interrupted = true;
                return unknown(why);
            }
            (*pays ? between.pays : between.does_not) = seconds;
        }
        if (between.pays == 0) return unknown(why);
        advice_.computing_seconds = narrowed(between, kShareOfIteration * iteration, pays_at);
        if (!advice_.computing_seconds) {
            advice_.interrupted = true;
            return unknown(why);
        }
        return unknown(why + ". Spreading saves time if a rank in one cluster computes for more than about " +
                       rough_duration_text(advice_.computing_seconds->middle()) + " per iteration");
    }

    [[nodiscard]] std::string gain_text() const {
        const bool is_faster = advice_.gain > 1;
        const double factor = is_faster ? advice_.gain : 1 / advice_.gain;
        if (factor < 1.1) return percent_text(factor - 1) + (is_faster ? " faster" : " slower");
        return factor_text(factor) + (is_faster ? " times as fast" : " times as long");
    }

    void cut_short() {
        advice_.interrupted = true;
        advice_.sentence += " The largest such delay is not known: interrupted.";
    }

    const SpreadQuestion& question_;
    const SpreadTrials& trials_;
    SpreadAdvice advice_;
};

double compute_seconds_of(const Workload& workload) {
    double seconds = 0;
    for (std::size_t t = 0; t < workload.set_count(); ++t) seconds += workload.set(t).compute_seconds;
    return seconds;
}

/// Returns the workload with a computation of `seconds` before the first set.
Workload with_computing(const Workload& workload, double seconds) {
    Workload computing(workload.rank_count(), workload.iterations());
    computing.reserve_messages(workload.messages().size());
    if (workload.set_count() == 0) computing.add_set("", seconds);
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        computing.add_set(workload.set(t).label, t == 0 ? seconds : 0, workload.set(t).transfer);
        for (const Message& m : workload.messages(t)) computing.add_message(m.source, m.destination, m.size_bytes);
    }
    return computing;
}

class SpreadRun {
  public:
    SpreadRun(const JobSpec& spec, const SpreadAdviceOptions& options, const AdviceControl& control)
        : options_(options), control_(control), one_(loaded(spec, control.log)), all_(one_) {
        if (options.seeds < 1) throw OptionError("advice on clusters requires at least one seed");
        if (options.spread_traffic) all_.traffic = {.source = load_traffic(*options.spread_traffic, control.log)};
        report_.machine = machine().name;
        report_.question.delay_seconds = static_cast<double>(machine().topology->delay_ps()) / kPsPerSecond;
        compared_ =
            compared_nodes(machine(), one_.allocation, traffic_of(one_).rank_count(), traffic_of(all_).rank_count());
        for (const ClusterNodes& nodes : compared_.in_one) {
            report_.question.in_one.push_back(place_of(nodes, traffic_of(one_).rank_count()));
        }
        report_.question.over_all = place_of(compared_.over_all, traffic_of(all_).rank_count());
        find_form();
        find_computing();
        report_.question.iterations = traffic_of(one_).rank_count() > 0 && !report_.of_calls
                                          ? traffic_of(one_).workload(control.log).iterations()
                                          : 1;
    }

    SpreadAdviceReport run() {
        report_.question.unknown_because = why_times_mean_nothing(machine());
        if (report_.question.unknown_because.empty()) {
            search();
            if (!report_.question.interrupted) simulate();
        }
        SpreadTrials trials;
        if (machine().topology->with_delay(0) != nullptr) {
            trials.with_delay = [this](double delay_seconds) { return time_with_delay(delay_seconds); };
        }
        trials.with_computing = [this](double seconds) { return times_with_computing(seconds); };
        report_.advice = advise_spread(report_.question, trials);
        report_.interrupted = report_.advice.interrupted;
        return std::move(report_);
    }

  private:
    /// The job on some nodes, with its placements and times on these nodes.
    struct Side {
        SpreadPlace* times = nullptr;
        Job job;
        std::vector<std::optional<Placement>> found{};  ///< per seed
        std::optional<Placement> fastest{};
    };

    [[nodiscard]] const Machine& machine() const { return *std::get<std::shared_ptr<const Machine>>(one_.machine); }
    [[nodiscard]] static const LoadedTraffic& traffic_of(const JobSpec& spec) {
        return *std::get<std::shared_ptr<const LoadedTraffic>>(spec.traffic.source);
    }

    static SpreadPlace place_of(const ClusterNodes& nodes, std::int32_t ranks) {
        const auto count = static_cast<std::int32_t>(nodes.terminals.size());
        return {
            .clusters = nodes.clusters, .ranks = ranks, .nodes = count, .ranks_per_node = ranks_per_node(ranks, count)};
    }

    // ---- Behaviour of the job ---------------------------------------------------------------------------------------

    void find_form() {
        SimulationOptions asked;
        asked.form = options_.form;
        const auto calls = [&](const JobSpec& spec) {
            return replays_calls(job_on(spec, compared_.over_all), asked, control_.log);
        };
        report_.of_calls = calls(one_);
        if (!options_.spread_traffic || calls(all_) == report_.of_calls) return;
        throw OptionError(
            "the two workloads cannot be compared: one has calls of a log, the other has communication sets",
            "compare the sets of both with §form sets");
    }

    void find_computing() {
        if (report_.of_calls) {
            if (options_.compute_seconds) {
                throw OptionError(
                    "§compute-time cannot be combined with the calls of a log, which have their own computation times",
                    "leave it out, or compare sets with §form sets");
            }
            report_.question.computing_is_known = true;
            return;
        }
        const Workload& one = traffic_of(one_).workload(control_.log);
        const Workload& all = traffic_of(all_).workload(control_.log);
        const double stated = compute_seconds_of(one);
        const double stated_of_all = compute_seconds_of(all);
        if (!options_.compute_seconds) {
            report_.compute_seconds = stated;
            report_.question.computing_is_known = stated > 0 && stated_of_all > 0;
            return;
        }
        if (stated > 0 || stated_of_all > 0) {
            throw OptionError("§compute-time cannot be combined with a workload that states its computation time",
                              "leave it out, or remove 'compute_seconds' from the workload");
        }
        if (one.set_count() == 0 || all.set_count() == 0) {
            throw OptionError("§compute-time requires workloads with communication sets");
        }
        report_.compute_seconds = *options_.compute_seconds;
        report_.question.computing_is_known = true;
        set_computing(one_, one, report_.compute_seconds);
        set_computing(all_, all, shared_seconds(report_.compute_seconds));
    }

    /// Computation time of a rank if the ranks over all clusters share the work.
    [[nodiscard]] double shared_seconds(double seconds) const {
        return seconds * traffic_of(one_).rank_count() / traffic_of(all_).rank_count();
    }

    static void set_computing(JobSpec& spec, const Workload& workload, double seconds) {
        spec.traffic = {.source = load_traffic({.source = with_computing(workload, seconds)})};
    }

    [[nodiscard]] static Job job_on(const JobSpec& spec, const ClusterNodes& nodes) {
        JobSpec on = spec;
        on.allocation.shape.clear();
        on.allocation.origin.clear();
        on.allocation.nodes = nodes.terminals;
        on.allocation.ranks_per_node =
            ranks_per_node(traffic_of(spec).rank_count(), static_cast<std::int64_t>(nodes.terminals.size()));
        on.hosts = std::string();
        return Job(on);
    }

    // ---- Searches and simulations -----------------------------------------------------------------------------------

    void search() {
        for (std::size_t k = 0; k < compared_.in_one.size(); ++k) {
            sides_.push_back({.times = &report_.question.in_one[k], .job = job_on(one_, compared_.in_one[k])});
        }
        sides_.push_back({.times = &report_.question.over_all, .job = job_on(all_, compared_.over_all)});
        const auto seeds = static_cast<std::size_t>(options_.seeds);
        for (Side& side : sides_) side.found.resize(seeds);
        const auto count = static_cast<std::int64_t>(sides_.size() * seeds);
        advance_side_by_side("searching", count, options_.threads, control_, [&](std::int64_t i) {
            Side& side = sides_[static_cast<std::size_t>(i) / seeds];
            MapOptions options{.objective = options_.objective, .strategy = "auto"};
            if (options.objective.is_auto()) {
                options.objective.name = suited_objectives(side.job.problem()->problem).front();
            }
            options.search.seed = options_.seed + static_cast<std::size_t>(i) % seeds;
            options.search.threads = 1;  // searches run side by side
            side.found[static_cast<std::size_t>(i) % seeds] = solve(side.job, options, {{}, control_.stop});
        });
        report_.question.interrupted = control_.is_stopped();
        for (const Side& side : sides_) {
            for (const auto& found : side.found) {
                if (found && report_.objective.empty()) report_.objective = found->search()->objective;
            }
        }
    }

    /// Packet-hops of the most expensive simulation.
    [[nodiscard]] double packet_hops() const {
        double hops = 0;
        for (const Side& side : sides_) {
            const Placement placement(side.job);
            hops = std::max(hops,
                            report_.of_calls ? packet_hops_of_calls(placement) : packet_hops_per_iteration(placement));
        }
        return hops;
    }

    [[nodiscard]] AdviceRun run_of(const Placement& placement) const {
        AdviceRun run;
        run.placement = &placement;
        run.iterations = report_.iterations;
        run.form = report_.of_calls ? TrafficForm::kCalls : TrafficForm::kSets;
        return run;
    }

    void simulate() {
        constexpr std::int64_t kOfBreakEven = 12;
        const auto runs =
            static_cast<std::int64_t>(sides_.size() * (static_cast<std::size_t>(options_.seeds) + 1)) + kOfBreakEven;
        const double hops = packet_hops();
        const auto iterations = affordable_iterations(hops, report_.question.iterations, runs, options_.packet_hops);
        if (!iterations) {
            report_.question.unknown_because =
                std::string(report_.of_calls ? "simulations of the calls" : "simulations of two iterations") +
                " would far exceed the budget of packet-hops";
            return;
        }
        report_.iterations = *iterations;
        std::vector<Placement> placements;
        for (const Side& side : sides_) {
            placements.emplace_back(side.job);
            for (const auto& found : side.found) placements.push_back(*found);
        }
        std::vector<AdviceRun> batch;
        for (const Placement& placement : placements) batch.push_back(run_of(placement));
        control_.log.info("advice: {} simulations, {} packet-hops in an iteration of the longest", batch.size(), hops);
        const auto times = simulate_runs(batch, options_.threads, control_);
        report_.simulations = std::ranges::count_if(times, [](const auto& time) { return time.has_value(); });
        if (report_.simulations < static_cast<std::int64_t>(times.size())) {
            report_.question.interrupted = true;
            return;
        }
        std::size_t next = 0;
        for (Side& side : sides_) {
            side.times->by_default = {*times[next]};
            std::size_t best = next++;
            for (std::size_t seed = 0; seed < side.found.size(); ++seed, ++next) {
                side.times->mapped.push_back(*times[next]);
                if (times[next]->seconds < times[best]->seconds) best = next;
            }
            side.fastest = placements[best];
        }
    }

    // ---- Other delays and computation times
    // ----------------------------------------------------------------------------

    std::optional<SimulatedTime> time_of(const Placement& placement) {
        const AdviceRun run = run_of(placement);
        const auto times = simulate_runs(std::span(&run, 1), 1, control_);
        report_.simulations += times.front() ? 1 : 0;
        return times.front();
    }

    std::optional<SimulatedTime> time_with_delay(double delay_seconds) {
        Machine slower = machine();
        slower.topology = slower.topology->with_delay(std::llround(delay_seconds * kPsPerSecond));
        JobSpec spec = all_;
        spec.machine = std::make_shared<const Machine>(std::move(slower));
        return time_of({job_on(spec, compared_.over_all), sides_.back().fastest->mapping()});
    }

    std::optional<SpreadTrials::Both> times_with_computing(double seconds) {
        const auto side = std::ranges::min_element(sides_.begin(), sides_.end() - 1, {},
                                                   [](const Side& one) { return haichi::fastest(*one.times).seconds; });
        const auto time = [&](const Placement& placement, double computing) {
            const Job& job = placement.job();
            return time_of({job.with_workload(with_computing(job.workload(), computing)), placement.mapping()});
        };
        const auto in_one = time(*side->fastest, seconds);
        const auto over_all = time(*sides_.back().fastest, shared_seconds(seconds));
        if (!in_one || !over_all) return std::nullopt;
        return SpreadTrials::Both{*in_one, *over_all};
    }

    const SpreadAdviceOptions& options_;
    const AdviceControl& control_;
    JobSpec one_;  ///< with all parts loaded and the requested nodes
    JobSpec all_;
    ComparedNodes compared_;
    std::vector<Side> sides_;  ///< one per cluster, in the order of compared_.in_one, then one over all clusters
    SpreadAdviceReport report_;
};

}  // namespace

const SimulatedTime& fastest(const SpreadPlace& place) {
    const SimulatedTime* best = place.by_default.empty() ? &place.mapped.front() : &place.by_default.front();
    for (const SimulatedTime& time : place.mapped) {
        if (time.seconds < best->seconds) best = &time;
    }
    return *best;
}

std::string clusters_text(const SpreadPlace& place) {
    std::vector<std::string> numbers;
    for (const std::size_t cluster : place.clusters) numbers.push_back(std::to_string(cluster));
    return (numbers.size() == 1 ? "cluster " : "clusters ") + listed(numbers);
}

std::optional<BreakEven> narrowed(BreakEven between, double resolution, const PaysAt& pays_at) {
    constexpr double kShare = 0.05;
    while (std::abs(between.pays - between.does_not) >
           std::max(kShare * std::max(between.pays, between.does_not), resolution)) {
        const double middle = between.middle();
        const std::optional<bool> pays = pays_at(middle);
        if (!pays) return std::nullopt;
        (*pays ? between.pays : between.does_not) = middle;
    }
    return between;
}

SpreadAdvice advise_spread(const SpreadQuestion& question, const SpreadTrials& trials) {
    return SpreadAdvisor(question, trials).advise();
}

SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control) {
    return SpreadRun(spec, options, control).run();
}

}  // namespace haichi
