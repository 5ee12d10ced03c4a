#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// A construction of a placement without a search. Annealing starts from such placements and is compared with them.
struct StartRow {
    std::string name;
    std::string sentence;
    /// Returns nothing if `may_go_on` ends it before the first placement.
    std::optional<Mapping> (*place)(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                    const MayGoOn& may_go_on) = nullptr;
    bool uses_seed = false;
};

/// The table: default, no-ring, row-major, unit-blocks, random, greedy, bisection, grid.
const Table<StartRow>& start_rows();

/// The start with this name; null if there is none.
inline const StartRow* find_start(std::string_view name) { return start_rows().find(name); }

/// The scheduler's own placement: ranks fill the nodes in the order of the fold, one node after another.
Mapping default_placement(std::int32_t rank_count, const Allocation& allocation);

}  // namespace haichi
