#include "mapper/job/advise_barrier.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/errors.h"
#include "base/quantity.h"
#include "mgen/process_options.h"
#include "objectives/metrics.h"

namespace haichi {

namespace {

/// Sets that may get a barrier: those with contention and the ones behind them first, which contention can slide into.
std::vector<std::size_t> candidates_of(const Workload& workload, const std::vector<std::int64_t>& contention) {
    const std::size_t count = workload.set_count();
    std::vector<std::size_t> sets(count);
    std::iota(sets.begin(), sets.end(), std::size_t{0});
    std::ranges::stable_sort(sets, std::greater<>(), [&](std::size_t t) {
        return std::max(contention[t], contention[(t + count - 1) % count]);
    });
    return sets;
}

/// One answer.
class SizedAdvisor {
  public:
    SizedAdvisor(const BarrierAdviceOptions& asked, std::int32_t draws, const AdviceControl& control)
        : asked_(asked), draws_(draws), control_(control) {}

    SizedBarrierAdvice advise(const Placement& placement, const std::vector<std::int64_t>& contention) const {
        const Machine& machine = placement.job().machine();
        const std::vector<std::string> missing = missing_times(machine);
        if (!missing.empty()) {
            return unknown("machine " + machine.name + " does not state " + listed(missing) +
                           ", without which simulated times mean nothing.");
        }
        BarrierSearchOptions options = search_options(placement.job(), contention);
        const auto iterations = affordable(placement, options.most_simulations);
        if (!iterations) return unknown("simulations of two iterations would pass the budget of packet-hops by far.");
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
    /// All ranks synchronise by RDMA: dissemination, each put complete before the next step.
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
        advice.sentence += " One by put and poll takes " + duration_text(times.front()->seconds) +
                           (pays ? ", so that would pay." : ", so that would not pay.");
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

    /// The iterations of each simulation; lowers the number of simulations to what the budget allows.
    std::optional<SimulatedIterations> affordable(const Placement& placement, std::int32_t& most_simulations) const {
        const Workload& workload = placement.job().workload();
        const double hops = packet_hops_per_iteration(placement);
        // With too little for all of them there are fewer, as long as no barrier and all of them can be compared.
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
            run.imbalance = {asked_.imbalance_share, asked_.imbalance_ps,
                             asked_.seed + static_cast<std::uint64_t>(trial.draw)};
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

void check_imbalance(const BarrierAdviceOptions& options, const Workload& workload) {
    if (options.draws < 1) throw OptionError("at least one draw of the imbalance is needed");
    if (options.imbalance_share == 0) return;
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        if (workload.set(t).compute_seconds > 0) return;
    }
    throw OptionError(
        "the imbalance cannot be a share of the computing time: no set of the workload computes",
        "give a time, as in 20us; or extract the workload with its computing time: haichi ccs --compute mean");
}

std::string sweep_sentence(const BarrierAdviceReport& report) {
    const auto size_text = [](const SizedBarrierAdvice& sized) {
        return std::to_string(*sized.message_size_bytes) + " bytes";
    };
    const auto has = [&](BarrierVerdict verdict) {
        return std::ranges::any_of(report.sizes, [&](const auto& sized) { return sized.advice.verdict == verdict; });
    };
    if (report.interrupted) return "Not known: interrupted before all sizes were looked at.";
    const std::string largest = size_text(report.sizes.back());
    if (report.pays_from_bytes) {
        const std::string from = std::to_string(*report.pays_from_bytes) + " bytes";
        const bool is_first = *report.pays_from_bytes == *report.sizes.front().message_size_bytes;
        return "Barriers pay from messages of " + from + (is_first ? ", the smallest looked at, on." : " on.");
    }
    if (!has(BarrierVerdict::kSets) && !has(BarrierVerdict::kUnknown)) {
        return "No barrier pays at any of these sizes, up to " + largest + ".";
    }
    if (!has(BarrierVerdict::kSets)) return "Not known: at no size is it sure that a barrier pays.";
    return "Not known: barriers pay at some of these sizes, but not at " + largest + ".";
}

}  // namespace

void parse_imbalance(const std::string& text, BarrierAdviceOptions& options) {
    options.imbalance_share = 0;
    options.imbalance_ps = 0;
    if (!text.ends_with('%')) {
        options.imbalance_ps = parse_time_ps(text, {"--imbalance", 0});
        if (options.imbalance_ps > kLongestSimulationPs) throw OptionError("--imbalance: at most 26 days");
        return;
    }
    // Thousandths are enough, and whole numbers are parsed alike everywhere.
    const std::string number = text.substr(0, text.size() - 1);
    const auto point = number.find('.');
    std::string decimals = point == std::string::npos ? "" : number.substr(point + 1);
    if (point == 0 || number.empty()) throw OptionError("--imbalance: no share: " + shown(text), "an example is 5%");
    if (decimals.size() > 3) throw OptionError("--imbalance: at most three decimals, not " + shown(text));
    decimals.resize(3, '0');
    constexpr std::int64_t kWhole = 100'000;
    const std::int64_t thousandths = parse_count(number.substr(0, point) + decimals, kWhole, {"--imbalance", 0});
    options.imbalance_share = static_cast<double>(thousandths) / static_cast<double>(kWhole);
}

BarrierAdviceReport advise_barrier(const Placement& placement, const BarrierAdviceOptions& options,
                                   const AdviceControl& control) {
    const Job& job = placement.job();
    check_imbalance(options, job.workload());
    BarrierAdviceReport report{.placement = placement};
    report.set_contention = measure(job.problem(control.log)->problem, placement.mapping()).set_contention;
    report.imbalance_share = options.imbalance_share;
    report.imbalance_ps = options.imbalance_ps;
    const bool has_imbalance = options.imbalance_share > 0 || options.imbalance_ps > 0;
    report.draws = has_imbalance ? options.draws : 1;
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
    std::vector<SizedBarrierVerdict> verdicts;
    for (const SizedBarrierAdvice& sized : report.sizes) {
        verdicts.push_back({*sized.message_size_bytes, sized.advice.verdict});
    }
    report.pays_from_bytes = barriers_pay_from(verdicts);
    report.sentence = sweep_sentence(report);
    return report;
}

}  // namespace haichi
