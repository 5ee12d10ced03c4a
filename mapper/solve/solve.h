#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"
#include "mapper/search/search_options.h"
#include "mapper/solve/checkpoint.h"
#include "mgen/replay/simulation.h"

namespace haichi {

/// Options of a search for a placement, and its objective.
struct MapOptions {
    ObjectiveChoice objective{};
    std::string strategy = "auto";  ///< one of strategies()
    /// The first mapping of searches: a strategy's name, a map file, or the node of each rank. An empty text means the
    /// best of default, grid, greedy and bisection.
    std::variant<std::string, std::vector<NodeId>> start{};
    SearchOptions search{};
    /// For a search with a time limit: the state from which it continues, if any, and to which it writes. Null means
    /// neither.
    Checkpoint* checkpoint = nullptr;

    [[nodiscard]] bool has_start() const {
        const auto* name = std::get_if<std::string>(&start);
        return name == nullptr || !name->empty();
    }
};

/// Throws OptionError for options that cannot be combined or that name unknown things. To be called before anything is
/// loaded.
void check_map_options(const MapOptions& options);

/// Places the ranks by one objective. `auto` is the first objective that suits the job. Searches, or uses the
/// strategy's placement. An interruption returns the best so far. The objective simulated-time also simulates. Throws
/// the errors of the search and the simulations. Never prints.
Placement solve(const Job& job, const MapOptions& options, const SearchControl& control = {},
                const SimulationControl& simulation = {});

}  // namespace haichi
