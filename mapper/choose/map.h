#pragma once

#include "mapper/solve/solve.h"

namespace haichi {

/// Whether the objective is left to the program, and the search is one that it may repeat: annealing under its usual
/// schedule. Otherwise `auto` is the first objective that suits the job.
bool is_open(const MapOptions& options);

/// Places the ranks. solve() for an objective that is named; where it is open, several solve() and the best of what
/// they find: a placement by each of suited_objectives() and for each of a few seeds, within AutoBudget. The packet
/// simulator judges: where the traffic is a log, its calls are simulated, else its sets; where that would take longer
/// than the budget, or the machine does not have the times, predicted-time judges. The winner is the objective with the
/// least mean time over the seeds; its fastest placement is taken, and the default one where that is not slower.
/// Between placements that differ by less than 2 % the sets under load decide (AutoJudge). Same inputs and seed, same
/// placement; with a time limit, half of it is for the searches. Throws as solve() does.
Placement map(const Job& job, const MapOptions& options, const SearchControl& control = {},
              const SimulationControl& simulation = {});

}  // namespace haichi
