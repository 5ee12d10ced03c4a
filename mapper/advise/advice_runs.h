#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mapper/advise/evidence.h"
#include "mapper/judge/simulate.h"

namespace haichi {

/// The searches and simulations that an answer is made of: many, each on one thread, several side by side.

/// How far they are.
struct AdviceProgress {
    std::string_view doing;  ///< "searching", "simulating"
    std::int64_t done = 0;
    std::int64_t all = 0;  ///< of these
};

/// All may be left empty. The callback comes from any thread, never twice at the same time, and must not throw.
struct AdviceControl {
    std::function<void(const AdviceProgress&)> progress;
    const std::atomic<bool>* stop = nullptr;  ///< set from outside: end soon with what is known
    Log log{};

    [[nodiscard]] bool is_stopped() const { return stop != nullptr && stop->load(); }
};

/// Packet-hops that the simulations of one answer may take when nothing else is said: some minutes on one core.
inline constexpr double kAdvicePacketHops = 1e9;

/// A placement to be simulated.
struct AdviceRun {
    const Placement* placement = nullptr;
    BarrierChoice barriers;  ///< without or with, not both
    ComputeImbalance imbalance{};
    SimulatedIterations iterations{};
    TrafficForm form = TrafficForm::kSets;
};

/// run_side_by_side() with progress; after an interruption the rest is left out.
void advance_side_by_side(std::string_view doing, std::int64_t count, std::int32_t threads,
                          const AdviceControl& control, const std::function<void(std::int64_t)>& work);

/// The times of the runs, in their order; nothing for those that an interruption left out. A time is exact when all
/// iterations were simulated; else its tolerance is 0.1 % when the iteration time repeated, 1 % when its mean settled,
/// and 2 % when it did not within the iterations that the budget allows.
std::vector<std::optional<SimulatedTime>> simulate_runs(std::span<const AdviceRun> runs, std::int32_t threads,
                                                        const AdviceControl& control);

}  // namespace haichi
