#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "mapper/anneal/best_mapping.h"
#include "mapper/anneal/cooling.h"
#include "mapper/anneal/move_window.h"
#include "mapper/anneal/proposer.h"
#include "mapper/search/convergence.h"
#include "objectives/objective.h"

namespace haichi {

/// The whole state of an annealing run, besides its inputs. It is a value: a new annealer that is given a stored one
/// continues the run exactly.
struct AnnealState {
    AnnealState(const Mapping& first, Random generator, const Cooling& plan)
        : start(first), mapping(first), best(first), random(generator), cooling(plan) {}

    Mapping start;
    Mapping mapping;
    BestMapping best;
    Random random;
    /// Proposals that changed the mapping and whose acceptance was decided from their change.
    std::int64_t evaluations = 0;
    std::int64_t accepted = 0;
    double energy = 0;  ///< of the mapping against the start, in messages of mean size
    Cooling cooling;
    Convergence convergence;
    std::vector<RankId> hot_ranks;
    std::int64_t hot_ranks_renewed_at = -1;  ///< evaluation number; -1: never
    // Of runs in rounds (LaneAnnealer), from the first:
    std::vector<Random> lanes;
    MoveWindow window;
};

/// What an annealing run does besides its moves, whichever way it makes them.
template <SearchObjective O>
class AnnealRun {
  public:
    /// The bound is reached, unless the schedule wants every evaluation; or no move changes anything.
    [[nodiscard]] bool finished() const { return is_finished_; }
    [[nodiscard]] bool at_bound() const { return bound_ && !(*bound_ < best_value_); }

    [[nodiscard]] typename O::Value best_value() const { return best_value_; }
    [[nodiscard]] Mapping best() const { return state_.best.get(state_.mapping); }
    [[nodiscard]] const AnnealState& state() const { return state_; }

  protected:
    AnnealRun(const Problem& problem, O& objective, const Proposer& proposer, VerifyLevel verify, AnnealState state)
        : problem_(&problem),
          objective_(&objective),
          proposer_(&proposer),
          verify_(verify),
          state_(std::move(state)),
          bound_(objective.lower_bound()) {
        objective_->reset(state_.best.get(state_.mapping));
        best_value_ = objective_->value();
        if (state_.evaluations == 0) state_.convergence.improved(0, objective_->in_unit(best_value_));
        objective_->reset(state_.mapping);
        note_whether_at_bound();
    }

    /// The mapping has this value, the smallest so far.
    void note_best(typename O::Value value) {
        best_value_ = value;
        note_whether_at_bound();
        state_.best.improved();
        state_.convergence.improved(state_.evaluations, objective_->in_unit(best_value_));
    }
    void finish() { is_finished_ = true; }

    /// True when the run has gone back to its start: the objective is to be reset.
    [[nodiscard]] bool returns_to_start() {
        if (!state_.cooling.take_return_to_start()) return false;
        state_.best.keep(state_.mapping);
        state_.mapping = state_.start;
        state_.energy = 0;
        state_.hot_ranks_renewed_at = -1;
        return true;
    }

    /// Every so often that finding them costs less than the evaluations between.
    void renew_hot_ranks() {
        if (!proposer_->uses_hot_ranks()) return;
        const std::int64_t messages = problem_->workload().crossing_message_count();
        const std::int64_t period = 100 + (proposer_->chases_hot_ranks() ? messages / 16 : messages);
        if (state_.hot_ranks_renewed_at >= 0 && state_.evaluations < state_.hot_ranks_renewed_at + period) return;
        state_.hot_ranks_renewed_at = state_.evaluations;
        state_.hot_ranks.clear();
        std::as_const(*objective_).append_hot_ranks(state_.mapping, state_.hot_ranks);
    }

    /// Compares values with those computed from scratch; throws InternalError when they differ.
    void compare(const Mapping& mapping, typename O::Value value, std::int64_t companion, const Move* move) const {
        const typename O::Value fresh = objective_->value_from_scratch(mapping);
        const std::int64_t fresh_companion = objective_->companion_from_scratch(mapping);
        if (value == fresh && companion == fresh_companion) return;
        std::string text = std::string(O::kInfo.name) + ": incremental value " +
                           std::to_string(objective_->in_unit(value)) + ", from scratch " +
                           std::to_string(objective_->in_unit(fresh)) + "; companion " + std::to_string(companion) +
                           ", from scratch " + std::to_string(fresh_companion) + "; evaluation " +
                           std::to_string(state_.evaluations);
        if (move != nullptr) {
            for (const Relocation& r : *move) {
                text += "; rank " + std::to_string(r.rank.value) + " from slot " + std::to_string(r.from_slot.value) +
                        " to " + std::to_string(r.to_slot.value);
            }
        }
        throw InternalError(text);
    }

    const Problem* problem_;
    O* objective_;
    const Proposer* proposer_;
    VerifyLevel verify_;
    AnnealState state_;

  private:
    void note_whether_at_bound() {
        if (at_bound() && !state_.cooling.runs_to_the_end()) is_finished_ = true;
    }

    std::optional<typename O::Value> bound_;
    typename O::Value best_value_{};
    bool is_finished_ = false;
};

}  // namespace haichi
