#include "mapper/choose/auto_judge.h"

#include <algorithm>
#include <mutex>

#include "base/stop_flag.h"
#include "mapper/job/posed_job.h"
#include "mapper/judge/simulation_budget.h"

namespace haichi {

namespace {

using Mappings = std::span<const Mapping* const>;

/// The number of seeds whose placements can be simulated. Assumes that every seed costs as much as the first.
template <class Fits, class Hops>
std::int32_t affordable(Mappings placements, std::int32_t seeds, Fits&& fits, Hops&& hops) {
    const double usual = hops(*placements.front());
    double each = 0;
    for (const Mapping* mapping : placements.subspan(1)) each += hops(*mapping);
    while (seeds > 0 && !fits(usual + seeds * each)) --seeds;
    return seeds;
}

std::vector<double> predicted(const Job& job, Mappings placements) {
    const auto held = job.problem();
    const auto predictor = bind_objective({.name = kPredictor}, held->problem, job.default_placement());
    std::vector<double> seconds;
    for (const Mapping* mapping : placements) seconds.push_back(predictor->standing(*mapping).value);
    return seconds;
}

/// One iteration of the workload's sets, without computation, and with message sizes scaled by `factor`.
Workload loaded_workload(const Workload& workload, double factor) {
    Workload loaded(workload.rank_count());
    loaded.reserve_messages(workload.messages().size());
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        loaded.add_set(workload.set(t).label, 0, workload.set(t).transfer);
        for (const Message& m : workload.messages(t)) {
            const auto size = static_cast<std::int64_t>(static_cast<double>(m.size_bytes) * factor);
            loaded.add_message(m.source, m.destination, std::min(size, kLargestMessageBytes));
        }
    }
    return loaded;
}

}  // namespace

AutoJudge::Times AutoJudge::first_times(Mappings placements, std::int32_t seeds) {
    Plan plan = affordable_plan(placements, seeds);
    Times times{.of_calls = plan.of_calls, .reason = std::move(plan.reason), .seeds = seeds};
    if (plan.seeds > 0) {
        simulation_ = plan.options;
        times.seeds = plan.seeds;
        for (const auto& seconds : simulated(job_, placements, plan.options)) {
            if (seconds) times.seconds.push_back(*seconds);
        }
        times.is_simulated = times.seconds.size() == placements.size();
        if (times.is_simulated) return times;
        times.reason = "the time limit or an interruption ended the simulations";
    }
    simulation_.reset();
    times.of_calls = false;
    times.seconds = predicted(job_, placements);
    return times;
}

std::vector<std::optional<double>> AutoJudge::further_times(Mappings placements) const {
    if (simulation_) return simulated(job_, placements, *simulation_);
    const std::vector<double> seconds = predicted(job_, placements);
    return {seconds.begin(), seconds.end()};
}

std::optional<std::vector<double>> AutoJudge::full_times(Mappings placements) const {
    if (!simulation_ || simulation_->form != TrafficForm::kSets) return std::nullopt;
    double hops = 0;
    for (const Mapping* mapping : placements) hops += packet_hops_per_iteration(Placement(job_, *mapping));
    const auto iterations = affordable_iterations(hops, job_.workload().iterations(), 1, budget_.packet_hops(), 1);
    if (!iterations) return std::nullopt;
    SimulationOptions options = *simulation_;
    options.iterations = *iterations;
    std::vector<double> times;
    for (const std::optional<double>& seconds : simulated(job_, placements, options, true)) {
        if (!seconds) return std::nullopt;
        times.push_back(*seconds);
    }
    return times;
}

