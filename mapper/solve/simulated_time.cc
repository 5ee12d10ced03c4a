#include "mapper/solve/simulated_time.h"

#include <algorithm>

#include "mapper/anneal/defaults.h"
#include "mapper/judge/simulate.h"
#include "mapper/search/progress_meter.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

bool is_set(const StopFlag* flag) { return flag != nullptr && flag->load(); }

/// Simulates a mapping. The simulation also ends at the time limit or when the search is stopped.
std::optional<double> simulated_seconds(const Job& job, const Mapping& mapping, const RankingLimits& limits,
                                        const SimulationControl& control) {
    StopFlag stop;
    const auto look = [&] {
        if (is_set(control.stop) || is_set(limits.stop) || (limits.end && Clock::now() > *limits.end)) stop = true;
    };
    look();
    if (stop.load()) return std::nullopt;
    SimulationOptions options;
    options.form = TrafficForm::kSets;  // the search evaluates sets as well
    options.threads = limits.threads;
    SimulationControl watched;
    watched.stop = &stop;
    watched.log = control.log;
    watched.progress = [&](const SimulationProgress& progress) {
        look();
        if (control.progress) control.progress(progress);
    };
    const auto runs = simulate_mapping(job, mapping, options, watched);
    if (runs.front().result.interrupted) return std::nullopt;
    return runs.front().result.seconds_per_iteration;
}

/// A part of a search: the restarts from `first` up to, but not including, `first + restarts`.
struct SearchPart {
    std::int32_t number = 0;
    std::int32_t of = 1;
    std::int32_t first = 0;
    std::int32_t restarts = 0;
};

SearchPart part_of(std::int32_t restarts, std::int32_t parts, std::int32_t k) {
    const auto begin = [&](std::int32_t part) {
        return static_cast<std::int32_t>(std::int64_t{restarts} * part / parts);
    };
    return {k, parts, begin(k), begin(k + 1) - begin(k)};
}

/// The options of a part, which gets its fraction of the time left after `seconds_gone`.
SearchOptions options_of(const SearchPart& part, const SearchOptions& all, double seconds_gone) {
    SearchOptions options = all;
    options.restarts = part.restarts;
    options.seed = all.seed + static_cast<std::uint64_t>(part.number);
    if (all.time_limit_seconds) {
        constexpr double kLeast = 1e-3;
        options.time_limit_seconds =
            std::max((*all.time_limit_seconds - seconds_gone) / (part.of - part.number), kLeast);
    }
    return options;
}

/// Reports the progress of a part as a fraction of all restarts.
SearchControl control_of(const SearchPart& part, const SearchControl& all, std::int32_t restarts) {
    SearchControl control = all;
    if (!all.progress) return control;
    control.progress = [&all, part, restarts](SearchProgress progress) {
        progress.restarts_done += part.first;
        progress.restarts = restarts;
        progress.fraction_done = (part.number + progress.fraction_done) / part.of;
        all.progress(progress);
    };
    return control;
}

void add(const SearchResult& found, bool is_first, SearchResult& all) {
    if (is_first || found.value < all.value) {
        all.mapping = found.mapping;
        all.value = found.value;
        all.optimal = found.optimal;
        all.convergence = found.convergence;
    }
    all.lower_bound = found.lower_bound;
    all.evaluations += found.evaluations;
    all.loop_seconds += found.loop_seconds;
    all.interrupted = all.interrupted || found.interrupted;
}

}  // namespace

SearchResult search_for_finalists(const PosedJob& posed, const StartOfRestart& start, const SearchOptions& options,
                                  const SearchControl& control, std::vector<Finalist>& finalists) {
    const auto began = Clock::now();
    const std::int32_t restarts =
        options.restarts > 0 ? options.restarts : default_restarts(posed.problem(), options.schedule);
    const std::int32_t searches = std::min(restarts, kMostFinalists);
    SearchResult all;
    for (std::int32_t k = 0; k < searches; ++k) {
        if (k > 0 && is_set(control.stop)) break;
        const SearchPart part = part_of(restarts, searches, k);
        const auto start_of_part = [&](std::int32_t restart) { return start(part.first + restart); };
        const SearchResult found = posed.objective->search(
            start_of_part, options_of(part, options, seconds_since(began)), control_of(part, control, restarts));
        add(found, k == 0, all);
        finalists.push_back({found.mapping, found.value});
        if (control.keep) control.keep(all.mapping);
    }
    return all;
}

Mapping fastest_finalist(const PosedJob& posed, std::vector<Finalist> finalists, const RankingLimits& limits,
                         const SimulationControl& control, SearchRecord& record) {
    std::ranges::stable_sort(finalists, {}, &Finalist::value);
    const Mapping& default_placement = posed.job.default_placement();
    // The default placement is compared directly after the best one.
    finalists.push_back({default_placement, posed.objective->standing(default_placement).value});
    std::rotate(finalists.begin() + 1, finalists.end() - 1, finalists.end());
    const Finalist* best = &finalists.front();
    std::optional<double> fastest;
    std::vector<const Mapping*> seen;
    std::size_t compared = 0;
    bool is_cut_short = false;
    for (const Finalist& finalist : finalists) {
        const auto is_same = [&](const Mapping* other) { return *other == finalist.mapping; };
        if (std::ranges::any_of(seen, is_same)) continue;
        seen.push_back(&finalist.mapping);
        PlacementCandidate& candidate = record.candidates.emplace_back();
        candidate.is_default = finalist.mapping == default_placement;
        candidate.searched_value = finalist.value;
        if (!is_cut_short) {
            candidate.seconds_per_iteration = simulated_seconds(posed.job, finalist.mapping, limits, control);
        }
        control.log.debug("candidate {}{}: {} {}, simulated {} s", record.candidates.size(),
                          candidate.is_default ? " (default)" : "", posed.objective->info().name,
                          candidate.searched_value,
                          candidate.seconds_per_iteration ? fmt::format("{}", *candidate.seconds_per_iteration) : "no");
        if (!candidate.seconds_per_iteration) {
            is_cut_short = true;
            continue;
        }
        ++compared;
        if (fastest && !(*candidate.seconds_per_iteration < *fastest)) continue;
        fastest = candidate.seconds_per_iteration;
        best = &finalist;
    }
    if (is_cut_short && (is_set(control.stop) || is_set(limits.stop))) record.interrupted = true;
    if (is_cut_short) record.reproducible = false;
    record.is_ranked = compared >= std::min<std::size_t>(2, seen.size());
    return record.is_ranked ? best->mapping : finalists.front().mapping;
}

}  // namespace haichi
