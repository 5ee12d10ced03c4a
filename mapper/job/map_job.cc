#include "mapper/job/map_job.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/errors.h"
#include "mapper/job/job.h"
#include "mapper/job/simulated_time.h"
#include "mapper/job/strategy.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/start/start.h"
#include "mapper/tabu/population_search.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHottestLinks = 10;
constexpr std::size_t kMessagesPerHotLink = 8;

ObjectiveValue row_of(const BoundObjective& objective, const Standing& standing) {
    return {.objective = std::string(objective.info().name),
            .unit = std::string(objective.info().unit),
            .value = standing.value,
            .lower_bound = standing.lower_bound,
            .counted_value = standing.counted_value,
            .counted_lower_bound = standing.counted_lower_bound,
            .optimal = standing.optimal};
}

/// The job's own objective first where it is none of the table by its name alone; then all rows that apply.
void tell_objectives(const Job& job, MapReport& report) {
    const ObjectiveRow* own = job.spec.function || !job.spec.terms.empty() ? nullptr : objectives().find(job.spec.name);
    if (own == nullptr) {
        report.objectives.push_back(row_of(*job.objective, job.objective->standing(report.mapping, report.metrics)));
        report.objectives.back().objective = report.objective;
    }
    for (const ObjectiveRow& row : objectives()) {
        if (&row != own && !is_told_unasked(row, *job.problem)) continue;
        const auto objective = row.bind({.name = std::string(row.name)}, *job.problem, job.default_placement);
        report.objectives.push_back(row_of(*objective, objective->standing(report.mapping, report.metrics)));
    }
}

/// Of the objectives that a simulation without barriers is the judge of.
void tell_simulated_objectives(double seconds_per_iteration, MapReport& report) {
    for (const ObjectiveRow& row : objectives()) {
        if (row.searched_as.empty()) continue;
        report.objectives.push_back({.objective = std::string(row.name),
                                     .unit = std::string(row.unit),
                                     .value = seconds_per_iteration,
                                     .lower_bound = {}});
    }
}

/// Where restart number `restart` of a search begins.
StartOfRestart start_of_restarts(const Job& job, const MapRequest& request, const MayGoOn& may_go_on) {
    const auto place = [&job, seed = request.search.seed, may_go_on](const StartRow* row, std::int32_t restart) {
        return row->place(*job.problem, *job.allocation, seed + static_cast<std::uint64_t>(restart), may_go_on)
            .value_or(job.default_placement);
    };
    if (const StartRow* row = find_start(request.start)) {
        return [place, row](std::int32_t restart) { return place(row, restart); };
    }
    if (!request.start.empty()) {
        const Mapping given = read_rank_map(request.start, "", job.rank_maps());
        return [given](std::int32_t) { return given; };
    }
    // The best start first, so that the result is never worse than any of them; then random ones, which are different
    // every time, except on large problems, where no run comes down from random as far.
    constexpr std::size_t kLarge = 2048;
    const Mapping first = best_start(job, *job.objective, request.search.seed, may_go_on);
    const bool is_large = job.problem->communicating_ranks().size() > kLarge;
    return [place, first, is_large](std::int32_t restart) {
        return restart == 0 || is_large ? first : place(find_start("random"), restart);
    };
}

SearchResult search(const Job& job, const std::string& strategy, const StartOfRestart& start,
                    const SearchOptions& options, const SearchControl& control) {
    if (strategy == "tabu") return search_by_tabu(*job.problem, start, options, control);
    if (strategy == "exhaustive") return job.objective->search_all(options.verify, control);
    return job.objective->search(start, options, control);
}

void report_fastest(const ObjectiveRow& ranking, MapReport& report) {
    double fastest = std::numeric_limits<double>::infinity();
    double usual = fastest;
    for (const PlacementCandidate& candidate : report.candidates) {
        if (!candidate.seconds_per_iteration) continue;
        fastest = std::min(fastest, *candidate.seconds_per_iteration);
        if (candidate.is_default) usual = *candidate.seconds_per_iteration;
    }
    report_ranking(ranking, fastest, usual, report);
}

}  // namespace

RankMapContext rank_map_context(const MapReport& report) {
    return {
        .allocation = report.allocation.get(), .rank_count = report.mapping.rank_count(), .hosts = report.hosts.get()};
}

