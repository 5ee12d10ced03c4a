#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapper/choose/auto_budget.h"
#include "mapper/judge/simulate.h"

namespace haichi {

/// Compares placements for --objective auto with the packet simulator. If that would exceed the budget, or the machine
/// does not state the times, predicted-time replaces it.
class AutoJudge {
  public:
    struct Limits {
        std::int32_t threads = 0;
        std::function<bool()> may_go_on;  ///< any thread may call it
        const SimulationControl& simulation;
    };

    /// Times for the job's original traffic: per iteration, or for the whole run with calls.
    struct Times {
        bool is_simulated = false;
        bool of_calls = false;
        std::string reason{};  ///< why the traffic or its calls were not simulated; empty if they were
        /// In the order of the placements. At least the default placement and those of the first seed have a time.
        std::vector<std::optional<double>> seconds{};
    };

    /// Times for the job's sets under load: one set after another, without computation, and with messages of
    /// `mean_message_bytes` on average. Computation and overheads hide differences between placements. Under load,
    /// links decide.
    struct LoadedTimes {
        std::int64_t mean_message_bytes = 0;
        bool is_simulated = false;
        std::vector<double> seconds{};  ///< per iteration, in the order of the placements
    };

    AutoJudge(const Job& job, const AutoBudget& budget, Limits limits)
        : job_(job), budget_(budget), limits_(std::move(limits)) {}

    /// `placements` begins with the default one, followed by one per objective for the first seed, then for the second
    /// seed, and so on. If all are too expensive, later seeds are omitted.
    [[nodiscard]] Times times(std::span<const Mapping* const> placements, std::size_t objectives) const;

    /// Empty if the job's sets already have such messages and no computation, or after an interruption.
    [[nodiscard]] std::optional<LoadedTimes> loaded_times(std::span<const Mapping* const> placements) const;

  private:
    /// The simulations that the budget allows.
    struct Plan {
        std::size_t judged = 0;  ///< number of leading placements that are compared; 0 if too few are affordable
        SimulationOptions options{};
        bool of_calls = false;
        std::string reason{};  ///< as in Times
    };

    [[nodiscard]] Plan affordable_plan(std::span<const Mapping* const> placements, std::size_t objectives) const;
    [[nodiscard]] std::vector<std::optional<double>> simulated(const Job& job,
                                                               std::span<const Mapping* const> placements,
                                                               const SimulationOptions& options) const;

    const Job& job_;
    const AutoBudget& budget_;
    Limits limits_;
};

}  // namespace haichi
