#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/job/job.h"
#include "mapper/search/search_result.h"

namespace haichi {

/// Means the objectives that suit the traffic (mapper/choose/map.h). Callers that accept one objective use the first of
/// these.
inline constexpr std::string_view kAutoObjective = "auto";

/// The objective that estimates the time of an iteration. `auto` compares placements by it if nothing is simulated.
inline constexpr const char* kPredictor = "predicted-time";

/// The minimised objective, as users name it.
struct ObjectiveChoice {
    /// kAutoObjective, a text for parse_objective(), or "./libx.so:name" (include/haichi/plugin.h).
    std::string name{kAutoObjective};
    ObjectiveFunction function{};  ///< replaces the named objective; `name` is then the function's name
    /// Tie-breaking order. If it is not set, the objective's default applies.
    std::optional<std::vector<std::string>> then{};

    [[nodiscard]] bool is_auto() const { return !function && name == kAutoObjective; }
};

/// The objectives that suit the traffic. If all messages are under way at the same time, their sum determines
/// contention. Then hop-bytes and link load suit (tac3 if all sizes are equal). For several sets, objectives that count
/// concurrent messages are included. predicted-time is included if it is cheap enough for a search.
std::vector<std::string> suited_objectives(const Problem& problem);

/// A job with its minimised objective. `auto` is the first objective that suits the job.
struct PosedJob {
    Job job;
    std::shared_ptr<const JobProblem> held;
    ObjectiveSpec spec;
    /// The entry of simulated-time if it is requested, otherwise null. With simulated-time, spec and objective are
    /// those of tac3, which the search uses.
    const ObjectiveRow* ranking = nullptr;
    std::unique_ptr<BoundObjective> objective;
    std::vector<std::unique_ptr<BoundObjective>> next{};  ///< objectives of spec.then

    PosedJob(Job of, const ObjectiveChoice& choice, const Log& log = {});

    [[nodiscard]] const Problem& problem() const { return held->problem; }
};

/// The limit of --time auto: a hundredth of the time that a better placement can save over all iterations. It is at
/// least the time of a small search and at most some minutes. The saving is tac3-bytes of the default placement less
/// the lower bound of tac3-bytes. tac3-bytes is used for every searched objective, because it is in seconds.
double seconds_worth_searching(const PosedJob& posed);

}  // namespace haichi
