#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/replay/simulation.h"

namespace haichi::host {

/// The placed ranks and their program. All referenced objects must outlive the run.
struct LiveRequest {
    /// Provides network, timing, process, node_of_rank, loaded links, observation and partitions.
    SimulationRequest machine{};
    Host::Setup program{};  ///< the run overwrites ranks, nodes and call_overhead_ps
    /// Called for every rank before it begins.
    std::function<void(LiveRank&)> begin_rank{};
};

struct LiveResult {
    SimulationResult simulation;
    std::vector<int> exit_codes;      ///< by rank
    std::optional<int> abort_code{};  ///< set if a rank has aborted the program
    /// The exit code of MPI_Abort() if a rank aborted, otherwise the first exit code that is not 0.
    [[nodiscard]] int exit_code() const;
};

/// Default stack size of a rank: 8 MiB, less if all stacks would reserve more than 16 GiB, at least 64 KiB.
std::size_t default_stack_bytes(std::int64_t ranks);

/// Runs the program on the packet simulator. The result depends neither on the number of partitions nor on when
/// progress is reported. Throws the errors of ProcessModel and Host, for example InputError if the program is stuck or
/// overruns its stack.
LiveResult simulate_program(const LiveRequest& request, const SimulationControl& control = {});

}  // namespace haichi::host
