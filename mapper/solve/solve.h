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

/// How a placement is looked for, and by what measure.
struct MapOptions {
    ObjectiveChoice objective{};
    std::string strategy = "auto";  ///< of strategies()
    /// Where searches begin: a strategy's name, a map file, or the node of each rank; an empty text: the best of
    /// default, grid, greedy and bisection.
    std::variant<std::string, std::vector<NodeId>> start{};
    SearchOptions search{};
    /// Where a search limited by time goes on from, if it has something, and what it leaves; null: neither.
    Checkpoint* checkpoint = nullptr;

    [[nodiscard]] bool has_start() const {
        const auto* name = std::get_if<std::string>(&start);
        return name == nullptr || !name->empty();
    }
};

/// Throws OptionError for options that exclude each other or name what does not exist: to be called before anything is
/// loaded.
void check_map_options(const MapOptions& options);

/// Places the ranks by one objective; `auto` is the first that suits the job. Searches, or takes the strategy's
/// placement; an interruption gives the best so far. simulated-time also simulates. Throws the errors of its parts;
/// never prints.
Placement solve(const Job& job, const MapOptions& options, const SearchControl& control = {},
                const SimulationControl& simulation = {});

}  // namespace haichi
