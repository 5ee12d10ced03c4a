#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "objectives/objective.h"

namespace haichi {

class BoundObjective;

/// A table entry: an objective's description and the functions that make it. All code obtains properties of objectives
/// from their entries and never compares names.
struct ObjectiveRow : ObjectiveInfo {
    using Bind = std::unique_ptr<BoundObjective> (*)(const ObjectiveSpec& spec, const Problem& problem,
                                                     const Mapping& default_placement);
    /// Names another objective for searches if this one is too slow for every move, such as the packet simulator. This
    /// objective then only ranks the best placements found, and the functions below are null.
    std::string_view searched_as{};
    /// Whether metrics contain the value (value_in(metrics)). If not, reports evaluate the objective.
    bool is_in_metrics = false;
    Bind bind = nullptr;         ///< makes the objective on one problem
    Bind bind_robust = nullptr;  ///< makes the objective over all allocations of problem.robust_job()
    MakeTerm make_term = nullptr;
};

/// All objectives. A separate file defines this function, so that a program can define another one, as tests/own_tables
/// does.
const Table<ObjectiveRow>& objectives();

/// The entries of all RegisteredObjectives, and the entry of simulated-time.
std::vector<ObjectiveRow> built_in_objectives();
Table<ObjectiveRow> objective_table(std::vector<ObjectiveRow> rows);

/// The entry of an objective, with the searches compiled for it. Defined in mapper/anneal/objective_row.h, which
/// instantiating files must include.
template <SearchObjective O>
ObjectiveRow objective_row();

/// Parses "tac3" or "weighted(hop-bytes=0.7,tac3=0.3)". Throws OptionError with a did-you-mean hint for unknown names,
/// and for weights that are not positive numbers.
ObjectiveSpec parse_objective(std::string_view text);

/// Parses "hop-bytes,max-hops"; "none" gives an empty list.
std::vector<std::string> parse_next(std::string_view text);

/// Sets the tie-breaking order to these objectives. Throws OptionError for more than kMostNext and for duplicates. Also
/// throws OptionError for objectives that need parameters or that only rank placements.
void set_next(const std::vector<std::string>& names, ObjectiveSpec& spec);

/// The default tie-breaking order of the objective.
std::vector<std::string> usual_next(const ObjectiveSpec& spec);

/// Formats the spec as text for parse_objective().
std::string to_string(const ObjectiveSpec& spec);

/// Whether reports state the objective's value without a request. Its name alone must define the value, and computing
/// it must take less than seconds.
bool is_told_unasked(const ObjectiveRow& row, const Problem& problem);

/// Returns the metrics of measure(), and the values of the objectives that measure() does not cover.
Metrics measure_all(const Problem& problem, const Mapping& mapping, const Mapping& default_placement);

/// Makes the objective that `spec` names (parse_objective) on this problem.
std::unique_ptr<BoundObjective> bind_objective(const ObjectiveSpec& spec, const Problem& problem,
                                               const Mapping& default_placement);
/// Makes the objective that `spec` names over all allocations of problem.robust_job().
std::unique_ptr<BoundObjective> bind_robust_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                      const Mapping& default_placement);
/// Makes the objective that spec.function computes, on this problem.
std::unique_ptr<BoundObjective> bind_function_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                        const Mapping& default_placement);

}  // namespace haichi
