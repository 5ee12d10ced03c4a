#include "mapper/advise/barrier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/quantity.h"
#include "commlog/ccs/extraction.h"
#include "mapper/judge/simulation_budget.h"
#include "mgen/process_options.h"
#include "objectives/metrics.h"

namespace haichi {

namespace {

std::vector<std::size_t> sets_of(const std::vector<bool>& barriers) {
    std::vector<std::size_t> sets;
    for (std::size_t t = 0; t < barriers.size(); ++t) {
        if (barriers[t]) sets.push_back(t);
    }
    return sets;
}

std::int64_t count_of(const std::vector<bool>& barriers) { return std::ranges::count(barriers, true); }

/// The choices tried so far, with their times under the first draw.
class Trials {
  public:
    Trials(const BarrierSearchOptions& options, const BarrierSimulations& simulate)
        : options_(options), simulate_(simulate) {}

    /// Simulates those of `choices` that are not tried yet, under the first draw. Returns false after an interruption.
    bool run(const std::vector<std::vector<bool>>& choices) {
        std::vector<BarrierTrial> trials;
        for (const std::vector<bool>& choice : choices) {
            if (!find(choice)) trials.push_back({choice, 0});
        }
        const auto times = simulate_(trials);
        for (std::size_t i = 0; i < trials.size(); ++i) {
            if (!times[i]) return false;
            tried_.emplace_back(std::move(trials[i].barriers), std::vector{*times[i]});
            ++simulations_;
        }
        return true;
    }

    /// Simulates these choices with the other random draws. Returns false after an interruption. No choice then gets
    /// times for the other draws.
    bool run_other_draws(const std::vector<std::vector<bool>>& choices) {
        std::vector<BarrierTrial> trials;
        for (const std::vector<bool>& choice : choices) {
            for (std::int32_t draw = 1; draw < options_.draws; ++draw) trials.push_back({choice, draw});
        }
        const auto times = simulate_(trials);
        if (std::ranges::any_of(times, [](const auto& time) { return !time; })) return false;
        for (std::size_t i = 0; i < trials.size(); ++i) entry(trials[i].barriers)->second.push_back(*times[i]);
        simulations_ += static_cast<std::int64_t>(trials.size());
        return true;
    }

