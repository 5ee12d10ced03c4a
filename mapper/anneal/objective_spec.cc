#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/errors.h"
#include "base/split.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"

namespace haichi {

namespace {

constexpr const char* kExample = "write terms and weights, as in weighted(hop-bytes=0.7,tac3=0.3)";

double parse_weight(std::string_view text, std::string_view whole) {
    double weight = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
    // The limits keep every sum far from infinity and from zero.
    constexpr double kSmallest = 1e-12;
    constexpr double kLargest = 1e12;
    if (error != std::errc{} || end != text.data() + text.size() || !(weight >= kSmallest && weight <= kLargest)) {
        throw OptionError("invalid weight " + shown(text) + " in " + shown(whole) + " (a number from 1e-12 to 1e12)");
    }
    return weight;
}

WeightedTerm parse_term(std::string_view term, const ObjectiveRow& sum, std::string_view whole) {
    const auto equals = term.find('=');
    if (equals == std::string_view::npos) {
        throw OptionError("expected NAME=WEIGHT in " + shown(whole) + ", found " + shown(term));
    }
    const ObjectiveRow& row = objectives().at(term.substr(0, equals));
    const std::string name(row.name);
    if (row.needs_terms) throw OptionError(std::string(sum.name) + "() cannot contain " + name + "()");
    if (!row.searched_as.empty()) {
        throw OptionError(std::string(sum.name) + "() cannot contain " + name,
                          "use another objective, because this one only ranks the placements of a search");
    }
    return {name, parse_weight(term.substr(equals + 1), whole), row.make_term};
}

}  // namespace

ObjectiveSpec parse_objective(std::string_view text) {
    const auto open = text.find('(');
    const ObjectiveRow& row = objectives().at(text.substr(0, open));
    ObjectiveSpec spec{.name = std::string(row.name)};
    if (open == std::string_view::npos) {
        if (row.needs_terms) throw OptionError("objective " + spec.name + " requires terms", kExample);
        return spec;
    }
    if (!row.needs_terms || !text.ends_with(')')) throw OptionError("cannot read objective " + shown(text), kExample);
    for (const std::string_view term : split(text.substr(open + 1, text.size() - open - 2), ',')) {
        spec.terms.push_back(parse_term(term, row, text));
    }
    return spec;
}

std::vector<std::string> parse_next(std::string_view text) {
    std::vector<std::string> names;
    if (text == "none") return names;
    for (const std::string_view name : split(text, ',')) names.emplace_back(name);
    return names;
}

void set_next(const std::vector<std::string>& names, ObjectiveSpec& spec) {
    constexpr const char* kOption = "§then: ";
    if (names.size() > kMostNext) {
        throw OptionError(kOption + std::to_string(names.size()) + " objectives (at most " + std::to_string(kMostNext) +
                          ")");
    }
    std::vector<std::string> seen = {spec.name};
    spec.then.clear();
    for (const std::string& name : names) {
        const ObjectiveRow& row = objectives().at(name);
        if (row.make_term == nullptr) {
            throw OptionError(kOption + name + " cannot break ties",
                              row.needs_terms
                                  ? "name an objective without terms"
                                  : "use another objective, because this one only ranks the placements of a search");
        }
        if (std::ranges::find(seen, name) != seen.end()) throw OptionError(kOption + ("duplicate objective " + name));
        seen.push_back(name);
        spec.then.push_back({name, row.make_term});
    }
}

std::vector<std::string> usual_next(const ObjectiveSpec& spec) {
    const ObjectiveRow* row = objectives().find(spec.name);
    if (row == nullptr || row->usual_next.empty()) return {};
    return {std::string(row->usual_next)};
}

std::string to_string(const ObjectiveSpec& spec) {
    if (spec.terms.empty()) return spec.name;
    std::string terms;
    for (const WeightedTerm& term : spec.terms) {
        char buffer[32];
        const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), term.weight);
        terms += (terms.empty() ? "" : ",") + term.name + "=" + std::string(buffer, end);
    }
    return spec.name + "(" + terms + ")";
}

bool is_told_unasked(const ObjectiveRow& row, const Problem& problem) {
    if (row.bind == nullptr || row.needs_terms) return false;
    if (row.needs_logical_torus && problem.logical_network() == nullptr) return false;
    return problem.workload().crossing_message_count() <= row.most_messages;
}

Metrics measure_all(const Problem& problem, const Mapping& mapping, const Mapping& default_placement) {
    Metrics metrics = measure(problem, mapping);
    for (const ObjectiveRow& row : objectives()) {
        if (row.report_key.empty() || row.is_in_metrics || !is_told_unasked(row, problem)) continue;
        const auto objective = row.bind({.name = std::string(row.name)}, problem, default_placement);
        metrics.of_objectives.push_back({.key = std::string(row.report_key),
                                         .unit = unit_on(problem.network(), row.unit),
                                         .value = objective->standing(mapping, metrics).value});
    }
    return metrics;
}

std::unique_ptr<BoundObjective> bind_objective(const ObjectiveSpec& spec, const Problem& problem,
                                               const Mapping& default_placement) {
    return objectives().at(spec.name).bind(spec, problem, default_placement);
}

std::unique_ptr<BoundObjective> bind_robust_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                      const Mapping& default_placement) {
    return objectives().at(spec.name).bind_robust(spec, problem, default_placement);
}

}  // namespace haichi
