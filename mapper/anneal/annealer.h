#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "mapper/anneal/anneal_run.h"
#include "mapper/anneal/metropolis.h"

namespace haichi {

/// The annealing engine: propose -> delta -> accept -> commit, on one concrete objective.
template <SearchObjective O>
class Annealer final : public AnnealRun<O> {
  public:
    Annealer(const Problem& problem, O& objective, const Proposer& proposer, double smoothing_weight,
             VerifyLevel verify, AnnealState state)
        : AnnealRun<O>(problem, objective, proposer, verify, std::move(state)), smoothing_weight_(smoothing_weight) {}

    using AnnealRun<O>::finished;
    using AnnealRun<O>::best_value;

    [[nodiscard]] std::int64_t round_size() const override { return 1; }

    void run_until(std::int64_t evaluations) override {
        constexpr int kMostIdleDraws = 1 << 20;  // after this many draws in a row without a change, the run ends
        int idle_draws = 0;
        Random random = state_.random;  // a copy stays in registers, because nothing takes its address
        while (state_.evaluations < evaluations && !finished()) {
            if (state_.evaluations >= state_.cooling.next_step()) {
                state_.cooling.advance(state_.evaluations, state_.energy);
                return_to_start_if_wanted();
            }
            renew_hot_ranks();
            const Move move = proposer_->propose(state_.mapping, proposer_->all_ranks(state_.hot_ranks), random);
            if (move.empty()) {
                if (++idle_draws == kMostIdleDraws) this->finish();
                continue;
            }
            idle_draws = 0;
            ++state_.evaluations;
            if (const auto energy = accepted_energy(move, random)) {
                objective_->commit();
                state_.energy += *energy;
                accept(move);
            }
            if (verify_ == VerifyLevel::kStep) verify_after(&move);
        }
        state_.random = random;
    }

    void cool_to(double fraction) override {
        state_.cooling.advance_to(fraction, state_.evaluations, state_.energy);
        return_to_start_if_wanted();
    }

    void verify() const override { verify_after(nullptr); }

  private:
    using AnnealRun<O>::objective_;
    using AnnealRun<O>::proposer_;
    using AnnealRun<O>::verify_;
    using AnnealRun<O>::state_;
    using AnnealRun<O>::renew_hot_ranks;

    /// Returns the energy change of the move if it is accepted; otherwise, nothing, and the objective keeps its state.
    [[gnu::always_inline]] inline std::optional<double> accepted_energy(const Move& move, Random& random) {
        const MetropolisAcceptor acceptor(state_.cooling.temperature());
        if constexpr (LimitedObjective<O>) {
            // Drawn before the change is known, so that the objective knows the limit of acceptable changes.
            const double drawn = MetropolisAcceptor::draw(random);
            const auto change =
                objective_->propose_within(state_.mapping, move, {acceptor.most(drawn), smoothing_weight_});
            if (!change) return std::nullopt;
            const double energy = energy_of(*change);
            if (energy <= 0 || acceptor.accepts(energy, drawn)) return energy;
        } else {
            const double energy = energy_of(objective_->propose(state_.mapping, move));
            if (acceptor.accepts(energy, random)) return energy;
        }
        objective_->rollback();
        return std::nullopt;
    }
    [[nodiscard]] double energy_of(const Change& change) const {
        return change.value + smoothing_weight_ * change.smoothing;
    }

    void verify_after(const Move* move) const {
        this->compare(state_.mapping, objective_->value(), objective_->smoothing(), move);
    }

    void return_to_start_if_wanted() {
        if (this->returns_to_start()) objective_->reset(state_.mapping);
    }

    void accept(const Move& move) {
        state_.mapping.apply(move);
        ++state_.accepted;
        if (objective_->value() < best_value()) {
            this->note_best(objective_->value());
        } else {
            state_.best.moved(state_.mapping, move);
        }
    }

    double smoothing_weight_;
};

}  // namespace haichi
