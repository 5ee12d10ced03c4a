#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mapper/anneal/metropolis.h"
#include "mapper/anneal/proposer.h"
#include "objectives/objective.h"

namespace haichi {

/// Size of a cache line in bytes. Data of different threads are at least this far apart.
constexpr std::size_t kCacheLineBytes = 64;

/// A move, and the change that its lane computed for it.
template <SplitObjective O>
struct LaneMove {
    Move move;
    typename O::Value change{};
};

/// One of the sequences of moves that a round tries side by side (LaneAnnealer).
template <SplitObjective O>
struct alignas(kCacheLineBytes) Lane {
    std::int64_t wanted = 0;  ///< requested evaluations
    std::int64_t evaluations = 0;
    std::vector<LaneMove<O>> accepted;
};

/// Data that all lanes of a round share.
struct Round {
    double temperature = 0;
    Candidates candidates;
};

/// One thread's copy of the mapping. Between rounds all copies are equal.
template <SplitObjective O>
class alignas(kCacheLineBytes) LaneMapping {
  public:
    void reset(const Mapping& mapping) {
        mapping_ = mapping;
        const auto nodes = mapping_.node_of_rank();
        before_.assign(nodes.begin(), nodes.end());
        last_lane_.assign(nodes.size(), kNoLane);
        made_.clear();
    }
    [[nodiscard]] const Mapping& mapping() const { return mapping_; }

    /// Anneals from the round's mapping, then reverts all moves. Calls observe(mapping, move, change so far) after
    /// every proposal.
    template <class Observe>
    void run(Lane<O>& lane, const Round& round, const O& objective, const Proposer& proposer, Random& stream,
             Observe&& observe) {
        constexpr int kMostIdleDraws = 1 << 16;  // the lane ends after this many consecutive draws without a change
        const MetropolisAcceptor acceptor(round.temperature);
        lane.accepted.clear();
        std::int64_t evaluations = 0;
        int idle_draws = 0;
        typename O::Value sum{};
        Random random = stream;  // a copy stays in registers, because nothing takes its address
        while (evaluations < lane.wanted && idle_draws < kMostIdleDraws) {
            const Move move = proposer.propose(mapping_, round.candidates, random);
            ++idle_draws;
            if (move.empty()) continue;
            idle_draws = 0;
            const typename O::Value change = objective.change_by(mapping_, move);
            ++evaluations;
            if (acceptor.accepts(objective.in_messages(change), random)) {
                mapping_.apply(move);
                lane.accepted.push_back({move, change});
                sum += change;
            }
            observe(mapping_, move, sum);
        }
        stream = random;
        lane.evaluations = evaluations;
        for (auto made = lane.accepted.rbegin(); made != lane.accepted.rend(); ++made) mapping_.undo(made->move);
    }

    /// Applies the moves that the lanes accepted, lane by lane. Skips moves whose rank has moved or whose slot is
    /// taken. Thread `share` of `shares` returns the change of the value by its part of the moves. The total change is
    /// the sum over all threads.
    typename O::Value follow(std::span<const Lane<O>> lanes, const O& objective, std::size_t share,
                             std::size_t shares) {
        begin();
        typename O::Value sum{};
        std::size_t turn = share;
        for (std::size_t l = 0; l < lanes.size(); ++l) {
            const auto lane = static_cast<std::uint8_t>(l);
            bool is_whole = true;  // while no move of the lane was skipped: only earlier lanes then changed what it saw
            for (const LaneMove<O>& accepted : lanes[l].accepted) {
                if (!fits(accepted.move)) {
                    is_whole = false;
                    continue;
                }
                if (turn == 0) {
                    sum += is_whole ? accepted.change + correction(objective, accepted.move, lane)
                                    : objective.change_by(mapping_, accepted.move);
                    turn = shares;
                }
                --turn;
                make(accepted.move, lane);
            }
        }
        return sum;
    }
    /// The moves of the last round, in order.
    [[nodiscard]] std::span<const Move> made() const { return made_; }

  private:
    static constexpr std::uint8_t kNoLane = 255;

    void begin() {
        for (const Move& move : made_) {
            for (const Relocation& r : move) {
                before_[r.rank.index()] = mapping_.node(r.rank);
                last_lane_[r.rank.index()] = kNoLane;
            }
        }
        made_.clear();
    }
    [[nodiscard]] bool fits(const Move& move) const {
        return std::ranges::all_of(move, [&](const Relocation& r) {
            if (mapping_.slot(r.rank) != r.from_slot) return false;
            const RankId there = mapping_.rank(r.to_slot);
            return !there.valid() || std::ranges::any_of(move, [&](const Relocation& o) { return o.rank == there; });
        });
    }
    /// The difference between the true change of a move and the change that its lane saw. The lane saw its own moves;
    /// all other ranks were where they were at the start of the round.
    [[nodiscard]] typename O::Value correction(const O& objective, const Move& move, std::uint8_t lane) const {
        return objective.correction(mapping_, move, [&](RankId rank) {
            const std::uint8_t last = last_lane_[rank.index()];
            return last == kNoLane || last == lane ? mapping_.node(rank) : before_[rank.index()];
        });
    }
    void make(const Move& move, std::uint8_t lane) {
        made_.push_back(move);
        for (const Relocation& r : move) last_lane_[r.rank.index()] = lane;
        mapping_.apply(move);
    }

    Mapping mapping_;
    std::vector<Move> made_;
    std::vector<std::uint8_t> last_lane_;  ///< per rank: the lane that moved it in the last round
    std::vector<NodeId> before_;           ///< every rank's node at the beginning of the last round
};

}  // namespace haichi