    [[nodiscard]] const std::vector<SimulatedTime>* find(const std::vector<bool>& choice) const {
        const auto found = std::ranges::find(tried_, choice, &Tried::first);
        return found == tried_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const SimulatedTime& first(const std::vector<bool>& choice) const { return find(choice)->front(); }

    /// The best choice for which `is_meant` holds, or nothing. Among the choices within tolerance of the fastest, this
    /// is the one with the fewest barriers. Ties go to the faster one.
    template <class IsMeant>
    [[nodiscard]] std::optional<std::vector<bool>> best(const IsMeant& is_meant) const {
        const SimulatedTime* fastest = nullptr;
        for (const auto& [choice, times] : tried_) {
            if (is_meant(choice) && (fastest == nullptr || times.front().seconds < fastest->seconds)) {
                fastest = &times.front();
            }
        }
        if (fastest == nullptr) return std::nullopt;
        const double limit = fastest->seconds + fastest->tolerance_seconds;
        const Tried* best = nullptr;
        const auto rank = [](const Tried& tried) { return std::pair(count_of(tried.first), tried.second[0].seconds); };
        for (const Tried& tried : tried_) {
            if (!is_meant(tried.first) || tried.second.front().seconds > limit) continue;
            if (best == nullptr || rank(tried) < rank(*best)) best = &tried;
        }
        return best->first;
    }

    [[nodiscard]] std::int64_t simulations() const { return simulations_; }
    [[nodiscard]] std::vector<BarrierChoiceTimes> choices() const {
        std::vector<BarrierChoiceTimes> all;
        for (const auto& [choice, times] : tried_) all.push_back({sets_of(choice), times});
        return all;
    }

  private:
    using Tried = std::pair<std::vector<bool>, std::vector<SimulatedTime>>;

    Tried* entry(const std::vector<bool>& choice) { return &*std::ranges::find(tried_, choice, &Tried::first); }

    const BarrierSearchOptions& options_;
    const BarrierSimulations& simulate_;
    std::vector<Tried> tried_;  ///< a few dozen entries at most
    std::int64_t simulations_ = 0;
};

std::vector<bool> choice_of(const BarrierSearchOptions& options, std::uint32_t bits) {
    std::vector<bool> choice(options.set_count);
    for (std::size_t k = 0; k < options.candidates.size(); ++k) choice[options.candidates[k]] = (bits >> k & 1) != 0;
    return choice;
}

bool try_all(const BarrierSearchOptions& options, Trials& trials) {
    std::vector<std::vector<bool>> choices;
    for (std::uint32_t bits = 0; bits < 1U << options.candidates.size(); ++bits) {
        choices.push_back(choice_of(options, bits));
    }
    // Ordered by the number of sets: {}, {1}, {2}, .., {1, 2}, ..
    std::ranges::stable_sort(choices, [](const auto& a, const auto& b) {
        return std::pair(count_of(a), sets_of(a)) < std::pair(count_of(b), sets_of(b));
    });
    return trials.run(choices);
}

/// Changes one choice step by step (advise_barriers()). Returns false after an interruption.
bool try_greedily(const BarrierSearchOptions& options, Trials& trials) {
    const std::vector<bool> none(options.set_count);
    std::vector<bool> all(options.set_count);
    for (const std::size_t t : options.candidates) all[t] = true;
    if (!trials.run({none, all})) return false;
    std::vector<bool> at = trials.first(all).seconds < trials.first(none).seconds ? all : none;
    for (;;) {
        const std::int64_t left = options.most_simulations - trials.simulations();
        std::vector<std::vector<bool>> next;
        std::int64_t fresh = 0;
        for (const std::size_t t : options.candidates) {
            std::vector<bool> choice = at;
            choice[t] = !choice[t];
            if (trials.find(choice) == nullptr && ++fresh > left) break;
            next.push_back(std::move(choice));
        }
        if (next.empty()) return true;
        if (!trials.run(next)) return false;
        const auto seconds = [&](const std::vector<bool>& choice) { return trials.first(choice).seconds; };
        const double limit = seconds(at) - trials.first(at).tolerance_seconds;
        std::vector<bool> best = *std::ranges::min_element(next, {}, seconds);
        // Also tries all helpful changes at once. With many barriers, each single barrier is often superfluous.
        std::vector<bool> together = at;
        for (const std::vector<bool>& choice : next) {
            if (!(seconds(choice) < limit)) continue;
            for (std::size_t t = 0; t < at.size(); ++t) {
                if (choice[t] != at[t]) together[t] = choice[t];
            }
        }
        if (trials.find(together) == nullptr && trials.simulations() < options.most_simulations) {
            if (!trials.run({together})) return false;
            if (seconds(together) < seconds(best)) best = together;
        }
        if (!(seconds(best) < limit)) return true;
        at = best;
    }
}

std::string gain_text(const BarrierAdvice& advice, double without) {
    return duration_text(advice.gain_seconds) + " (" + percent_text(advice.gain_seconds / without) +
           ") saved, spread " + duration_text(advice.spread_seconds);
}

/// Compares the best choice that has barriers with no barrier. Both are simulated in all draws.
void decide(const BarrierSearchOptions& options, std::span<const SimulatedTime> without,
            std::span<const SimulatedTime> with, BarrierAdvice& advice) {
    std::vector<SimulatedTime> gains;
    std::size_t winning = 0;
    for (std::size_t d = 0; d < without.size(); ++d) {
        gains.push_back(
            {without[d].seconds - with[d].seconds, without[d].tolerance_seconds + with[d].tolerance_seconds});
        winning += gains.back().seconds > 0 ? 1 : 0;
    }
    const TimeSpread gain = spread_of(gains);
    advice.gain_seconds = gain.mean_seconds;
    advice.spread_seconds = gain.spread_seconds;
    const double usual = spread_of(without).mean_seconds;
    const double best = spread_of(with).mean_seconds;
    const std::string before =
        (advice.sets.size() == 1 ? "a barrier before " : "barriers before ") + sets_text(advice.sets);
    const std::string times = duration_text(best) + " instead of " + duration_text(usual);
    if (winning == 0) {
        const double longer = -gain.mean_seconds / usual;
        advice.verdict = BarrierVerdict::kNone;
        advice.sentence = "No barrier: the best choice with barriers, before " + sets_text(advice.sets) + ", takes " +
                          times + (longer > 0 ? ", " + percent_text(longer) + " longer." : ".");
        return;
    }
    if (winning < gains.size()) {
        advice.sentence = "Not known: " + before + " saves time in " + std::to_string(winning) + " of " +
                          std::to_string(gains.size()) + " draws of the imbalance, and costs time in the others.";
        return;
    }
    if (!options.barrier_costs_are_known) {
        const auto barriers = static_cast<double>(advice.sets.size());
        advice.break_even_seconds = gain.mean_seconds / (barriers * static_cast<double>(options.iterations));
        advice.sentence = "Not known: the machine does not state node.barrier, the cost of a barrier; " + before +
                          " saves time if it is less than " + duration_text(*advice.break_even_seconds) + ".";
        return;
    }
    if (!(gain.mean_seconds > gain.spread_seconds)) {
        advice.sentence = "Not known: " + before + " takes " + times + ", a difference within the spread of " +
                          duration_text(gain.spread_seconds) + ".";
        return;
    }
    advice.verdict = BarrierVerdict::kSets;
    advice.sentence = "Use " + before + ": " + times + ", " + gain_text(advice, usual) + ".";
}

/// Sets that may get a barrier. Sets with contention come first, together with the sets after them, because contention
/// can spread into the next set.
std::vector<std::size_t> candidates_of(const Workload& workload, const std::vector<std::int64_t>& contention) {
    const std::size_t count = workload.set_count();
    std::vector<std::size_t> sets(count);
    std::iota(sets.begin(), sets.end(), std::size_t{0});
    std::ranges::stable_sort(sets, std::greater<>(), [&](std::size_t t) {
        return std::max(contention[t], contention[(t + count - 1) % count]);
    });
    return sets;
}

/// Computes the advice for one message size.
class SizedAdvisor {
  public:
    SizedAdvisor(const BarrierAdviceOptions& asked, std::int32_t draws, const AdviceControl& control)
        : asked_(asked), draws_(draws), control_(control) {}

