#pragma once

#include <cstdint>
#include <optional>

#include "collectives/selection.h"
#include "mgen/live_choices.h"
#include "options/option_table.h"

namespace haichi {

/// The options for a program that runs on the simulated machine.
struct LiveOptions {
    std::int32_t ranks = 0;       ///< number of ranks, or 0 for as many as fit on the nodes
    std::size_t stack_bytes = 0;  ///< stack size of each rank, or 0 for a size that depends on the number of ranks
    host::GlobalsWay globals = host::GlobalsWay::kAuto;
    mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
    bool starts_with_refused_calls = false;   ///< whether a program with unsupported MPI calls starts; the calls are
                                              ///< then errors when the program reaches them
    std::optional<double> measured_factor{};  ///< factor for the CPU time of code between calls; without a factor, this
                                              ///< code takes no time
    collectives::CollectiveSelection collectives{};

    void declare(OptionTable& options);
};

}  // namespace haichi
