#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mgen/host/globals.h"
#include "mgen/host/live_simulation.h"
#include "mgen/host/program_output.h"
#include "mgen/mpi/payload.h"

namespace haichi::cli {

/// How a program runs live, from the options of the command line.
struct LiveRunOptions {
    std::size_t stack_bytes = 0;  ///< stack size of each rank, or 0 for a size by the number of ranks
    host::GlobalsWay globals = host::GlobalsWay::kAuto;
    mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
    std::optional<double> measured_factor{};  ///< for code between calls, which takes no time without a factor
    std::string collectives{};                ///< algorithms of collectives, or MPICH's if empty
};

struct LiveOutcome {
    host::LiveResult result;
    std::vector<std::string> remarks;  ///< warnings about the ranks, one statement each
};

/// The process of a program whose main() haichi has replaced. `haichi run -- PROGRAM` executes the program in its own
/// process, where haichi parses the same command line again.
class LiveProcess {
  public:
    virtual ~LiveProcess() = default;
    /// Runs main() in each rank. Must be called at most once.
    virtual LiveOutcome run(const SimulationRequest& machine, const LiveRunOptions& options,
                            host::ProgramOutput& output, const SimulationControl& control) = 0;
};

}  // namespace haichi::cli
