#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/stop_flag.h"
#include "mapper/advise/evidence.h"
#include "mapper/judge/simulate.h"

namespace haichi {

/// Runs the searches and simulations of one answer. Each uses one thread, and several run at the same time.

/// Progress of the searches or simulations.
struct AdviceProgress {
    std::string_view doing;  ///< "searching" or "simulating"
    std::int64_t done = 0;
    std::int64_t all = 0;  ///< number of searches or simulations
};

/// All members are optional. The callback may come from any thread, but never from two at once, and must not throw.
struct AdviceControl {
    std::function<void(const AdviceProgress&)> progress;
    const StopFlag* stop = nullptr;  ///< once the caller sets it, the work ends soon with the results so far
    Log log{};

    [[nodiscard]] bool is_stopped() const { return stop != nullptr && stop->load(); }
};

/// Default budget for the simulations of one answer, in packet-hops: some minutes on one core.
inline constexpr double kAdvicePacketHops = 1e9;

/// A placement to be simulated.
struct AdviceRun {
    const Placement* placement = nullptr;
    BarrierChoice barriers;  ///< kWithout or kWith, not both
    ComputeImbalance imbalance{};
    SimulatedIterations iterations{};
    TrafficForm form = TrafficForm::kSets;
};

/// Calls run_side_by_side() and reports progress. Skips the remaining work after an interruption.
void advance_side_by_side(std::string_view doing, std::int64_t count, std::int32_t threads,
                          const AdviceControl& control, const std::function<void(std::int64_t)>& work);

/// Returns the times of `runs`, in the same order. An entry is empty if an interruption prevented the run. A time is
/// exact when all iterations were simulated. Otherwise its tolerance depends on the iteration time: 0.1 % if it
/// repeated, 1 % if its mean settled, and 2 % if it did not settle.
std::vector<std::optional<SimulatedTime>> simulate_runs(std::span<const AdviceRun> runs, std::int32_t threads,
                                                        const AdviceControl& control);

}  // namespace haichi