    SizedBarrierAdvice advise(const Placement& placement, const std::vector<std::int64_t>& contention) const {
        const std::string why = why_times_mean_nothing(placement.job().machine());
        if (!why.empty()) return unknown(why + ".");
        BarrierSearchOptions options = search_options(placement.job(), contention);
        const auto iterations = affordable(placement, options.most_simulations);
        if (!iterations) return unknown("simulations of two iterations would far exceed the budget of packet-hops.");
        control_.log.info("advice: at most {} simulations for {} sets, {} draws of the imbalance",
                          options.most_simulations, options.set_count, draws_);
        SizedBarrierAdvice sized;
        sized.iterations = *iterations;
        sized.advice = advise_barriers(
            options, [&](std::span<const BarrierTrial> trials) { return simulate(placement, trials, *iterations); });
        if (sized.advice.break_even_seconds) count_put_barrier(placement, sized.advice);
        return sized;
    }

  private:
    /// Adds the time of a barrier by RDMA over all ranks. The barrier uses dissemination, and each put completes before
    /// the next step.
    void count_put_barrier(const Placement& placement, BarrierAdvice& advice) const {
        const std::int32_t ranks = placement.job().workload().rank_count();
        Workload steps(ranks);
        for (std::int64_t ahead = 1; ahead < ranks; ahead *= 2) {
            steps.add_set("", 0, Transfer::kPut);
            for (std::int32_t r = 0; r < ranks; ++r) {
                steps.add_message(RankId(r), RankId(static_cast<std::int32_t>((r + ahead) % ranks)), 0);
            }
        }
        const Placement barrier(placement.job().with_workload(std::move(steps)), placement.mapping());
        AdviceRun run;
        run.placement = &barrier;
        run.iterations = {SimulatedIterations::Rule::kAll, 0};
        const auto times = simulate_runs(std::span(&run, 1), asked_.threads, control_);
        if (!times.front()) return;
        advice.put_barrier_seconds = times.front()->seconds;
        const bool pays = times.front()->seconds < *advice.break_even_seconds;
        advice.sentence += " A barrier by put and poll takes " + duration_text(times.front()->seconds) +
                           (pays ? ", so it would save time." : ", so it would not save time.");
    }

    static SizedBarrierAdvice unknown(const std::string& why) {
        SizedBarrierAdvice sized;
        sized.advice.sentence = "Not known: " + why;
        return sized;
    }

