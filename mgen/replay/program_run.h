#pragma once

// Runs a replay or a live program on the packet simulator, and describes the run.

#include <vector>

#include "mgen/rank_program.h"
#include "mgen/replay/simulation.h"

namespace haichi {

/// The progress of a run, and whether it has run long enough.
class RunProgress {
  public:
    virtual ~RunProgress() = default;
    [[nodiscard]] virtual bool is_enough() const { return false; }
    virtual void tell(SimulationProgress& progress) const = 0;
};

/// Runs a program to its end or until progress.is_enough(), and describes the run. The description contains everything
/// that does not depend on the kind of program.
SimulationResult run_program(const SimulationRequest& request, const SimulationControl& control, RankProgram& program,
                             const RunProgress& progress, std::vector<std::vector<RankId>> groups);

}  // namespace haichi
