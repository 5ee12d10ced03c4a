#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/thread_team.h"
#include "mapper/anneal/anneal_run.h"
#include "mapper/anneal/lane.h"

namespace haichi {

/// Anneals one large job with several threads, in rounds. In a round, lanes try moves at the same time. Each lane
/// starts from the round's first mapping, has its own random numbers, and does not see the other lanes' moves. The
/// accepted moves are then applied one after another, and the value changes by their exact total. Rounds and lanes
/// depend only on the job, so results do not depend on the number of threads.
///
/// On very large jobs, the lanes of a round draw moves for the ranks of one window (MoveWindow).
///
/// A lane does not see other lanes' moves, so some of the changes that it computes are wrong. Rounds are short enough
/// that this does not matter: a round has an eighth as many proposals as its window has ranks. For 4 % of the accepted
/// moves, another lane has moved the rank. On stencils and a random geometric graph of 4,096 ranks, medians over seeds
/// at equal evaluations differed from Annealer's by at most 1 % either way. Rounds four times as long gave values 2 to
/// 5 % worse.
template <SplitObjective O>
class LaneAnnealer final : public AnnealRun<O> {
  public:
    LaneAnnealer(const Problem& problem, O& objective, const Proposer& proposer, VerifyLevel verify, AnnealState state,
                 ThreadTeam& team)
        : AnnealRun<O>(problem, objective, proposer, verify, std::move(state)),
          team_(&team),
          copies_(static_cast<std::size_t>(team.count())),
          changes_(copies_.size()),
          value_(objective.value()) {
        const auto ranks = static_cast<std::int64_t>(problem.communicating_ranks().size());
        constexpr std::int64_t kRanksPerLane = 512;
        constexpr std::int64_t kFewestLanes = 8;
        constexpr std::int64_t kMostLanes = 128;
        lanes_.resize(static_cast<std::size_t>(std::clamp(ranks / kRanksPerLane, kFewestLanes, kMostLanes)));
        constexpr std::int64_t kRanksPerEvaluation = 8;
        const auto in_window = std::min(ranks, static_cast<std::int64_t>(MoveWindow::kRanks));
        constexpr std::int64_t kShortestRound = 256;  // in shorter rounds, threads wait longer than they work
        per_round_ = std::max(in_window / kRanksPerEvaluation, kShortestRound);
        // Enough rounds that even a short run passes through all temperatures.
        constexpr std::int64_t kFewestRounds = 500;
        per_round_ = std::clamp<std::int64_t>(state_.cooling.evaluations() / kFewestRounds, 1, per_round_);
        if (state_.lanes.empty()) {
            const std::uint64_t seed = state_.random.next();
            for (std::size_t l = 0; l < lanes_.size(); ++l) state_.lanes.emplace_back(seed, l);
            state_.window = MoveWindow(problem, state_.mapping);
        }
        reset_copies();
    }

    using AnnealRun<O>::finished;
    using AnnealRun<O>::best_value;

    /// Evaluations per round.
    [[nodiscard]] std::int64_t round_size() const override { return per_round_; }

    void run_until(std::int64_t evaluations) override {
        while (state_.evaluations < evaluations && !finished()) {
            if (state_.evaluations >= state_.cooling.next_step()) {
                state_.cooling.advance(state_.evaluations, state_.energy);
                if (this->returns_to_start()) reset_copies();
            }
            this->renew_hot_ranks();
            state_.window.advance(state_.evaluations, *problem_, state_.mapping);
            make_round(std::min(per_round_, evaluations - state_.evaluations));
        }
    }

    void cool_to(double fraction) override {
        state_.cooling.advance_to(fraction, state_.evaluations, state_.energy);
        if (this->returns_to_start()) reset_copies();
    }

    void verify() const override { this->compare(state_.mapping, value_, 0, nullptr); }

  private:
    using AnnealRun<O>::problem_;
    using AnnealRun<O>::objective_;
    using AnnealRun<O>::proposer_;
    using AnnealRun<O>::verify_;
    using AnnealRun<O>::state_;

    void reset_copies() {
        objective_->reset(state_.mapping);
        value_ = objective_->value();
        team_->run([&](int thread) { copies_[static_cast<std::size_t>(thread)].reset(state_.mapping); });
    }

    void make_round(std::int64_t evaluations) {
        run_lanes(evaluations);
        team_->run([&](int number) {
            const auto thread = static_cast<std::size_t>(number);
            changes_[thread] = copies_[thread].follow(lanes_, std::as_const(*objective_), thread, copies_.size());
        });
        const auto change = std::accumulate(changes_.begin(), changes_.end(), typename O::Value{});
        value_ += change;
        state_.energy += objective_->in_messages(change);
        take_moves();
        if (verify_ == VerifyLevel::kStep) verify();
    }

    void run_lanes(std::int64_t evaluations) {
        const auto count = static_cast<std::int64_t>(lanes_.size());
        for (std::int64_t l = 0; l < count; ++l) {
            lanes_[static_cast<std::size_t>(l)].wanted = evaluations * (l + 1) / count - evaluations * l / count;
        }
        const Round round{state_.cooling.temperature(), {state_.window.ranks(), state_.hot_ranks}};
        const auto observe = [this](const Mapping& mapping, const Move& move, typename O::Value change) {
            if (verify_ == VerifyLevel::kStep) this->compare(mapping, value_ + change, 0, &move);
        };
        std::atomic<std::size_t> next{0};  // each free thread takes the next lane
        team_->run([&](int thread) {
            LaneMapping<O>& copy = copies_[static_cast<std::size_t>(thread)];
            for (std::size_t l = next++; l < lanes_.size(); l = next++) {
                copy.run(lanes_[l], round, std::as_const(*objective_), *proposer_, state_.lanes[l], observe);
            }
        });
        const std::int64_t before = state_.evaluations;
        for (const Lane<O>& lane : lanes_) state_.evaluations += lane.evaluations;
        go_on_when_idle(state_.evaluations > before);
    }

    /// Shifts the window if no rank in it can move, because ranks of the next window may be able to.
    void go_on_when_idle(bool has_moved) {
        idle_windows_ = has_moved ? 0 : idle_windows_ + 1;
        if (idle_windows_ >= state_.window.windows()) this->finish();
        if (!has_moved) state_.window.shift(state_.evaluations, *problem_, state_.mapping);
    }

    void take_moves() {
        const auto made = copies_.front().made();
        for (const Move& move : made) state_.mapping.apply(move);
        state_.accepted += static_cast<std::int64_t>(made.size());
        if (value_ < best_value()) {
            this->note_best(value_);
        } else {
            state_.best.moved(state_.mapping, made);
        }
    }

    ThreadTeam* team_;
    std::vector<LaneMapping<O>> copies_;  ///< one per thread
    std::vector<typename O::Value> changes_;
    std::vector<Lane<O>> lanes_;
    std::int64_t per_round_ = 1;
    std::size_t idle_windows_ = 0;  ///< number of consecutive idle windows
    typename O::Value value_;
};

}  // namespace haichi
