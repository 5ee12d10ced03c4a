#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "mapper/search/search_options.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// What the default mix is on large problems.
enum class MovesOfLarge : std::uint8_t {
    kMixed,  ///< the same as on small ones
    /// Late in a run no other rank than those on the worst links can lower the value: nearly all moves are focused, and
    /// go beside where the rank is or next to a partner. In a good placement nothing from far away fits.
    kFocused,
    /// Every hop counts: ranks step to their partners, or go next to them. On machines with coordinates; there are few
    /// steps to take on others. In searches that have several restarts, every other one has the usual mix.
    kSteps
};

/// Ranks that communicate, of the problems that count as large in MovesOfLarge::kSteps: more than these.
inline constexpr std::size_t kFewestWithSteps = 256;

/// Whom moves are drawn for.
struct Candidates {
    std::span<const RankId> ranks;        ///< that communicate; at least one
    std::span<const RankId> hot_ranks{};  ///< feed the focused kind
};

/// Draws moves. The mix of kinds is fixed; what it draws depends only on its arguments.
///
/// - uniform: a communicating rank to any slot, swapping with whoever is there (the paper's move);
/// - empty: a communicating rank to an empty slot;
/// - neighbour: a communicating rank next to one of its partners;
/// - step: a communicating rank one hop nearer to one of its partners; where few draws find no such node, next to it;
/// - focused: a rank with messages on the worst links of the worst set, to any slot or next to a partner.
class Proposer {
  public:
    struct Share {
        MoveKind kind;
        double share;
    };

    /// Equal shares of `moves`; the default mix when empty. Kinds that the problem has no use for (empty moves without
    /// empty slots) become uniform ones.
    Proposer(const Problem& problem, std::span<const MoveKind> moves, MovesOfLarge of_large = MovesOfLarge::kMixed,
             std::int32_t restart = 0);

    /// False when no move changes the mapping: fewer than two nodes or no communicating rank.
    [[nodiscard]] bool can_move() const;

    /// All ranks that communicate.
    [[nodiscard, gnu::always_inline]] inline Candidates all_ranks(std::span<const RankId> hot_ranks) const {
        return {.ranks = {ranks_, rank_count_}, .hot_ranks = hot_ranks};
    }

    /// A move, or an empty one when the draw would change nothing.
    [[gnu::always_inline]] inline Move propose(const Mapping& mapping, const Candidates& candidates,
                                               Random& random) const {
        const MoveKind kind = kind_of_draw_[random.next() >> 56];
        if (kind == MoveKind::kUniform) return propose_uniform(mapping, candidates, random);
        // The call works on a copy: a generator whose address nobody takes stays in registers.
        Random stream = random;
        const Move move = propose_directed(kind, mapping, candidates, stream);
        random = stream;
        return move;
    }

    [[nodiscard]] bool uses_hot_ranks() const { return uses_hot_ranks_; }
    /// Whether hot ranks are worth being renewed often.
    [[nodiscard]] bool chases_hot_ranks() const { return chases_hot_ranks_; }
    /// Whether the default mix is of steps and neighbour moves.
    [[nodiscard]] bool steps_to_partners() const { return steps_to_partners_; }

  private:
    [[nodiscard, gnu::always_inline]] inline SlotId any_slot(Random& random) const {
        const std::uint32_t drawn = random.below(slot_count_);
        return all_slots_are_usable_ ? SlotId(static_cast<std::int32_t>(drawn)) : usable_slots_[drawn];
    }
    [[nodiscard, gnu::always_inline]] static RankId any_rank(const Candidates& candidates, Random& random) {
        return candidates.ranks[random.below(static_cast<std::uint32_t>(candidates.ranks.size()))];
    }
    [[nodiscard, gnu::always_inline]] inline Move propose_uniform(const Mapping& mapping, const Candidates& candidates,
                                                                  Random& random) const {
        const RankId rank = any_rank(candidates, random);
        return move_to_slot(mapping, rank, any_slot(random));
    }
    /// The kinds other than uniform.
    [[nodiscard]] Move propose_directed(MoveKind kind, const Mapping& mapping, const Candidates& candidates,
                                        Random& random) const;
    [[nodiscard]] SlotId empty_slot(const Mapping& mapping, Random& random) const;
    [[nodiscard]] SlotId slot_near(const Mapping& mapping, NodeId node, Random& random) const;
    [[nodiscard]] RankId any_partner(RankId rank, Random& random) const;
    [[nodiscard]] Move propose_neighbour(const Mapping& mapping, const Candidates& candidates, Random& random) const;
    [[nodiscard]] Move propose_step(const Mapping& mapping, const Candidates& candidates, Random& random) const;
    [[nodiscard]] SlotId any_slot_of(NodeId node, Random& random) const;

    const Problem* problem_;
    // What every draw needs, at hand.
    const RankId* ranks_ = nullptr;  ///< that communicate
    std::uint32_t rank_count_ = 0;
    std::uint32_t slot_count_ = 0;  ///< usable ones
    bool all_slots_are_usable_ = true;
    bool uses_hot_ranks_ = false;
    bool chases_hot_ranks_ = false;
    bool steps_to_partners_ = false;
    static constexpr std::size_t kDraws = 256;
    /// [top 8 random bits]: one table look-up instead of comparing shares.
    std::array<MoveKind, kDraws> kind_of_draw_{};
    std::vector<SlotId> usable_slots_;  ///< where not all are
    std::int32_t near_hops_ = 0;        ///< between nodes that count as next to each other
};

}  // namespace haichi
