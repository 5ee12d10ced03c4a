#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "objectives/hop_bytes.h"
#include "objectives/link_load.h"
#include "objectives/rmatt.h"
#include "objectives/tac3.h"
#include "objectives/tac3_bytes.h"
#include "objectives/tac3_overlap.h"
#include "objectives/weighted.h"

namespace haichi {

template <SearchObjective... O>
struct ObjectiveList {};

/// The table of objectives: one row adds an objective to the search, the reports, the help texts, `haichi list`, the
/// bindings and the contract tests.
using RegisteredObjectives =
    ObjectiveList<HopBytes, Rmatt, Rmatt3d, MaxLinkLoad, Tac3, Tac3Bytes, Tac3Overlap, Weighted>;

template <class O>
struct ObjectiveTag {
    using type = O;
};

namespace detail {

template <class F, class... O>
void for_each_objective(ObjectiveList<O...>, F&& f) {
    (f(ObjectiveTag<O>{}), ...);
}

}  // namespace detail

/// Calls f(ObjectiveTag<O>) for every row of the table, in its order.
template <class F>
void for_each_objective(F&& f) {
    detail::for_each_objective(RegisteredObjectives{}, f);
}

/// The rows of the table.
std::vector<ObjectiveInfo> objective_infos();

/// The packet simulator as the judge. Not in the table, because no search can ask it about every move: a job searches
/// with tac3 and ranks the best placements by it (mapper/job/simulated_time).
inline constexpr ObjectiveInfo kSimulatedTime{
    "simulated-time", "seconds",
    "simulated time of an iteration without barriers; the best placements for tac3 and the default one are compared"};

/// The table and kSimulatedTime: all that parse_objective() knows.
std::vector<ObjectiveInfo> named_objectives();

/// "tac3" or "weighted(hop-bytes=0.7,tac3=0.3)". Throws OptionError with did-you-mean for unknown names, and for
/// weights that are not positive numbers.
ObjectiveSpec parse_objective(std::string_view text);

/// The text that parse_objective reads back.
std::string to_string(const ObjectiveSpec& spec);

/// Calls f(ObjectiveTag<O>) for the objective that `spec` names; the spec comes from parse_objective.
template <class F>
void visit_objective(const ObjectiveSpec& spec, F&& f) {
    bool found = false;
    for_each_objective([&](auto tag) {
        using O = typename decltype(tag)::type;
        if (found || spec.name != O::kInfo.name) return;
        found = true;
        f(tag);
    });
    if (!found) throw InternalError("objective " + spec.name + " is not in the table");
}

}  // namespace haichi
