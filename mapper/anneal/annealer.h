#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "mapper/anneal/best_mapping.h"
#include "mapper/anneal/cooling.h"
#include "mapper/anneal/metropolis.h"
#include "mapper/anneal/proposer.h"
#include "mapper/search/convergence.h"
#include "objectives/objective.h"

namespace haichi {

/// All that an annealing run is made of besides its inputs. A value: stored and given to a new Annealer, it goes on as
/// if it had never stopped.
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
};

/// The annealing engine: propose -> delta -> accept -> commit, on one concrete objective.
template <SearchObjective O>
class Annealer {
  public:
    Annealer(const Problem& problem, O& objective, const Proposer& proposer, double companion_weight,
             VerifyLevel verify, AnnealState state)
        : problem_(&problem),
          objective_(&objective),
          proposer_(&proposer),
          companion_weight_(companion_weight),
          verify_(verify),
          state_(std::move(state)),
          bound_(objective.lower_bound()) {
        objective_->reset(state_.best.get(state_.mapping));
        best_value_ = objective_->value();
        if (state_.evaluations == 0) state_.convergence.improved(0, objective_->in_unit(best_value_));
        objective_->reset(state_.mapping);
        note_whether_at_bound();
    }

    /// Goes on until `evaluations` are made in all, or finished().
    void run_until(std::int64_t evaluations) {
        constexpr int kMostIdleDraws = 1 << 20;  // draws in a row that change nothing: there is nothing to find
        int idle_draws = 0;
        Random random = state_.random;  // in registers: nothing in the loop takes its address
        while (state_.evaluations < evaluations && !finished()) {
            if (state_.evaluations >= state_.cooling.next_step()) {
                state_.cooling.advance(state_.evaluations, state_.energy);
                return_to_start_if_wanted();
            }
            renew_hot_ranks();
            const Move move = proposer_->propose(state_.mapping, state_.hot_ranks, random);
            if (move.empty()) {
                if (++idle_draws == kMostIdleDraws) is_finished_ = true;
                continue;
            }
            idle_draws = 0;
            const Change change = objective_->propose(state_.mapping, move);
            const double energy = change.value + companion_weight_ * change.companion;
            ++state_.evaluations;
            if (MetropolisAcceptor(state_.cooling.temperature()).accepts(energy, random)) {
                objective_->commit();
                state_.energy += energy;
                accept(move);
            } else {
                objective_->rollback();
            }
            if (verify_ == VerifyLevel::kStep) verify(&move);
        }
        state_.random = random;
    }

    /// Runs limited by time: `fraction` of it is gone.
    void cool_to(double fraction) {
        state_.cooling.advance_to(fraction, state_.energy);
        return_to_start_if_wanted();
    }

    /// The bound is reached, unless the schedule wants every evaluation; or no move changes anything.
    [[nodiscard]] bool finished() const { return is_finished_; }
    [[nodiscard]] bool at_bound() const { return bound_ && !(*bound_ < best_value_); }

    [[nodiscard]] typename O::Value best_value() const { return best_value_; }
    [[nodiscard]] Mapping best() const { return state_.best.get(state_.mapping); }
    [[nodiscard]] const AnnealState& state() const { return state_; }

    /// Compares the incremental value with one computed from scratch; throws InternalError when they differ.
    void verify(const Move* move) const {
        if (objective_->value() == objective_->value_from_scratch(state_.mapping) &&
            objective_->companion() == objective_->companion_from_scratch(state_.mapping)) {
            return;
        }
        std::string text = std::string(O::kInfo.name) + ": incremental value " +
                           std::to_string(objective_->in_unit(objective_->value())) + ", from scratch " +
                           std::to_string(objective_->in_unit(objective_->value_from_scratch(state_.mapping))) +
                           "; companion " + std::to_string(objective_->companion()) + ", from scratch " +
                           std::to_string(objective_->companion_from_scratch(state_.mapping)) + "; evaluation " +
                           std::to_string(state_.evaluations);
        if (move != nullptr) {
            for (const Relocation& r : *move) {
                text += "; rank " + std::to_string(r.rank.value) + " from slot " + std::to_string(r.from_slot.value) +
                        " to " + std::to_string(r.to_slot.value);
            }
        }
        throw InternalError(text);
    }

  private:
    void note_whether_at_bound() {
        if (at_bound() && !state_.cooling.runs_to_the_end()) is_finished_ = true;
    }

    void return_to_start_if_wanted() {
        if (!state_.cooling.take_return_to_start()) return;
        state_.best.keep(state_.mapping);
        state_.mapping = state_.start;
        state_.energy = 0;
        state_.hot_ranks_renewed_at = -1;
        objective_->reset(state_.mapping);
    }

    void accept(const Move& move) {
        state_.mapping.apply(move);
        ++state_.accepted;
        if (objective_->value() < best_value_) {
            best_value_ = objective_->value();
            note_whether_at_bound();
            state_.best.improved();
            state_.convergence.improved(state_.evaluations, objective_->in_unit(best_value_));
        } else {
            state_.best.moved(state_.mapping, move);
        }
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

    const Problem* problem_;
    O* objective_;
    const Proposer* proposer_;
    double companion_weight_;
    VerifyLevel verify_;
    AnnealState state_;
    std::optional<typename O::Value> bound_;
    typename O::Value best_value_{};
    bool is_finished_ = false;
};

}  // namespace haichi
