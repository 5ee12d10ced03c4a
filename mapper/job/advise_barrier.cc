#include "mapper/job/advise_barrier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.h"
#include "base/quantity.h"
#include "mapper/job/job.h"
#include "mgen/process_options.h"
#include "objectives/metrics.h"

namespace haichi {

namespace {

/// A placement whose barriers are asked about.
struct PlacedJob {
    const BarrierAdviceRequest& request;
    const Machine& machine;
    const Allocation& allocation;
    const Mapping& mapping;
    const AdviceControl& control;
};

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

SizedBarrierAdvice advise(const PlacedJob& job, const Workload& workload, const std::vector<std::int64_t>& contention,
                          std::int32_t draws) {
    const BarrierAdviceRequest& request = job.request;
    SizedBarrierAdvice sized;
    BarrierSearchOptions options;
    options.candidates = candidates_of(workload, contention);
    options.set_count = workload.set_count();
    options.draws = draws;
    options.most_simulations = request.most_simulations;
    options.barrier_costs_are_known = job.machine.node.barrier_ps.has_value();
    options.iterations = workload.iterations();
    const std::vector<std::string> missing = missing_times(job.machine);
    if (!missing.empty()) {
        sized.advice.sentence = "Do not know: machine " + job.machine.name + " does not state " + listed(missing) +
                                ", without which simulated times mean nothing.";
        return sized;
    }
    const double hops = packet_hops_per_iteration(job.machine, job.allocation, workload, job.mapping);
    // With too little for all of them there are fewer, as long as no barrier and all of them can be compared.
    constexpr std::int64_t kFewestRuns = 2;
    const std::int64_t runs = std::clamp(affordable_runs(hops, workload.iterations(), request.packet_hops), kFewestRuns,
                                         std::int64_t{request.most_simulations});
    options.most_simulations = static_cast<std::int32_t>(runs);
    const std::int64_t all_runs = std::min(runs, std::int64_t{1} << std::min<std::size_t>(workload.set_count(), 32));
    const auto iterations =
        affordable_iterations(hops, workload.iterations(), all_runs + 2 * (draws - 1), request.packet_hops);
    if (!iterations) {
        sized.advice.sentence =
            "Do not know: simulations of two iterations would pass the budget of packet-hops by far.";
        return sized;
    }
    sized.iterations = *iterations;
    const auto simulate = [&](std::span<const BarrierTrial> trials) {
        std::vector<AdviceRun> batch;
        for (const BarrierTrial& trial : trials) {
            AdviceRun& run = batch.emplace_back();
            run = {&job.machine, &job.allocation, &workload, &job.mapping, {}, {}, *iterations};
            run.imbalance = {request.imbalance_share, request.imbalance_ps,
                             request.seed + static_cast<std::uint64_t>(trial.draw)};
            run.barriers.with = std::ranges::find(trial.barriers, true) != trial.barriers.end();
            run.barriers.without = !run.barriers.with;
            for (std::size_t t = 0; t < trial.barriers.size(); ++t) {
                if (trial.barriers[t]) run.barriers.sets.push_back(t);
            }
        }
        return simulate_runs(batch, request.threads, job.control);
    };
    sized.advice = advise_barriers(options, simulate);
    return sized;
}

void check_imbalance(const BarrierAdviceRequest& request, const Workload& workload) {
    if (request.draws < 1) throw OptionError("at least one draw of the imbalance is needed");
    if (request.imbalance_share == 0) return;
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        if (workload.set(t).compute_seconds > 0) return;
    }
    throw OptionError(
        "a share of the computing time is no imbalance: no set of the workload computes",
        "give a time, as in 20us; or extract the workload with its computing time: haichi ccs --compute mean");
}

std::string sweep_sentence(const BarrierAdviceReport& report) {
    const auto size_text = [](const SizedBarrierAdvice& sized) {
        return std::to_string(*sized.message_size_bytes) + " bytes";
    };
    const auto has = [&](BarrierVerdict verdict) {
        return std::ranges::any_of(report.sizes, [&](const auto& sized) { return sized.advice.verdict == verdict; });
    };
    if (report.interrupted) return "Do not know: interrupted before all sizes were looked at.";
    const std::string largest = size_text(report.sizes.back());
    if (report.pays_from_bytes) {
        const std::string from = std::to_string(*report.pays_from_bytes) + " bytes";
        const bool is_first = *report.pays_from_bytes == *report.sizes.front().message_size_bytes;
        return "Barriers pay from messages of " + from + (is_first ? ", the smallest looked at, on." : " on.");
    }
    if (!has(BarrierVerdict::kSets) && !has(BarrierVerdict::kUnknown)) {
        return "No barrier pays at any of these sizes, up to " + largest + ".";
    }
    if (!has(BarrierVerdict::kSets)) return "Do not know: at no size is it sure that a barrier pays.";
    return "Do not know: barriers pay at some of these sizes, but not at " + largest + ".";
}

}  // namespace

void parse_imbalance(const std::string& text, BarrierAdviceRequest& request) {
    request.imbalance_share = 0;
    request.imbalance_ps = 0;
    if (!text.ends_with('%')) {
        request.imbalance_ps = parse_time_ps(text, {"--imbalance", 0});
        if (request.imbalance_ps > kLongestSimulationPs) throw OptionError("--imbalance: at most 26 days");
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
    request.imbalance_share = static_cast<double>(thousandths) / static_cast<double>(kWhole);
}

BarrierAdviceReport run_advise_barrier(const BarrierAdviceRequest& request, const AdviceControl& control) {
    BarrierAdviceReport report;
    const SimulateRequest& job = request.job;
    const auto loaded = loaded_workload(job.workload, job.workload_format, job.message_size_bytes);
    report.workload = loaded;
    check_imbalance(request, *loaded);
    const Machine machine = loaded_machine(job.machine);
    report.allocation = std::make_shared<const Allocation>(allocate(machine, job.allocation));
    report.is_default_placement = !job.map.has_value();
    report.mapping = requested_placement(job, *loaded, *report.allocation);
    const Problem problem(*loaded, report.allocation->network, report.allocation->ranks_per_node);
    report.set_contention = measure(problem, report.mapping).set_contention;
    report.imbalance_share = request.imbalance_share;
    report.imbalance_ps = request.imbalance_ps;
    const bool has_imbalance = request.imbalance_share > 0 || request.imbalance_ps > 0;
    report.draws = has_imbalance ? request.draws : 1;
    const PlacedJob placed_job{request, machine, *report.allocation, report.mapping, control};
    if (request.sizes.empty()) {
        report.sizes.push_back(advise(placed_job, *loaded, report.set_contention, report.draws));
    }
    std::vector<std::int64_t> sizes = request.sizes;
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const std::int64_t size : sizes) {
        if (report.interrupted) break;
        const Workload sized = loaded->with_message_size(size);
        report.sizes.push_back(advise(placed_job, sized, report.set_contention, report.draws));
        report.sizes.back().message_size_bytes = size;
        report.interrupted = report.sizes.back().advice.interrupted;
    }
    if (request.sizes.empty()) {
        report.interrupted = report.sizes.front().advice.interrupted;
        report.sentence = report.sizes.front().advice.sentence;
        return report;
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
