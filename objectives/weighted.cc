#include "objectives/weighted.h"

#include <algorithm>

#include "base/errors.h"

namespace haichi {

Weighted::Weighted(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement) {
    if (spec.terms.empty()) {
        throw OptionError("objective weighted requires terms",
                          "write terms and weights, as in weighted(hop-bytes=0.7,tac3=0.3)");
    }
    for (const WeightedTerm& named : spec.terms) {
        Term term;
        term.objective = named.make(problem, default_placement);
        const double usual = term.objective->value_from_scratch(default_placement);
        term.weight_per_unit = named.weight / (usual > 0 ? usual : 1.0);
        term.weight_per_unit_in_metrics = term.weight_per_unit;
        if (term.objective->is_searched_elsewhere()) {
            const double real = term.objective->value_with(default_placement, measure(problem, default_placement));
            term.weight_per_unit_in_metrics = named.weight / (real > 0 ? real : 1.0);
        }
        terms_.push_back(std::move(term));
    }
    energy_scale_ = static_cast<double>(problem.workload().crossing_message_count());
}

void Weighted::reset(const Mapping& mapping) {
    for (Term& term : terms_) term.objective->reset(mapping);
}

Change Weighted::propose(const Mapping& mapping, const Move& move) {
    const double before = value();
    for (Term& term : terms_) term.objective->propose(mapping, move);
    return {(value() - before) * energy_scale_, 0};
}

void Weighted::commit() {
    for (Term& term : terms_) term.objective->commit();
}

void Weighted::rollback() {
    for (Term& term : terms_) term.objective->rollback();
}

Weighted::Value Weighted::value() const {
    double sum = 0;
    for (const Term& term : terms_) sum += term.weight_per_unit * term.objective->value();
    return sum;
}

Weighted::Value Weighted::value_from_scratch(const Mapping& mapping) const {
    double sum = 0;
    for (const Term& term : terms_) sum += term.weight_per_unit * term.objective->value_from_scratch(mapping);
    return sum;
}

Weighted::Value Weighted::value_in(const Mapping& mapping, const Metrics& metrics) const {
    double sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight_per_unit_in_metrics * term.objective->value_with(mapping, metrics);
    }
    return sum;
}

std::optional<Weighted::Value> Weighted::lower_bound() const {
    double sum = 0;
    for (const Term& term : terms_) {
        const auto bound = term.objective->lower_bound();
        if (!bound) return std::nullopt;
        sum += term.weight_per_unit * *bound;
    }
    return sum;
}

bool Weighted::is_searched_elsewhere() const {
    return std::ranges::any_of(terms_, [](const Term& term) { return term.objective->is_searched_elsewhere(); });
}

void Weighted::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    for (const Term& term : terms_) term.objective->append_hot_ranks(mapping, ranks);
}

}  // namespace haichi
