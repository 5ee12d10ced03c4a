#pragma once

#include "objectives/hop_bytes.h"
#include "objectives/link_load.h"
#include "objectives/max_hops.h"
#include "objectives/predicted_time.h"
#include "objectives/rmatt.h"
#include "objectives/tac3.h"
#include "objectives/tac3_bytes.h"
#include "objectives/weighted.h"

namespace haichi {

template <SearchObjective... O>
struct ObjectiveList {};

/// The objectives. An entry and its include add an objective to all parts of haichi. These are the search, reports,
/// help texts, `haichi list`, bindings, documentation and contract tests. mapper/anneal/objective_table makes a table
/// of them.
using RegisteredObjectives = ObjectiveList<  //
    HopBytes,                                //
    Rmatt,                                   //
    Rmatt3d,                                 //
    MaxLinkLoad,                             //
    MaxHops,                                 //
    Tac3,                                    //
    Tac3Bytes,                               //
    PredictedTime,                           //
    Weighted>;

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

/// Calls f(ObjectiveTag<O>) for every entry, in their order.
template <class F>
void for_each_objective(F&& f) {
    detail::for_each_objective(RegisteredObjectives{}, f);
}

}  // namespace haichi
