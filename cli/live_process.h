#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mgen/host/globals.h"
#include "mgen/host/live_simulation.h"
#include "mgen/host/program_output.h"
#include "mgen/mpi/payload.h"

namespace haichi::cli {

/// How a program runs live, as the command line says; words are those of the options.
struct LiveRunOptions {
    std::size_t stack_bytes = 0;  ///< of each rank; 0: by their number
    host::GlobalsWay globals = host::GlobalsWay::kAuto;
    mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
    std::optional<double> measured_factor{};  ///< of code between calls; none: it takes no time
    std::string collectives{};                ///< how they become messages; empty: as MPICH does
};

struct LiveOutcome {
    host::LiveResult result;
    std::vector<std::string> remarks;  ///< what its user should know of the ranks, a sentence each
};

/// The process of a program whose main() haichi has taken over: `haichi run -- PROGRAM` has started the program in
/// its own place, and the same command line is run again there.
class LiveProcess {
  public:
    virtual ~LiveProcess() = default;
    /// Runs main() in each rank. Once.
    virtual LiveOutcome run(const SimulationRequest& machine, const LiveRunOptions& options,
                            host::ProgramOutput& output, const SimulationControl& control) = 0;
};

}  // namespace haichi::cli
