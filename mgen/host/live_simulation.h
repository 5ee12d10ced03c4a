#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/replay/simulation.h"

namespace haichi::host {

/// Placed ranks and the program that they run. What the pointers lead to must outlive the run.
struct LiveRequest {
    SimulationRequest machine{};  ///< network, timing, process, node_of_rank, hottest links, observation, partitions
    Host::Setup program{};        ///< ranks, nodes, call_overhead_ps: set by the run
    /// Called for every rank before it begins.
    std::function<void(LiveRank&)> begin_rank{};
};

struct LiveResult {
    SimulationResult simulation;
    std::vector<int> exit_codes;      ///< by rank
    std::optional<int> abort_code{};  ///< a rank has ended the program
    /// The first exit code that is not 0; that of the abort, where there was one.
    [[nodiscard]] int exit_code() const;
};

/// Stacks of ranks where nothing is asked for: 8 MiB, less where they would reserve more than 16 GiB, at least 64 KiB.
std::size_t default_stack_bytes(std::int64_t ranks);

/// Runs the program on the packet simulator. One thread; the result depends neither on partitions nor on when progress
/// is asked for. Throws what ProcessModel and Host throw: InputError for programs that are stuck or overrun their
/// stacks.
LiveResult simulate_program(const LiveRequest& request, const SimulationControl& control = {});

}  // namespace haichi::host
