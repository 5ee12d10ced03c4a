#include "objectives/weighted.h"

#include <algorithm>
#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

template <class Any, class O>
std::unique_ptr<Any> make_if(const std::string& name, const Problem& problem, const Mapping& default_placement) {
    if (name != O::kInfo.name) return nullptr;
    return std::make_unique<Any>(std::in_place_type<O>, problem, ObjectiveSpec{name, {}}, default_placement);
}

template <class Any, class... O>
std::unique_ptr<Any> make_term(const std::variant<O...>*, const std::string& name, const Problem& problem,
                               const Mapping& default_placement) {
    std::unique_ptr<Any> term;
    ((term = term ? std::move(term) : make_if<Any, O>(name, problem, default_placement)), ...);
    if (!term) {
        const std::vector<std::string> names = {std::string(O::kInfo.name)...};
        throw OptionError("weighted() cannot hold objective " + shown(name), did_you_mean(name, names));
    }
    return term;
}

template <class... O>
bool term_is_searched_elsewhere(const std::variant<O...>& term) {
    return std::visit(
        [](const auto& o) {
            return requires { o.is_searched_elsewhere(); };
        },
        term);
}

}  // namespace

Weighted::Weighted(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement) {
    if (spec.weights.empty()) {
        throw OptionError("objective weighted needs its terms", "an example is weighted(hop-bytes=0.7,tac3=0.3)");
    }
    for (const auto& [name, weight] : spec.weights) {
        Term term;
        term.objective = make_term<AnyTerm>(static_cast<const AnyTerm*>(nullptr), name, problem, default_placement);
        const double usual = std::visit(
            [&](const auto& o) { return o.in_unit(o.value_from_scratch(default_placement)); }, *term.objective);
        term.weight_per_unit = weight / (usual > 0 ? usual : 1.0);
        term.weight_per_unit_in_metrics = term.weight_per_unit;
        if (term_is_searched_elsewhere(*term.objective)) {
            const Metrics metrics = measure(problem, default_placement);
            const double real =
                std::visit([&](const auto& o) { return o.in_unit(o.value_in(metrics)); }, *term.objective);
            term.weight_per_unit_in_metrics = weight / (real > 0 ? real : 1.0);
        }
        terms_.push_back(std::move(term));
    }
    energy_scale_ = static_cast<double>(problem.workload().crossing_message_count());
}

void Weighted::reset(const Mapping& mapping) {
    for (Term& term : terms_) std::visit([&](auto& o) { o.reset(mapping); }, *term.objective);
}

Change Weighted::propose(const Mapping& mapping, const Move& move) {
    const double before = value();
    for (Term& term : terms_) std::visit([&](auto& o) { o.propose(mapping, move); }, *term.objective);
    return {(value() - before) * energy_scale_, 0};
}

void Weighted::commit() {
    for (Term& term : terms_) std::visit([](auto& o) { o.commit(); }, *term.objective);
}

void Weighted::rollback() {
    for (Term& term : terms_) std::visit([](auto& o) { o.rollback(); }, *term.objective);
}

Weighted::Value Weighted::value() const {
    double sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight_per_unit * std::visit([](const auto& o) { return o.in_unit(o.value()); }, *term.objective);
    }
    return sum;
}

Weighted::Value Weighted::value_from_scratch(const Mapping& mapping) const {
    double sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight_per_unit *
               std::visit([&](const auto& o) { return o.in_unit(o.value_from_scratch(mapping)); }, *term.objective);
    }
    return sum;
}

Weighted::Value Weighted::value_in(const Metrics& metrics) const {
    double sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight_per_unit_in_metrics *
               std::visit([&](const auto& o) { return o.in_unit(o.value_in(metrics)); }, *term.objective);
    }
    return sum;
}

std::optional<Weighted::Value> Weighted::lower_bound() const {
    double sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight_per_unit *
               std::visit([](const auto& o) { return o.in_unit(*o.lower_bound()); }, *term.objective);
    }
    return sum;
}

bool Weighted::is_searched_elsewhere() const {
    return std::ranges::any_of(terms_, [](const Term& term) { return term_is_searched_elsewhere(*term.objective); });
}

void Weighted::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    for (const Term& term : terms_) {
        std::visit([&](const auto& o) { o.append_hot_ranks(mapping, ranks); }, *term.objective);
    }
}

}  // namespace haichi
