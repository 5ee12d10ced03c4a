#pragma once

#include <cstdint>
#include <optional>

#include "collectives/selection.h"
#include "mgen/live_choices.h"
#include "options/option_table.h"

namespace haichi {

/// How a program runs on the simulated machine.
struct LiveOptions {
    std::int32_t ranks = 0;       ///< 0: as many as fit on the nodes
    std::size_t stack_bytes = 0;  ///< stack size of each rank, or 0 for a size by the number of ranks
    host::GlobalsWay globals = host::GlobalsWay::kAuto;
    mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
    bool starts_with_refused_calls = false;   ///< unsupported MPI calls are errors only when the program reaches them
    std::optional<double> measured_factor{};  ///< for code between calls, which takes no time without a factor
    collectives::CollectiveSelection collectives{};

    void declare(OptionTable& options);
};

}  // namespace haichi