MapReport run_map(const MapRequest& request, const SearchControl& control, const SimulationControl& simulation) {
    const auto start_time = Clock::now();
    (void)strategies().at(request.strategy);
    check_options(request.search);
    const RankMapFormat* format = request.map_format.empty() ? nullptr : &rank_map_format(request.map_format);
    const Job job(request);
    if (format != nullptr) format->check(job.rank_maps());
    if (request.validation || job.ranking != nullptr) {
        check_simulation(job, request.validation.value_or(SimulationOptions{}));
    }
    MapReport report;
    report.seed = request.search.seed;
    report.strategy = chosen_strategy(job, request);
    std::vector<Finalist> finalists;
    RankingLimits ranking{.end = {}, .threads = std::max(request.search.threads, 1), .stop = control.stop};
    bool is_proven = false;  // that nothing is better, whatever the bound says
    const auto stopped = [&] { return control.stop != nullptr && control.stop->load(); };
    if (const StartRow* row = find_start(report.strategy)) {
        const auto placed = row->place(*job.problem, *job.allocation, request.search.seed, [&] { return !stopped(); });
        report.mapping = placed.value_or(job.default_placement);
    } else {
        SearchOptions options = request.search;
        // The limit is on the whole job: the starts may have half of it, the search the rest.
        if (options.time_by_savings) options.time_limit_seconds = seconds_worth_searching(job);
        const std::optional<double> limit = options.time_limit_seconds;
        const auto may_go_on = [&] { return !stopped() && !(limit && seconds_since(start_time) > *limit / 2); };
        const auto start = start_of_restarts(job, request, may_go_on);
        if (limit) {
            // Simulations, too, may have half of what is left.
            const double left = *limit - seconds_since(start_time);
            options.time_limit_seconds = job.ranking != nullptr ? left / 2 : left;
            ranking.end =
                start_time + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit));
        }
        const SearchResult found = job.ranking != nullptr && report.strategy == "anneal"
                                       ? search_for_finalists(job, start, options, control, finalists)
                                       : search(job, report.strategy, start, options, control);
        report.mapping = found.mapping;
        is_proven = report.strategy == "exhaustive" && found.optimal;
        report.evaluations = found.evaluations;
        report.convergence = found.convergence;
        report.time_limit_seconds = limit;
        report.reproducible = !limit && !found.interrupted;
        if (found.loop_seconds > 0) {
            report.evaluations_per_second = static_cast<double>(found.evaluations) / found.loop_seconds;
        }
    }
    report.interrupted = stopped();
    if (report.interrupted) report.reproducible = false;
    bool is_ranked = false;
    if (job.ranking != nullptr) {
        if (finalists.empty()) finalists.push_back({report.mapping, job.objective->standing(report.mapping).value});
        is_ranked = rank_by_simulation(job, std::move(finalists), ranking, simulation, report);
    }
    describe_placement(job, report);
    // Where it is searched elsewhere, it is best there.
    if (is_proven && !report.search_value) report.optimal = true;
    if (is_ranked) report_fastest(*job.ranking, report);
    report.hottest_links = hottest_links(*job.problem, report.mapping, kHottestLinks, kMessagesPerHotLink);
    report.wall_seconds = seconds_since(start_time);
    if (request.validation && !report.interrupted) simulate_placements(job, *request.validation, simulation, report);
    return report;
}

MapReport run_evaluate(const EvaluateRequest& request, const SimulationControl& simulation) {
    const auto start_time = Clock::now();
    const Job job(request);
    if (job.ranking != nullptr && !request.simulation) {
        throw OptionError("objective " + std::string(job.ranking->name) + " needs a simulation", "add --simulate");
    }
    const RankMapContext context = job.rank_maps();
    MapReport report;
    report.strategy = "given";
    report.mapping = given_placement(request.map, request.format, context);
    describe_placement(job, report);
    tell_objectives(job, report);
    report.hottest_links = hottest_links(*job.problem, report.mapping, request.hottest_links, kMessagesPerHotLink);
    report.wall_seconds = seconds_since(start_time);
    if (request.simulation) {
        simulate_placements(job, *request.simulation, simulation, report);
        const SimulatedRun& run = report.simulated->runs.front();
        if (!report.interrupted && !run.has_barriers) {
            const double seconds = run.result.seconds_per_iteration;
            tell_simulated_objectives(seconds, report);
            const double usual = report.simulated->default_runs.front().result.seconds_per_iteration;
            if (job.ranking != nullptr) report_ranking(*job.ranking, seconds, usual, report);
        }
    }
    return report;
}

}  // namespace haichi
