#pragma once

#include "mapper/anneal/bound_objective_of.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/objective_term.h"
#include "objectives/robust.h"

namespace haichi {

namespace detail {

template <SearchObjective O>
std::unique_ptr<BoundObjective> bind_as(const ObjectiveSpec& spec, const Problem& problem,
                                        const Mapping& default_placement) {
    return std::make_unique<BoundObjectiveOf<O>>(problem, spec, default_placement);
}

}  // namespace detail

template <SearchObjective O>
ObjectiveRow objective_row() {
    ObjectiveRow row{O::kInfo};
    row.is_in_metrics = requires(const O& o, const Metrics& metrics) { o.value_in(metrics); };
    row.bind = detail::bind_as<O>;
    row.bind_robust = detail::bind_as<Robust<O>>;
    if (!row.needs_terms) row.make_term = make_term<O>;
    return row;
}

}  // namespace haichi
