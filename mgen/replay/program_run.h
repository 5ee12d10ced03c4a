#pragma once

// How any program, a replay or a live one, is run on the packet simulator and its run described.

#include <vector>

#include "mgen/rank_program.h"
#include "mgen/replay/simulation.h"

namespace haichi {

/// How far a run is, and whether that is enough.
class RunProgress {
  public:
    virtual ~RunProgress() = default;
    [[nodiscard]] virtual bool is_enough() const { return false; }
    virtual void tell(SimulationProgress& progress) const = 0;
};

/// Runs a program to its end, or as far as it is enough, and describes the run: everything that does not depend on what
/// kind of program it is.
SimulationResult run_program(const SimulationRequest& request, const SimulationControl& control, RankProgram& program,
                             const RunProgress& progress, std::vector<std::vector<RankId>> groups);

}  // namespace haichi
