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

/// What a move changes. Both in messages of mean size, the unit in which annealing temperatures are stated.
struct Change {
    double value = 0;
    /// Change of the smooth companion: what the objective's plateaus hide (objectives.md calls it the excess). Search
    /// may add a multiple of it; results never report it as the value.
    double companion = 0;
};

/// The most energy that a search accepts of a move: value + companion_weight * companion of its Change.
struct EnergyLimit {
    double most = std::numeric_limits<double>::infinity();
    double companion_weight = 0;

    /// Sums of doubles depend on their order; what is closer to the limit than this is left to the search.
    static constexpr double kSlack = 1e-9;

    /// Whether changes that are not below this one are certainly above the limit.
    [[nodiscard]] bool excludes(const Change& least) const {
        return least.value + companion_weight * least.companion > most;
    }
    /// What is left of it for the others when a part of the change is known.
    [[nodiscard]] EnergyLimit less(double known) const {
        return {most - known + kSlack * (1 + std::abs(known)), companion_weight};
    }
};

/// What an objective says of itself, as its kInfo: the first part of its row in the table (mapper/anneal), which help
/// texts, `haichi list`, reports, the bindings and the contract tests read.
struct ObjectiveInfo {
    std::string_view name;
    std::string_view unit;
    std::string_view sentence;  ///< one sentence with the formula
    /// Of its value among the metrics of a report; empty: reports have it only where it is asked for.
    std::string_view report_key{};
    bool needs_terms = false;          ///< as weighted(a=0.7,b=0.3): has no value by its name alone
    bool needs_logical_torus = false;  ///< of the job (Problem::logical_network)
    /// The value is the sum over pairs of ranks of bytes * hops, a quadratic assignment problem: tabu search does it.
    bool is_quadratic_assignment = false;
    /// What decides between placements of equal value unless users say otherwise (--then); empty: nothing.
    std::string_view usual_next{};
    /// Of larger jobs, by messages that cross the network, a value takes seconds: told only when asked for.
    std::int64_t most_messages = std::numeric_limits<std::int64_t>::max();
};

/// Whether values in the unit count something, so that they are written as integers.
constexpr bool is_counted(std::string_view unit) { return unit != "seconds" && unit != "1"; }

/// A user's own objective as a function of the node of every rank; called from any thread of a search.
using ObjectiveFunction = std::function<double(std::span<const NodeId> node_of_rank)>;

class ObjectiveTerm;
using MakeTerm = std::unique_ptr<ObjectiveTerm> (*)(const Problem& problem, const Mapping& default_placement);

/// One objective of a sum.
struct WeightedTerm {
    std::string name;
    double weight = 1;
    MakeTerm make = nullptr;
};

/// One that decides between placements of equal value.
struct NextObjective {
    std::string name;
    MakeTerm make = nullptr;
};
constexpr std::size_t kMostNext = 3;

/// An objective as a user names it: "tac3", or "weighted(hop-bytes=0.7,tac3=0.3)".
struct ObjectiveSpec {
    std::string name;
    std::vector<WeightedTerm> terms{};
    std::vector<NextObjective> then{};  ///< in their order, at most kMostNext
    ObjectiveFunction function{};       ///< of FunctionObjective, which is not in the table
};

/// An objective under search: holds a mapping's value and changes it move by move. The engine is a template on this
/// concept, so nothing in the annealing loop is virtual.
///
/// propose(mapping, move) applies `move`, `mapping` being the mapping before it: value() and companion() are then those
/// of the changed mapping. Exactly one of commit() (keep) and rollback() (take back) follows. value_from_scratch()
/// computes by the definition, sharing no incremental state: the verify ladder compares the two. Values are exact
/// (integers, or a pure function of integers), so equal means equal.
///
/// An objective may also have value_in(metrics), the value when the mapping's metrics are known already, or
/// value_in(mapping, metrics) where they are only a part of what it needs. Where is_searched_elsewhere(), that is the
/// value on the real topology, and all else belongs to another.
template <class O>
concept SearchObjective = requires(O objective, const O& constant, const Mapping& mapping, const Move& move,
                                   typename O::Value value, std::vector<RankId>& ranks, const Problem& problem,
                                   const ObjectiveSpec& spec) {
    requires std::totally_ordered<typename O::Value>;
    { O::kInfo } -> std::convertible_to<ObjectiveInfo>;
    O(problem, spec, mapping);  // the mapping is the default placement, for objectives that refer to it
    objective.reset(mapping);
    { objective.propose(mapping, move) } -> std::same_as<Change>;
    objective.commit();
    objective.rollback();
    { constant.value() } -> std::same_as<typename O::Value>;
    { constant.companion() } -> std::same_as<std::int64_t>;
    { constant.value_from_scratch(mapping) } -> std::same_as<typename O::Value>;
    { constant.companion_from_scratch(mapping) } -> std::same_as<std::int64_t>;
    /// Holds for every mapping of the problem.
    { constant.lower_bound() } -> std::same_as<std::optional<typename O::Value>>;
    /// A value in the unit of kInfo.
    { constant.in_unit(value) } -> std::same_as<double>;
    /// Appends the ranks that focused moves should try: those whose messages cross the worst links.
    constant.append_hot_ranks(mapping, ranks);
};

/// An objective that may see early that a move changes too much. propose_within(mapping, move, limit) is propose(), or
/// nothing, where the limit excludes the change; all is then as if the move had not been proposed.
template <class O>
concept LimitedObjective = SearchObjective<O> &&
    requires(O objective, const Mapping& mapping, const Move& move, const EnergyLimit& limit) {
    { objective.propose_within(mapping, move, limit) } -> std::same_as<std::optional<Change>>;
};

/// An objective whose change by a move follows from the mapping alone, so that several threads can search with one,
/// each on a mapping of its own. change_by(mapping, move) is what propose() would tell, mapping being the one before;
/// in_messages() states it as Change does. correction(mapping, move, seen) is how much more that is than in a mapping
/// where the others' nodes are seen(rank), those of the move's ranks being the same. There is no companion.
template <class O>
concept SplitObjective = SearchObjective<O> && requires(const O& objective, const Mapping& mapping, const Move& move,
                                                        NodeId (*seen)(RankId), typename O::Value value) {
    { objective.change_by(mapping, move) } -> std::same_as<typename O::Value>;
    { objective.correction(mapping, move, seen) } -> std::same_as<typename O::Value>;
    { objective.in_messages(value) } -> std::same_as<double>;
};

/// The value of a mapping whose metrics are known: out of them where the objective can tell it from them.
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

/// Whether the search goes on elsewhere than on the real topology.
template <class O>
bool is_searched_elsewhere(const O& objective) {
    if constexpr (requires { objective.is_searched_elsewhere(); }) {
        return objective.is_searched_elsewhere();
    } else {
        return false;
    }
}

}  // namespace haichi
