#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "mapper/judge/simulate.h"

namespace haichi {

/// What many simulations together may cost, and how they run side by side, each on one thread.

/// work(i) for every i below `count`, on up to `threads` threads (0: all cores). Of what is thrown, the first by i is
/// thrown again, and nothing behind it begins.
void run_side_by_side(std::int64_t count, std::int32_t threads, const std::function<void(std::int64_t)>& work);

/// Of one iteration: passages over links and into nodes.
double packet_hops_per_iteration(const Placement& placement);

/// The same of a whole run of the calls of its log, about: collectives count as so many messages as a tree has steps.
double packet_hops_of_calls(const Placement& placement);

inline constexpr double kOverdraft = 4;

/// How many runs of a workload with so many iterations the budget allows when each needs the ten in which its time may
/// be found to repeat.
std::int64_t affordable_runs(double hops_per_iteration, std::int64_t iterations, double budget);

/// The limit of iterations with which each of `runs` stays within the budget, though most end long before it because
/// their time repeats; two when these take no more than `overdraft` times the budget; else nothing.
std::optional<SimulatedIterations> affordable_iterations(double hops_per_iteration, std::int64_t iterations,
                                                         std::int64_t runs, double budget,
                                                         double overdraft = kOverdraft);

}  // namespace haichi