    [[nodiscard]] BarrierSearchOptions search_options(const Job& job,
                                                      const std::vector<std::int64_t>& contention) const {
        BarrierSearchOptions options;
        options.candidates = candidates_of(job.workload(), contention);
        options.set_count = job.workload().set_count();
        options.draws = draws_;
        options.most_simulations = asked_.most_simulations;
        options.barrier_costs_are_known = job.machine().node.barrier_ps.has_value();
        options.iterations = job.workload().iterations();
        return options;
    }

    /// Returns the iterations of each simulation. Reduces `most_simulations` to what the budget allows.
    std::optional<SimulatedIterations> affordable(const Placement& placement, std::int32_t& most_simulations) const {
        const Workload& workload = placement.job().workload();
        const double hops = packet_hops_per_iteration(placement);
        // A smaller budget gives fewer simulations, but always enough to compare no barrier with all barriers.
        constexpr std::int64_t kFewestRuns = 2;
        const std::int64_t runs = std::clamp(affordable_runs(hops, workload.iterations(), asked_.packet_hops),
                                             kFewestRuns, std::int64_t{asked_.most_simulations});
        most_simulations = static_cast<std::int32_t>(runs);
        const std::int64_t all_runs =
            std::min(runs, std::int64_t{1} << std::min<std::size_t>(workload.set_count(), 32));
        return affordable_iterations(hops, workload.iterations(), all_runs + 2 * (draws_ - 1), asked_.packet_hops);
    }

    [[nodiscard]] std::vector<std::optional<SimulatedTime>> simulate(const Placement& placement,
                                                                     std::span<const BarrierTrial> trials,
                                                                     const SimulatedIterations& iterations) const {
        std::vector<AdviceRun> batch;
        for (const BarrierTrial& trial : trials) {
            AdviceRun& run = batch.emplace_back();
            run.placement = &placement;
            run.iterations = iterations;
            run.imbalance = asked_.imbalance;
            run.imbalance.seed += static_cast<std::uint64_t>(trial.draw);
            run.barriers.with = std::ranges::find(trial.barriers, true) != trial.barriers.end();
            run.barriers.without = !run.barriers.with;
            for (std::size_t t = 0; t < trial.barriers.size(); ++t) {
                if (trial.barriers[t]) run.barriers.sets.push_back(t);
            }
        }
        return simulate_runs(batch, asked_.threads, control_);
    }

