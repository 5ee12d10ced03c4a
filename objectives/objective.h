#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// What a move changes. Both in messages of mean size, the unit in which annealing temperatures are stated.
struct Change {
    double value = 0;
    /// Change of the smooth companion: what the objective's plateaus hide (objectives.md calls it the excess). Search
    /// may add a multiple of it; results never report it as the value.
    double companion = 0;
};

/// One row of the table that help texts, `haichi list objectives` and the bindings print.
struct ObjectiveInfo {
    std::string_view name;
    std::string_view unit;
    std::string_view sentence;  ///< one sentence with the formula
};

/// A user's own objective as a function of the node of every rank; called from any thread of a search.
using ObjectiveFunction = std::function<double(std::span<const NodeId> node_of_rank)>;

/// An objective as a user names it: "tac3", or "weighted(hop-bytes=0.7,tac3=0.3)".
struct ObjectiveSpec {
    std::string name;
    std::vector<std::pair<std::string, double>> weights{};
    ObjectiveFunction function{};  ///< of FunctionObjective, which is not in the table
};

/// An objective under search: holds a mapping's value and changes it move by move. The engine is a template on this
/// concept, so nothing in the annealing loop is virtual.
///
/// propose(mapping, move) applies `move`, `mapping` being the mapping before it: value() and companion() are then those
/// of the changed mapping. Exactly one of commit() (keep) and rollback() (take back) follows. value_from_scratch()
/// computes by the definition, sharing no incremental state: the verify ladder compares the two. Values are exact
/// (integers, or a pure function of integers), so equal means equal.
///
/// An objective may also have value_in(metrics), the value when the mapping's metrics are known already; those of the
/// table do. Where is_searched_elsewhere(), that is the value on the real topology, and all else belongs to another.
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

}  // namespace haichi
