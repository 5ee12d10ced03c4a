#include "mapper/judge/evaluate.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/errors.h"
#include "mapper/search/progress_meter.h"

namespace haichi {

namespace {

ObjectiveValue row_of(const Problem& problem, const BoundObjective& objective, const Standing& standing) {
    return {.objective = std::string(objective.info().name),
            .unit = unit_on(problem.network(), objective.info().unit),
            .value = standing.value,
            .lower_bound = standing.lower_bound,
            .counted_value = standing.counted_value,
            .counted_lower_bound = standing.counted_lower_bound,
            .optimal = standing.optimal};
}

bool was_found_by_simulation(const Placement& placement) {
    return placement.search() != nullptr && !placement.search()->candidates.empty();
}

/// Replaces `auto` by the searched objective, if there was a search. If the search used the chosen objective, its
/// tie-breaking order is kept unless another one is named.
ObjectiveChoice asked_objective(const Placement& placement, ObjectiveChoice choice) {
    const SearchRecord* search = placement.search();
    // Only the name of a user's own function is known, so it cannot be evaluated.
    const bool is_known = search != nullptr && objectives().find(search->objective) != nullptr;
    if (choice.is_auto() && is_known) choice.name = search->objective;
    if (!choice.then && search != nullptr && search->objective == choice.name) choice.then = search->next;
    return choice;
}

void measure_asked(const PosedJob& posed, Evaluation& out) {
    const Mapping& mapping = out.placement.mapping();
    const Mapping& usual = posed.job.default_placement();
    out.metrics = measure_all(posed.problem(), mapping, usual);
    out.default_metrics = measure_all(posed.problem(), usual, usual);
    const Standing standing = posed.objective->standing(mapping, out.metrics);
    out.asked = row_of(posed.problem(), *posed.objective, standing);
    out.asked.objective = to_string(posed.spec);
    out.search_value = standing.search_value;
    out.usual = row_of(posed.problem(), *posed.objective, posed.objective->standing(usual, out.default_metrics));
    // An objective that is searched on another topology is optimal on that topology, not on the real one.
    const SearchRecord* search = out.placement.search();
    const bool is_proven = search != nullptr && search->is_proven && search->objective == out.asked.objective;
    if (is_proven && !out.search_value) out.asked.optimal = true;
    bool is_optimal_before = out.asked.optimal;
    for (const auto& objective : posed.next) {
        ObjectiveValue row = row_of(posed.problem(), *objective, objective->standing(mapping, out.metrics));
        row.optimal = is_optimal_before && (row.optimal || is_proven);
        is_optimal_before = row.optimal;
        out.next.push_back(std::move(row));
    }
}

/// Adds the values of all applicable table entries. The requested objective comes first if the table has no entry of
/// its name.
void add_objectives(const PosedJob& posed, Evaluation& out) {
    const ObjectiveSpec& spec = posed.spec;
    const ObjectiveRow* own = spec.function || !spec.terms.empty() ? nullptr : objectives().find(spec.name);
    if (own == nullptr) out.objectives.push_back(out.asked);
    for (const ObjectiveRow& row : objectives()) {
        if (&row != own && !is_told_unasked(row, posed.problem())) continue;
        const auto objective =
            row.bind({.name = std::string(row.name)}, posed.problem(), posed.job.default_placement());
        out.objectives.push_back(
            row_of(posed.problem(), *objective, objective->standing(out.placement.mapping(), out.metrics)));
    }
}

ObjectiveValue simulated_row(const ObjectiveRow& row, double seconds) {
    return {.objective = std::string(row.name), .unit = std::string(row.unit), .value = seconds};
}

/// Replaces the objective of the search in an evaluation with `ranking`, which is simulated-time.
void take_simulated_time(const ObjectiveRow& ranking, double seconds, double default_seconds, Evaluation& out) {
    if (!out.searched_objective) out.searched_objective = out.asked.objective;
    out.asked = simulated_row(ranking, seconds);
    out.usual = simulated_row(ranking, default_seconds);
}

void take_ranking(const ObjectiveRow& ranking, const SearchRecord& search, Evaluation& out) {
    double fastest = std::numeric_limits<double>::infinity();
    double usual = fastest;
    for (const PlacementCandidate& candidate : search.candidates) {
        if (!candidate.seconds_per_iteration) continue;
        fastest = std::min(fastest, *candidate.seconds_per_iteration);
        if (candidate.is_default) usual = *candidate.seconds_per_iteration;
    }
    take_simulated_time(ranking, fastest, usual, out);
}

bool is_interrupted(const std::vector<SimulatedRun>& runs) { return runs.back().result.interrupted; }

/// Simulates the placement and the default placement.
SimulatedPlacement simulate_both(const Placement& placement, const SimulationOptions& options,
                                 const SimulationControl& control) {
    const Job& job = placement.job();
    SimulatedPlacement out;
    out.runs = simulate_mapping(job, placement.mapping(), options, control);
    if (is_interrupted(out.runs)) return out;
    const bool is_same = placement.mapping() == job.default_placement();
    out.default_runs = is_same ? out.runs : simulate_mapping(job, job.default_placement(), options, control);
    return out;
}

void add_simulation(const PosedJob& posed, const EvaluateOptions& options, const SimulationControl& control,
                    Evaluation& out) {
    out.simulated = simulate_both(out.placement, *options.simulation, control);
    if (out.simulated->default_runs.empty() || is_interrupted(out.simulated->default_runs)) {
        out.interrupted = true;
        return;
    }
    const SimulatedRun& run = out.simulated->runs.front();
    if (run.has_barriers) return;
    const double seconds = run.result.seconds_per_iteration;
    for (const ObjectiveRow& row : objectives()) {
        if (options.all_objectives && !row.searched_as.empty()) out.objectives.push_back(simulated_row(row, seconds));
    }
    const double usual = out.simulated->default_runs.front().result.seconds_per_iteration;
    if (posed.ranking != nullptr) take_simulated_time(*posed.ranking, seconds, usual, out);
}

}  // namespace

Evaluation evaluate(const Placement& placement, const EvaluateOptions& options, const SimulationControl& simulation) {
    constexpr std::size_t kMessagesPerHotLink = 8;
    const auto start_time = std::chrono::steady_clock::now();
    const ObjectiveChoice objective = asked_objective(placement, options.objective);
    const PosedJob posed(placement.job(), objective, simulation.log);
    const ObjectiveRow* ranking = posed.ranking;
    if (ranking != nullptr && !options.simulation && !was_found_by_simulation(placement)) {
        throw OptionError("objective " + std::string(ranking->name) + " requires a simulation", "add §simulate");
    }
    Evaluation out{.placement = placement};
    const SearchRecord* search = placement.search();
    out.interrupted = search != nullptr && search->interrupted;
    measure_asked(posed, out);
    if (options.if_turned) out.rotated = worst_rotated_value(placement, objective, out.asked.value);
    if (options.all_objectives) add_objectives(posed, out);
    if (ranking != nullptr && search != nullptr && search->is_ranked) take_ranking(*ranking, *search, out);
    out.most_loaded_links =
        most_loaded_links(posed.problem(), placement.mapping(), options.most_loaded_links, kMessagesPerHotLink);
    out.wall_seconds = seconds_since(start_time);
    if (options.simulation) add_simulation(posed, options, simulation, out);
    return out;
}

double wall_seconds(const Evaluation& evaluation) {
    const SearchRecord* search = evaluation.placement.search();
    return evaluation.wall_seconds + (search == nullptr ? 0 : search->wall_seconds);
}

}  // namespace haichi
