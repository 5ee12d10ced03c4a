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
    bool starts_with_refused_calls = false;  ///< unsupported MPI calls are errors only when the program reaches them
    bool measures_computing = false;         ///< code between calls takes time
    double compute_factor = 1;
    collectives::CollectiveSelection collectives{};

    void declare(OptionTable& options);
    /// The factor on the CPU time of code between calls, or nothing if it takes no time.
    [[nodiscard]] std::optional<double> measured_factor() const {
        return measures_computing ? std::optional(compute_factor) : std::nullopt;
    }
};

}  // namespace haichi
