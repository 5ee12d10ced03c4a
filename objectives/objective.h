#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

struct Metrics;

/// The change by a move, in messages of mean size. Annealing temperatures use the same unit.
struct Change {
    double value = 0;
    /// Change of the smoothing term, which varies on the objective's plateaus (docs/reference/objectives.md). The
    /// search may add a multiple of it. Results never report it as the value.
    double smoothing = 0;
};

/// The largest energy of a move that a search accepts: Change::value + smoothing_weight * Change::smoothing.
struct EnergyLimit {
    double most = std::numeric_limits<double>::infinity();
    double smoothing_weight = 0;

    /// Tolerance for rounding, because sums of doubles depend on their order. Changes within the tolerance are left to
    /// the search.
    static constexpr double kSlack = 1e-9;

    /// Whether every change that is at least `least` certainly exceeds the limit.
    [[nodiscard]] bool excludes(const Change& least) const {
        return least.value + smoothing_weight * least.smoothing > most;
    }
    /// The limit for the remaining parts of a change when one part is known.
    [[nodiscard]] EnergyLimit less(double known) const {
        return {most - known + kSlack * (1 + std::abs(known)), smoothing_weight};
    }
};

/// The description of an objective, its kInfo. It is the first part of the objective's table entry (mapper/anneal),
/// which help texts, `haichi list`, reports, the bindings and the contract tests read.
struct ObjectiveInfo {
    std::string_view name;
    std::string_view unit;
    std::string_view sentence;  ///< one sentence with the formula
    /// Key of the value among the metrics of a report. If it is empty, reports state the value only on request.
    std::string_view report_key{};
    bool needs_terms = false;  ///< true if the name alone does not define the value, as for weighted(a=0.7,b=0.3)
    bool needs_logical_torus = false;  ///< requires the job's logical torus (Problem::logical_network)
    /// Whether the value is a sum over pairs of ranks of bytes * hops, a quadratic assignment problem. Tabu search
    /// requires this.
    bool is_quadratic_assignment = false;
    /// The default tie-breaking objective, which users can replace (--then). Empty means none.
    std::string_view usual_next{};
    /// Maximum number of messages across the network. Beyond it, the value takes seconds to compute, so reports state
    /// it only on request.
    std::int64_t most_messages = std::numeric_limits<std::int64_t>::max();
};

/// Whether values in the unit are counts, which are written as integers.
constexpr bool is_counted(std::string_view unit) { return unit != "seconds" && unit != "1"; }

/// A user's own objective as a function of the node of every rank. Any thread of a search may call it.
using ObjectiveFunction = std::function<double(std::span<const NodeId> node_of_rank)>;

class ObjectiveTerm;
using MakeTerm = std::unique_ptr<ObjectiveTerm> (*)(const Problem& problem, const Mapping& default_placement);

/// One objective of a sum.
struct WeightedTerm {
    std::string name;
    double weight = 1;
    MakeTerm make = nullptr;
};

/// One objective of the tie-breaking order.
struct NextObjective {
    std::string name;
    MakeTerm make = nullptr;
};
constexpr std::size_t kMostNext = 3;

/// An objective as a user names it: "tac3", or "weighted(hop-bytes=0.7,tac3=0.3)".
struct ObjectiveSpec {
    std::string name;
    std::vector<WeightedTerm> terms{};
    std::vector<NextObjective> then{};  ///< tie-breaking order, at most kMostNext
    ObjectiveFunction function{};       ///< for FunctionObjective, which is not in the table
};