    const BarrierAdviceOptions& asked_;
    std::int32_t draws_;
    const AdviceControl& control_;
};

std::string sweep_sentence(const BarrierAdviceReport& report) {
    const auto size_text = [](const SizedBarrierAdvice& sized) {
        return std::to_string(*sized.message_size_bytes) + " bytes";
    };
    const auto has = [&](BarrierVerdict verdict) {
        return std::ranges::any_of(report.sizes, [&](const auto& sized) { return sized.advice.verdict == verdict; });
    };
    if (report.interrupted) return "Not known: interrupted before all sizes were simulated.";
    const std::string largest = size_text(report.sizes.back());
    if (report.pays_from_bytes) {
        const std::string from = std::to_string(*report.pays_from_bytes) + " bytes";
        const bool is_first = *report.pays_from_bytes == *report.sizes.front().message_size_bytes;
        return "Barriers save time for messages of at least " + from + (is_first ? ", the smallest size." : ".");
    }
    if (!has(BarrierVerdict::kSets) && !has(BarrierVerdict::kUnknown)) {
        return "No barrier saves time at any of these sizes, up to " + largest + ".";
    }
    if (!has(BarrierVerdict::kSets)) return "Not known: a barrier does not save time with certainty at any size.";
    return "Not known: barriers save time at some of these sizes, but not at " + largest + ".";
}

/// The placement with computation before its sets: the mean times between the log's calls. Sets from a log contain no
/// times, so that all runs of a program give the same sets.
Placement with_computation(const Placement& given, const Log& log) {
    const Job& job = given.job();
    const JobLog* const calls = job.is_of_log() ? job.calls(log) : nullptr;
    if (calls == nullptr) return given;
    const Workload& sets = job.workload();
    ExtractionOptions options;
    options.compute_time = ComputeTime::kMean;
    const Workload timed = extract_sets(*calls, options).workload;
    if (timed.set_count() != sets.set_count()) return given;
    std::vector<Workload::Set> computing;
    for (std::size_t t = 0; t < sets.set_count(); ++t) {
        computing.push_back(sets.set(t));  // with the message sizes of this job, which may differ from the log's
        computing.back().compute_seconds = timed.set(t).compute_seconds;
    }
    const Job computes = job.with_workload(Workload(sets.rank_count(), sets.iterations(), std::move(computing),
                                                    {sets.messages().begin(), sets.messages().end()}));
    return given.is_default() ? Placement(computes) : Placement(computes, given.mapping());
}

}  // namespace

BarrierAdvice advise_barriers(const BarrierSearchOptions& options, const BarrierSimulations& simulate) {
    BarrierAdvice advice;
    Trials trials(options, simulate);
    const std::size_t candidates = options.candidates.size();
    advice.tried_all = candidates <= kMostSetsTriedAll && 1 << candidates <= options.most_simulations;
    bool is_complete = advice.tried_all ? try_all(options, trials) : try_greedily(options, trials);
    const std::vector<bool> none(options.set_count);
    const auto best = trials.best([](const std::vector<bool>& choice) { return count_of(choice) > 0; });
    if (best) advice.sets = sets_of(*best);
    if (is_complete && best) is_complete = trials.run_other_draws({none, *best});
    advice.choices = trials.choices();
    advice.simulations = trials.simulations();
    advice.interrupted = !is_complete;
    if (!is_complete) {
        advice.sentence = "Not known: interrupted after " + std::to_string(advice.simulations) + " simulations.";
    } else if (!best) {
        advice.verdict = BarrierVerdict::kNone;
        advice.sentence = "No barrier: the workload has no set that a barrier could precede.";
    } else {
        decide(options, *trials.find(none), *trials.find(*best), advice);
    }
    return advice;
}

std::string sets_text(std::span<const std::size_t> sets) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> numbers;
    for (const std::size_t t : sets.first(std::min(sets.size(), kMost))) numbers.push_back(std::to_string(t + 1));
    if (sets.size() > kMost) numbers.push_back(std::to_string(sets.size() - kMost) + " more");
    return (sets.size() == 1 ? "set " : "sets ") + listed(numbers);
}

std::optional<std::int64_t> barriers_pay_from(std::span<const SizedBarrierAdvice> sizes) {
    std::optional<std::int64_t> from;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i].advice.verdict != BarrierVerdict::kSets) break;
        from = sizes[i].message_size_bytes;
    }
    return from;
}

BarrierAdviceReport advise_barrier(const Placement& given, const BarrierAdviceOptions& options,
                                   const AdviceControl& control) {
    const Placement placement = with_computation(given, control.log);
    const Job& job = placement.job();
    if (options.draws < 1) throw OptionError("the imbalance requires at least one draw");
    check_imbalance(options.imbalance, job.workload(), options.imbalance.varies ? "a spread" : "an imbalance");
    BarrierAdviceReport report{.placement = placement};
    report.is_of_log = given.job().is_of_log();
    for (std::size_t t = 0; t < job.workload().set_count(); ++t) {
        report.compute_seconds += job.workload().set(t).compute_seconds;
    }
    report.set_contention = measure(job.problem(control.log)->problem, placement.mapping()).set_contention;
    report.imbalance = options.imbalance;
    report.draws = options.imbalance.is_even() ? 1 : options.draws;
    const SizedAdvisor advisor(options, report.draws, control);
    if (options.sizes.empty()) {
        report.sizes.push_back(advisor.advise(placement, report.set_contention));
        report.interrupted = report.sizes.front().advice.interrupted;
        report.sentence = report.sizes.front().advice.sentence;
        return report;
    }
    const std::set<std::int64_t> sizes(options.sizes.begin(), options.sizes.end());
    for (const std::int64_t size : sizes) {
        if (report.interrupted) break;
        const Placement sized(job.with_message_size(size), placement.mapping());
        report.sizes.push_back(advisor.advise(sized, report.set_contention));
        report.sizes.back().message_size_bytes = size;
        report.interrupted = report.sizes.back().advice.interrupted;
    }
    report.pays_from_bytes = barriers_pay_from(report.sizes);
    report.sentence = sweep_sentence(report);
    return report;
}

}  // namespace haichi
