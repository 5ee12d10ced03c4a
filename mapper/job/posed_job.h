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

/// The objectives that suit the traffic (mapper/choose/map.h); where only one can be meant, the first of them.
inline constexpr std::string_view kAutoObjective = "auto";

/// Estimates the time of an iteration; `auto` judges by it where nothing is simulated.
inline constexpr const char* kPredictor = "predicted-time";

/// What is minimised, as users name it.
struct ObjectiveChoice {
    /// kAutoObjective, what parse_objective() reads, or "./libx.so:name" (mapper/anneal/plugin.h).
    std::string name{kAutoObjective};
    ObjectiveFunction function{};  ///< instead; `name` is then its name
    /// What decides between placements of equal value, in its order; not set: what is usual after the objective.
    std::optional<std::vector<std::string>> then{};

    [[nodiscard]] bool is_auto() const { return !function && name == kAutoObjective; }
};

/// The objectives that suit the traffic. Messages that are all under way together contend as their sum does: hop-bytes
/// and the load of links. Several sets: what counts messages that are under way at the same time, too. predicted-time
/// where a search can ask for it about many placements.
std::vector<std::string> suited_objectives(const Problem& problem);

/// A job and what is to be minimised in it; `auto` is the first objective that suits it.
struct PosedJob {
    Job job;
    std::shared_ptr<const JobProblem> held;
    ObjectiveSpec spec;
    /// simulated-time is wanted: its row; spec and objective are then those of tac3, with which it is searched. Else
    /// null.
    const ObjectiveRow* ranking = nullptr;
    std::unique_ptr<BoundObjective> objective;
    std::vector<std::unique_ptr<BoundObjective>> next{};  ///< of spec.then

    PosedJob(Job of, const ObjectiveChoice& choice, const Log& log = {});

    [[nodiscard]] const Problem& problem() const { return held->problem; }
};

/// --time auto: a hundredth of what a better placement can save over all iterations, between what a small search takes
/// and a coffee break. What it can save is told by tac3-bytes, which knows seconds whatever is searched for: the
/// default placement's against the bound.
double seconds_worth_searching(const PosedJob& posed);

}  // namespace haichi
