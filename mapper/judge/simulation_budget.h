#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "mapper/judge/simulate.h"

namespace haichi {

/// Budgets of many simulations that run at the same time, on one thread each.

/// Calls work(i) for every i below `count`, on up to `threads` threads (0: all cores). Rethrows the exception with the
/// smallest i. After an exception, no call with a larger i begins.
void run_side_by_side(std::int64_t count, std::int32_t threads, const std::function<void(std::int64_t)>& work);

/// Traversals of links and arrivals at nodes in one iteration.
double packet_hops_per_iteration(const Placement& placement);

/// Approximate packet-hops of a whole run of the log's calls. A collective counts as many messages as a tree has steps.
double packet_hops_of_calls(const Placement& placement);

inline constexpr double kOverdraft = 4;

/// Number of affordable runs of a workload with this many iterations. A run counts as at most ten iterations, in which
/// its time is usually found to repeat.
std::int64_t affordable_runs(double hops_per_iteration, std::int64_t iterations, double budget);

/// The largest number of iterations per run with which `runs` runs stay within the budget. Most runs end much earlier,
/// because their time repeats. If the budget is too small for two iterations, returns two if these cost at most
/// `overdraft` times the budget, otherwise nothing.
std::optional<SimulatedIterations> affordable_iterations(double hops_per_iteration, std::int64_t iterations,
                                                         std::int64_t runs, double budget,
                                                         double overdraft = kOverdraft);

}  // namespace haichi
