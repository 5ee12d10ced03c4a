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

/// What --objective auto judges placements by: the packet simulator, or predicted-time where that would take longer
/// than the budget, or the machine does not have the times.
class AutoJudge {
  public:
    struct Limits {
        std::int32_t threads = 0;
        std::function<bool()> may_go_on;  ///< called from any thread
        const SimulationControl& simulation;
    };

    /// Of the job's traffic as it is: of an iteration, or of the whole run for calls.
    struct Times {
        bool is_simulated = false;
        bool of_calls = false;
        std::string reason{};  ///< why not simulated, or not the calls; empty: nothing was in the way
        /// In the order of the placements; of the default placement and those of the first seed at least.
        std::vector<std::optional<double>> seconds{};
    };

    /// Of its sets under load: one after the other, without computing, and with messages of `mean_message_bytes` on
    /// average. Computing and overheads hide what a placement is good for; here links decide.
    struct LoadedTimes {
        std::int64_t mean_message_bytes = 0;
        bool is_simulated = false;
        std::vector<double> seconds{};  ///< of an iteration, in the order of the placements
    };

    AutoJudge(const Job& job, const AutoBudget& budget, Limits limits)
        : job_(job), budget_(budget), limits_(std::move(limits)) {}

    /// `placements`: the default one, then one of each objective for the first seed, the second seed, and so on. Where
    /// all are too costly, later seeds are left out.
    [[nodiscard]] Times times(std::span<const Mapping* const> placements, std::size_t objectives) const;

    /// Nothing where the job's sets have such messages and no computing as they are, or an interruption came first.
    [[nodiscard]] std::optional<LoadedTimes> loaded_times(std::span<const Mapping* const> placements) const;

  private:
    /// What can be simulated within the budget.
    struct Plan {
        std::size_t judged = 0;  ///< the first so many placements; 0: too few of them
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
