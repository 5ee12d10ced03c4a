#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "objectives/objective.h"

namespace haichi {

class BoundObjective;

/// A row: what an objective says of itself, and how it is made. Whoever wants to know something of an objective asks
/// its row; nobody compares names.
struct ObjectiveRow : ObjectiveInfo {
    using Bind = std::unique_ptr<BoundObjective> (*)(const ObjectiveSpec& spec, const Problem& problem,
                                                     const Mapping& default_placement);
    /// Objectives that no search can ask about every move name another: that one is searched, and the best placements
    /// found are ranked by this one, the packet simulator. The functions below are then null.
    std::string_view searched_as{};
    /// Metrics hold its value (value_in(metrics)); reports have it measured where they do not.
    bool is_in_metrics = false;
    Bind bind = nullptr;         ///< on one problem
    Bind bind_robust = nullptr;  ///< over all allocations of problem.robust_job()
    MakeTerm make_term = nullptr;
};

/// The table. Its definition stands alone in its file, so that a program can have another (tests/own_tables has one).
const Table<ObjectiveRow>& objectives();

/// The rows of RegisteredObjectives, and simulated-time.
std::vector<ObjectiveRow> built_in_objectives();
Table<ObjectiveRow> objective_table(std::vector<ObjectiveRow> rows);

/// The row of an objective, with the searches compiled for it. Defined in mapper/anneal/objective_row.h, which whoever
/// instantiates it includes.
template <SearchObjective O>
ObjectiveRow objective_row();

/// "tac3" or "weighted(hop-bytes=0.7,tac3=0.3)". Throws OptionError with did-you-mean for unknown names, and for
/// weights that are not positive numbers.
ObjectiveSpec parse_objective(std::string_view text);

/// "hop-bytes,max-hops"; "none": nothing.
std::vector<std::string> parse_next(std::string_view text);

/// What decides between placements of equal value, in its order: objectives by their names alone. Throws OptionError
/// for more than kMostNext, for those that have no value by their name or that only rank, and for one that is named
/// twice.
void set_next(const std::vector<std::string>& names, ObjectiveSpec& spec);

/// What is usual after the objective.
std::vector<std::string> usual_next(const ObjectiveSpec& spec);

/// The text that parse_objective reads back.
std::string to_string(const ObjectiveSpec& spec);

/// Whether the row's value of a job can be told unasked: it has one by its name alone and takes no seconds.
bool is_told_unasked(const ObjectiveRow& row, const Problem& problem);

/// measure(), and the values of objectives that are not told by it.
Metrics measure_all(const Problem& problem, const Mapping& mapping, const Mapping& default_placement);

/// The objective that `spec` names (parse_objective), on this problem.
std::unique_ptr<BoundObjective> bind_objective(const ObjectiveSpec& spec, const Problem& problem,
                                               const Mapping& default_placement);
/// The same over all allocations of problem.robust_job().
std::unique_ptr<BoundObjective> bind_robust_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                      const Mapping& default_placement);
/// The objective that spec.function computes, on this problem.
std::unique_ptr<BoundObjective> bind_function_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                        const Mapping& default_placement);

}  // namespace haichi
