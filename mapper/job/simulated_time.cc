#include "mapper/job/simulated_time.h"

#include <algorithm>

#include "mapper/anneal/defaults.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); }

/// Simulations that also end when the time is over or the search was told to stop.
std::optional<double> simulated_seconds(const Job& job, const Mapping& mapping, const RankingLimits& limits,
                                        const SimulationControl& control) {
    std::atomic<bool> stop = false;
    const auto look = [&] {
        if (is_set(control.stop) || is_set(limits.stop) || (limits.end && Clock::now() > *limits.end)) stop = true;
    };
    look();
    if (stop) return std::nullopt;
    SimulationOptions options;
    options.threads = limits.threads;
    SimulationControl watched;
    watched.stop = &stop;
    watched.progress = [&](const SimulationProgress& progress) {
        look();
        if (control.progress) control.progress(progress);
    };
    const auto runs = simulate_placement(*job.machine, *job.allocation, *job.workload, mapping, options, watched);
    if (runs.front().result.interrupted) return std::nullopt;
    return runs.front().result.seconds_per_iteration;
}

}  // namespace

SearchResult search_for_finalists(const Job& job, const StartOfRestart& start, const SearchOptions& options,
                                  const SearchControl& control, std::vector<Finalist>& finalists) {
    const auto began = Clock::now();
    const std::int32_t restarts =
        options.restarts > 0 ? options.restarts : default_restarts(*job.problem, options.schedule);
    const std::int32_t searches = std::min(restarts, kMostFinalists);
    SearchResult all;
    for (std::int32_t k = 0; k < searches; ++k) {
        if (k > 0 && is_set(control.stop)) break;
        const auto first = static_cast<std::int32_t>(std::int64_t{restarts} * k / searches);
        SearchOptions part = options;
        part.restarts = static_cast<std::int32_t>(std::int64_t{restarts} * (k + 1) / searches) - first;
        part.seed = options.seed + static_cast<std::uint64_t>(k);
        if (options.time_limit_seconds) {
            constexpr double kLeast = 1e-3;
            const double left = *options.time_limit_seconds - seconds_since(began);
            part.time_limit_seconds = std::max(left / (searches - k), kLeast);
        }
        SearchControl watched = control;
        if (control.progress) {
            watched.progress = [&](SearchProgress progress) {
                progress.restarts_done += first;
                progress.restarts = restarts;
                progress.fraction_done = (k + progress.fraction_done) / searches;
                control.progress(progress);
            };
        }
        const auto start_of_part = [&](std::int32_t restart) { return start(first + restart); };
        const SearchResult found = job.objective->search(start_of_part, part, watched);
        if (k == 0 || found.value < all.value) {
            all.mapping = found.mapping;
            all.value = found.value;
            all.optimal = found.optimal;
            all.convergence = found.convergence;
        }
        all.lower_bound = found.lower_bound;
        all.evaluations += found.evaluations;
        all.loop_seconds += found.loop_seconds;
        all.interrupted = all.interrupted || found.interrupted;
        finalists.push_back({found.mapping, found.value});
    }
    return all;
}

bool rank_by_simulation(const Job& job, std::vector<Finalist> finalists, const RankingLimits& limits,
                        const SimulationControl& control, MapReport& report) {
    std::ranges::stable_sort(finalists, {}, &Finalist::value);
    const Finalist usual{job.default_placement, job.objective->standing(job.default_placement).value};
    finalists.insert(finalists.begin() + 1, usual);
    report.mapping = finalists.front().mapping;
    std::optional<double> fastest;
    std::vector<const Mapping*> seen;
    std::size_t compared = 0;
    bool is_cut_short = false;
    for (const Finalist& finalist : finalists) {
        const auto is_same = [&](const Mapping* other) { return *other == finalist.mapping; };
        const bool is_default = finalist.mapping == job.default_placement;
        if (std::ranges::any_of(seen, is_same)) continue;
        seen.push_back(&finalist.mapping);
        PlacementCandidate& candidate = report.candidates.emplace_back();
        candidate.is_default = is_default;
        candidate.searched_value = finalist.value;
        if (!is_cut_short) candidate.seconds_per_iteration = simulated_seconds(job, finalist.mapping, limits, control);
        if (!candidate.seconds_per_iteration) {
            is_cut_short = true;
            continue;
        }
        ++compared;
        if (fastest && !(*candidate.seconds_per_iteration < *fastest)) continue;
        fastest = candidate.seconds_per_iteration;
        report.mapping = finalist.mapping;
    }
    if (is_cut_short && (is_set(control.stop) || is_set(limits.stop))) report.interrupted = true;
    if (is_cut_short) report.reproducible = false;
    if (compared >= std::min<std::size_t>(2, seen.size())) return true;
    report.mapping = finalists.front().mapping;
    return false;
}

void report_ranking(const ObjectiveRow& ranking, double seconds_per_iteration, double default_seconds_per_iteration,
                    MapReport& report) {
    report.searched_objective = report.objective;
    report.objective = ranking.name;
    report.unit = ranking.unit;
    report.value = seconds_per_iteration;
    report.default_value = default_seconds_per_iteration;
    report.lower_bound.reset();
    report.counted_value.reset();
    report.counted_lower_bound.reset();
    report.default_counted_value.reset();
    report.optimal = false;
}

}  // namespace haichi
