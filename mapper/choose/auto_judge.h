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

/// Compares placements for --objective auto with the packet simulator. Uses predicted-time instead if simulations would
/// exceed the budget or the machine does not state the times.
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
        std::string reason{};           ///< reason why the traffic or its calls were not simulated; empty if they were
        std::vector<double> seconds{};  ///< in the order of the placements
        std::int32_t seeds = 1;         ///< number of seeds whose placements can be compared
    };

    /// Times for the job's sets under load: one set after another, without computation, and with messages of
    /// `mean_message_bytes` on average. Computation and overheads can hide differences between placements. Under load,
    /// the links determine the times.
    struct LoadedTimes {
        std::int64_t mean_message_bytes = 0;
        bool is_simulated = false;
        std::vector<double> seconds{};  ///< per iteration, in the order of the placements
    };

    AutoJudge(const Job& job, const AutoBudget& budget, Limits limits)
        : job_(job), budget_(budget), limits_(std::move(limits)) {}

    /// Times of the default placement and of the first seed's placement for each objective, in this order. Plans the
    /// budget for `seeds` such groups, or for fewer if these are too expensive.
    [[nodiscard]] Times first_times(std::span<const Mapping* const> placements, std::int32_t seeds);
    /// Times of further placements, obtained as by first_times(). An entry is empty after the time limit or an
    /// interruption.
    [[nodiscard]] std::vector<std::optional<double>> further_times(std::span<const Mapping* const> placements) const;

    /// The time of each placement for the whole run (all iterations), extrapolated as in `haichi simulate`. Empty after
    /// an interruption, if times are predicted or of calls, or if the budget does not suffice.
    [[nodiscard]] std::optional<std::vector<double>> full_times(std::span<const Mapping* const> placements) const;

    /// Times under load. Empty if the job's sets already have no computation and messages of that size, or after an
    /// interruption.
    [[nodiscard]] std::optional<LoadedTimes> loaded_times(std::span<const Mapping* const> placements) const;

  private:
    /// The simulations that the budget allows.
    struct Plan {
        std::int32_t seeds = 0;  ///< number of seeds that are simulated; 0 if even one is too expensive
        SimulationOptions options{};
        bool of_calls = false;
        std::string reason{};  ///< as in Times
    };

    [[nodiscard]] Plan affordable_plan(std::span<const Mapping* const> placements, std::int32_t seeds) const;
    [[nodiscard]] std::vector<std::optional<double>> simulated(const Job& job,
                                                               std::span<const Mapping* const> placements,
                                                               const SimulationOptions& options,
                                                               bool is_of_run = false) const;

    const Job& job_;
    const AutoBudget& budget_;
    Limits limits_;
    std::optional<SimulationOptions> simulation_{};  ///< unset if times are predicted
};

}  // namespace haichi
