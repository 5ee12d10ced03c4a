#pragma once

#include "mapper/solve/solve.h"

namespace haichi {

/// Whether haichi searches with several objectives and selects one. This requires annealing under its default schedule.
/// With any other search, `auto` is the first objective that suits the job.
bool is_open(const MapOptions& options);

/// Places the ranks. For a named objective this is solve(). For an open objective it calls solve() several times and
/// selects the best placement. It tries each of suited_objectives() with a few seeds, within AutoBudget.
///
/// The packet simulator compares the placements. It simulates the calls of a log, or the sets if there are no calls. If
/// that would exceed the budget, or the machine does not state the times, predicted-time replaces the simulator. The
/// winner is the objective with the lowest mean time over the seeds. Its fastest placement is the result, unless the
/// default placement is as fast. If placements differ by less than 2 %, the sets under load decide (AutoJudge).
///
/// The same inputs and seed give the same placement. Half of a time limit is for the searches. Throws as solve() does.
Placement map(const Job& job, const MapOptions& options, const SearchControl& control = {},
              const SimulationControl& simulation = {});

}  // namespace haichi