std::optional<AutoJudge::LoadedTimes> AutoJudge::loaded_times(Mappings placements) const {
    constexpr std::int64_t kLoadingBytes = 64 << 10;  // 32 packets, so that overheads do not matter
    const Workload& workload = job_.workload();
    if (workload.crossing_message_count() == 0) return std::nullopt;
    const double mean =
        static_cast<double>(workload.total_bytes()) / static_cast<double>(workload.crossing_message_count());
    bool computes = job_.is_of_log();
    for (std::size_t t = 0; t < workload.set_count(); ++t) computes |= workload.set(t).compute_seconds > 0;
    if (!(mean > 0) || (mean >= kLoadingBytes && !computes)) return std::nullopt;

    LoadedTimes times;
    SimulationOptions options;
    options.most_loaded_links = 0;
    options.form = TrafficForm::kSets;
    options.barriers = {.without = false, .with = true};
    options.iterations.rule = SimulatedIterations::Rule::kAll;
    double factor = std::max(kLoadingBytes / mean, 1.0);
    std::optional<Job> loaded;
    double hops = 0;
    for (;; factor /= 2) {
        loaded = job_.with_workload(loaded_workload(workload, factor));
        hops = static_cast<double>(placements.size()) * packet_hops_per_iteration(Placement(*loaded));
        if (hops <= budget_.loaded_packet_hops() || factor <= 1) break;
    }
    times.mean_message_bytes = static_cast<std::int64_t>(mean * factor);
    const auto can_be_simulated = [&] {
        try {
            check_simulation(*loaded, options);
        } catch (const Error&) {
            return false;
        }
        return hops <= budget_.loaded_packet_hops();
    };
    times.is_simulated = can_be_simulated();
    if (!times.is_simulated) {
        times.seconds = predicted(*loaded, placements);
        return times;
    }
    for (const std::optional<double>& seconds : simulated(*loaded, placements, options)) {
        if (!seconds) return std::nullopt;
        times.seconds.push_back(*seconds);
    }
    return times;
}

AutoJudge::Plan AutoJudge::affordable_plan(Mappings placements, std::int32_t seeds) const {
    Plan plan;
    plan.options.most_loaded_links = 0;
    try {
        check_simulation(job_, plan.options);
    } catch (const Error& error) {
        plan.reason = error.what();
        return plan;
    }
    if (replays_calls(job_, plan.options, limits_.simulation.log)) {
        plan.seeds = affordable(
            placements, seeds, [&](double all) { return all <= budget_.packet_hops(); },
            [&](const Mapping& mapping) { return packet_hops_of_calls(Placement(job_, mapping)); });
        plan.of_calls = plan.seeds > 0;
        if (plan.of_calls) return plan;
        plan.reason = "the workload has too many calls to simulate all placements";
    }
    plan.options.form = TrafficForm::kSets;
    const auto fits = [&](double all) {
        const auto iterations = affordable_iterations(all, job_.workload().iterations(), 1, budget_.packet_hops(), 1);
        if (iterations) plan.options.iterations = *iterations;
        return iterations.has_value();
    };
    plan.seeds = affordable(placements, seeds, fits, [&](const Mapping& mapping) {
        return packet_hops_per_iteration(Placement(job_, mapping));
    });
    if (plan.seeds == 0) plan.reason = "the workload has too many packets to simulate all placements";
    return plan;
}

/// Simulates the placements. Times are per iteration for sets, and those of the whole run for calls or if `is_of_run`.
/// An entry is empty if an interruption prevented its simulation.
std::vector<std::optional<double>> AutoJudge::simulated(const Job& job, Mappings placements,
                                                        const SimulationOptions& options, bool is_of_run) const {
    std::vector<std::optional<double>> seconds(placements.size());
    std::mutex mutex;
    const bool of_calls = replays_calls(job, options, limits_.simulation.log);
    // Searches often find the same placement, which is simulated once.
    std::vector<std::size_t> first_equal;
    std::vector<std::size_t> distinct;
    for (std::size_t k = 0; k < placements.size(); ++k) {
        const auto equal =
            std::ranges::find_if(distinct, [&](std::size_t j) { return *placements[j] == *placements[k]; });
        first_equal.push_back(equal == distinct.end() ? k : *equal);
        if (equal == distinct.end()) distinct.push_back(k);
    }
    run_side_by_side(static_cast<std::int64_t>(distinct.size()), limits_.threads, [&](std::int64_t i) {
        if (!limits_.may_go_on()) return;
        StopFlag stop;
        SimulationControl watched;
        watched.stop = &stop;
        watched.log = limits_.simulation.log;
        watched.progress = [&](const SimulationProgress& progress) {
            if (!limits_.may_go_on()) stop = true;
            const std::scoped_lock lock(mutex);
            if (limits_.simulation.progress) limits_.simulation.progress(progress);
        };
        const std::size_t k = distinct[static_cast<std::size_t>(i)];
        const SimulationResult result = simulate_mapping(job, *placements[k], options, watched).front().result;
        if (result.interrupted) return;
        seconds[k] = of_calls || is_of_run ? result.seconds : result.seconds_per_iteration;
    });
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] = seconds[first_equal[k]];
    return seconds;
}

}  // namespace haichi