/// An objective during a search. It keeps the value of a mapping and updates it move by move. The engine is a template
/// on this concept, so the annealing loop makes no virtual calls.
///
/// propose(mapping, move) applies `move`, where `mapping` is the mapping before it. After it, value() and smoothing(),
/// the smoothing term, refer to the changed mapping. Exactly one of commit() (keep) and rollback() (revert) follows.
/// value_from_scratch() is the full evaluation by the definition and shares no incremental state. Verification compares
/// the two. Values are exact (integers, or a pure function of integers), so they must be equal.
///
/// An objective may also have value_in(metrics), the value for known metrics of the mapping. value_in(mapping, metrics)
/// is for objectives that need more than the metrics. If is_searched_elsewhere(), value_in() is the value on the real
/// topology, and all other values are for another topology.
template <class O>
concept SearchObjective = requires(O objective, const O& constant, const Mapping& mapping, const Move& move,
                                   typename O::Value value, std::vector<RankId>& ranks, const Problem& problem,
                                   const ObjectiveSpec& spec) {
    requires std::totally_ordered<typename O::Value>;
    { O::kInfo } -> std::convertible_to<ObjectiveInfo>;
    O(problem, spec, mapping);  // `mapping` is the default placement, to which some objectives refer
    objective.reset(mapping);
    { objective.propose(mapping, move) } -> std::same_as<Change>;
    objective.commit();
    objective.rollback();
    { constant.value() } -> std::same_as<typename O::Value>;
    { constant.smoothing() } -> std::same_as<std::int64_t>;
    { constant.value_from_scratch(mapping) } -> std::same_as<typename O::Value>;
    { constant.smoothing_from_scratch(mapping) } -> std::same_as<std::int64_t>;
    /// A lower bound for every mapping of the problem.
    { constant.lower_bound() } -> std::same_as<std::optional<typename O::Value>>;
    /// The value in the unit of kInfo.
    { constant.in_unit(value) } -> std::same_as<double>;
    /// Appends the ranks that focused moves should try: ranks with messages over the most loaded links.
    constant.append_hot_ranks(mapping, ranks);
};

/// An objective that may detect early that a move costs too much. propose_within(mapping, move, limit) returns nothing
/// if the limit excludes the change, and then leaves the state as it was. Otherwise it has the effect of propose().
template <class O>
concept LimitedObjective = SearchObjective<O> &&
    requires(O objective, const Mapping& mapping, const Move& move, const EnergyLimit& limit) {
    { objective.propose_within(mapping, move, limit) } -> std::same_as<std::optional<Change>>;
};

/// An objective whose change by a move depends on the mapping alone. Several threads can therefore share one objective,
/// each with its own mapping. `mapping` is the mapping before the move. change_by(mapping, move) is the change of the
/// value, and in_messages() converts it to the unit of Change.
///
/// A second mapping has the same nodes for the ranks of the move. The function seen(rank) returns the nodes of the
/// other ranks in it. The result of correction(mapping, move, seen) is the difference between the changes in `mapping`
/// and in the second mapping. There is no smoothing term.
template <class O>
concept SplitObjective = SearchObjective<O> && requires(const O& objective, const Mapping& mapping, const Move& move,
                                                        NodeId (*seen)(RankId), typename O::Value value) {
    { objective.change_by(mapping, move) } -> std::same_as<typename O::Value>;
    { objective.correction(mapping, move, seen) } -> std::same_as<typename O::Value>;
    { objective.in_messages(value) } -> std::same_as<double>;
};

/// The value of a mapping with known metrics. It is taken from the metrics if the objective supports that.
template <class O>
typename O::Value value_with(const O& objective, const Mapping& mapping, const Metrics& metrics) {
    if constexpr (requires { objective.value_in(mapping, metrics); }) {
        return objective.value_in(mapping, metrics);
    } else if constexpr (requires { objective.value_in(metrics); }) {
        return objective.value_in(metrics);
    } else {
        return objective.value_from_scratch(mapping);
    }
}

/// Whether the search uses a topology that is not the real one.
template <class O>
bool is_searched_elsewhere(const O& objective) {
    if constexpr (requires { objective.is_searched_elsewhere(); }) {
        return objective.is_searched_elsewhere();
    } else {
        return false;
    }
}

}  // namespace haichi
