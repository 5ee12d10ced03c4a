#pragma once

#include <string>
#include <vector>

#include "mgen/host/live_simulation.h"
#include "mgen/host/program_output.h"
#include "options/live_options.h"

namespace haichi::cli {

struct LiveOutcome {
    host::LiveResult result;
    std::vector<std::string> remarks;  ///< warnings about the ranks, one statement each
};

/// The process of a program whose main() haichi has replaced. `haichi run -- PROGRAM` executes the program in this
/// process, where haichi parses the same command line again.
class LiveProcess {
  public:
    virtual ~LiveProcess() = default;
    /// Runs the program's main() in each rank. Call this at most once.
    virtual LiveOutcome run(const SimulationRequest& machine, const LiveOptions& options, host::ProgramOutput& output,
                            const SimulationControl& control) = 0;
};

}  // namespace haichi::cli
