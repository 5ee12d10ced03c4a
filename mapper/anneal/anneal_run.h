#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mapper/anneal/best_mapping.h"
#include "mapper/anneal/cooling.h"
#include "mapper/anneal/move_window.h"
#include "mapper/anneal/proposer.h"
#include "mapper/search/convergence.h"
#include "objectives/objective.h"

namespace haichi {

/// The whole state of an annealing run, except its inputs. A value type: a new annealer continues a run exactly from a
/// stored state.
struct AnnealState {
    AnnealState(const Mapping& first, Random generator, const Cooling& plan)
        : start(first), mapping(first), best(first), random(generator), cooling(plan) {}

    Mapping start;
    Mapping mapping;
    BestMapping best;
    Random random;
    /// Number of evaluated proposals. Proposals that change nothing do not count.
    std::int64_t evaluations = 0;
    std::int64_t accepted = 0;
    double energy = 0;  ///< energy of the mapping minus energy of the start, in messages of mean size
    Cooling cooling;
    Convergence convergence;
    std::vector<RankId> hot_ranks;
    std::int64_t hot_ranks_renewed_at = -1;  ///< number of evaluations at the last renewal; -1 before the first
    // Only for runs in rounds (LaneAnnealer), which set them in the first round:
    std::vector<Random> lanes;
    MoveWindow window;
};

/// An annealing run with its objective's type hidden: the interface that a restart uses between thousands of moves.
class AnyAnnealRun {
  public:
    virtual ~AnyAnnealRun() = default;

    /// True if no move changes anything, or if the bound is reached and the schedule does not require every evaluation.
    [[nodiscard]] bool finished() const { return is_finished_; }
    [[nodiscard]] Mapping best() const { return state_.best.get(state_.mapping); }
    [[nodiscard]] const AnnealState& state() const { return state_; }

    [[nodiscard]] virtual bool at_bound() const = 0;
    [[nodiscard]] virtual double best_in_unit() const = 0;
    /// Runs end at multiples of this number of evaluations.
    [[nodiscard]] virtual std::int64_t round_size() const = 0;
    /// Continues until the run has made `evaluations` in total, or until finished().
    virtual void run_until(std::int64_t evaluations) = 0;
    /// For runs with a time limit: sets the temperature for this elapsed fraction of the time.
    virtual void cool_to(double fraction) = 0;
    /// Compares the incremental value with a full evaluation. Throws InternalError when they differ.
    virtual void verify() const = 0;

  protected:
    AnyAnnealRun(const Problem& problem, const Proposer& proposer, VerifyLevel verify, AnnealState state)
        : problem_(&problem), proposer_(&proposer), verify_(verify), state_(std::move(state)) {}
    AnyAnnealRun(const AnyAnnealRun&) = default;
    AnyAnnealRun& operator=(const AnyAnnealRun&) = default;

    void finish() { is_finished_ = true; }

    /// Restores the start mapping if the schedule requires it, and then returns true. The caller must then reset the
    /// objective.
    [[nodiscard]] bool returns_to_start();

    const Problem* problem_;
    const Proposer* proposer_;
    VerifyLevel verify_;
    AnnealState state_;

  private:
    bool is_finished_ = false;
};

/// An incremental value and the result of a full evaluation, in the unit of the objective, and their smoothing terms.
struct ValuesThatDiffer {
    double value = 0;
    double full_value = 0;
    std::int64_t smoothing = 0;
    std::int64_t full_smoothing = 0;
};

/// Throws InternalError. `move` is the move that caused the difference, if known.
[[noreturn]] void throw_difference(std::string_view objective, const ValuesThatDiffer& values, std::int64_t evaluation,
                                   const Move* move);

/// The part of an annealing run that does not depend on how it makes moves.
template <SearchObjective O>
class AnnealRun : public AnyAnnealRun {
  public:
    [[nodiscard]] bool at_bound() const final { return bound_ && !(*bound_ < best_value_); }
    [[nodiscard]] double best_in_unit() const final { return objective_->in_unit(best_value_); }
    [[nodiscard]] typename O::Value best_value() const { return best_value_; }

  protected:
    AnnealRun(const Problem& problem, O& objective, const Proposer& proposer, VerifyLevel verify, AnnealState state)
        : AnyAnnealRun(problem, proposer, verify, std::move(state)),
          objective_(&objective),
          bound_(objective.lower_bound()) {
        objective_->reset(state_.best.get(state_.mapping));
        best_value_ = objective_->value();
        if (state_.evaluations == 0) state_.convergence.improved(0, objective_->in_unit(best_value_));
        objective_->reset(state_.mapping);
        note_whether_at_bound();
    }

    /// Records the value of the current mapping, which is the smallest so far.
    void note_best(typename O::Value value) {
        best_value_ = value;
        note_whether_at_bound();
        state_.best.improved();
        state_.convergence.improved(state_.evaluations, objective_->in_unit(best_value_));
    }

    /// Renews the hot ranks. Does so rarely enough that this costs less than the evaluations in between.
    void renew_hot_ranks() {
        if (!proposer_->uses_hot_ranks()) return;
        const std::int64_t messages = problem_->workload().crossing_message_count();
        const std::int64_t period = 100 + (proposer_->chases_hot_ranks() ? messages / 16 : messages);
        if (state_.hot_ranks_renewed_at >= 0 && state_.evaluations < state_.hot_ranks_renewed_at + period) return;
        state_.hot_ranks_renewed_at = state_.evaluations;
        state_.hot_ranks.clear();
        std::as_const(*objective_).append_hot_ranks(state_.mapping, state_.hot_ranks);
    }

    /// Compares values with a full evaluation. Throws InternalError when they differ.
    void compare(const Mapping& mapping, typename O::Value value, std::int64_t smoothing, const Move* move) const {
        const typename O::Value fresh = objective_->value_from_scratch(mapping);
        const std::int64_t fresh_smoothing = objective_->smoothing_from_scratch(mapping);
        if (value == fresh && smoothing == fresh_smoothing) return;
        throw_difference(O::kInfo.name,
                         {objective_->in_unit(value), objective_->in_unit(fresh), smoothing, fresh_smoothing},
                         state_.evaluations, move);
    }

    O* objective_;

  private:
    void note_whether_at_bound() {
        if (at_bound() && !state_.cooling.runs_to_the_end()) finish();
    }

    std::optional<typename O::Value> bound_;
    typename O::Value best_value_{};
};

}  // namespace haichi
