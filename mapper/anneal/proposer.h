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

/// The default mix of moves on large problems.
enum class MovesOfLarge : std::uint8_t {
    kMixed,  ///< the mix for small problems
    /// Late in a run, only ranks on the most loaded links can lower the value. Nearly all moves are therefore focused:
    /// they take such a rank to a slot near its node or next to a partner. In a good placement, moves to distant slots
    /// hardly ever help.
    kFocused,
    /// For objectives in which every hop counts: ranks step towards their partners or move next to them. Used only on
    /// machines with coordinates, because others offer few steps. In searches with several restarts, every other
    /// restart has the usual mix.
    kSteps
};

/// MovesOfLarge::kSteps applies to problems with more communicating ranks than this.
inline constexpr std::size_t kFewestWithSteps = 256;

/// The ranks for which moves are drawn.
struct Candidates {
    std::span<const RankId> ranks;        ///< communicating ranks, at least one
    std::span<const RankId> hot_ranks{};  ///< ranks for focused moves
};

/// Draws moves of a fixed mix of kinds. A draw depends only on the arguments of propose().
///
/// - uniform: a communicating rank to any slot, swapped with the rank there (the paper's move).
/// - empty: a communicating rank to an empty slot.
/// - neighbour: a communicating rank next to one of its partners.
/// - step: a communicating rank one hop nearer to one of its partners, or next to that partner if a few draws find no
/// such node.
/// - focused: a rank with messages on the most loaded links of the worst set, to any slot or next to a partner.
class Proposer {
  public:
    struct Share {
        MoveKind kind;
        double share;
    };

    /// Gives the kinds in `moves` equal probability, or uses the default mix if `moves` is empty. Kinds that the
    /// problem does not allow, such as empty moves without empty slots, are replaced by uniform moves.
    Proposer(const Problem& problem, std::span<const MoveKind> moves, MovesOfLarge of_large = MovesOfLarge::kMixed,
             std::int32_t restart = 0);

    /// False when no move changes the mapping: fewer than two nodes or no communicating rank.
    [[nodiscard]] bool can_move() const;

    /// All ranks that communicate.
    [[nodiscard, gnu::always_inline]] inline Candidates all_ranks(std::span<const RankId> hot_ranks) const {
        return {.ranks = {ranks_, rank_count_}, .hot_ranks = hot_ranks};
    }

    /// Returns a move, or an empty one when the draw would change nothing.
    [[gnu::always_inline]] inline Move propose(const Mapping& mapping, const Candidates& candidates,
                                               Random& random) const {
        const MoveKind kind = kind_of_draw_[random.next() >> 56];
        if (kind == MoveKind::kUniform) return propose_uniform(mapping, candidates, random);
        // The call uses a copy, because a generator stays in registers only if nothing takes its address.
        Random stream = random;
        const Move move = propose_directed(kind, mapping, candidates, stream);
        random = stream;
        return move;
    }

    [[nodiscard]] bool uses_hot_ranks() const { return uses_hot_ranks_; }
    /// Whether hot ranks should be renewed often.
    [[nodiscard]] bool chases_hot_ranks() const { return chases_hot_ranks_; }
    /// Whether the default mix consists of steps and neighbour moves.
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
    /// Draws a move of any kind other than uniform.
    [[nodiscard]] Move propose_directed(MoveKind kind, const Mapping& mapping, const Candidates& candidates,
                                        Random& random) const;
    [[nodiscard]] SlotId empty_slot(const Mapping& mapping, Random& random) const;
    [[nodiscard]] SlotId slot_near(const Mapping& mapping, NodeId node, Random& random) const;
    [[nodiscard]] RankId any_partner(RankId rank, Random& random) const;
    [[nodiscard]] Move propose_neighbour(const Mapping& mapping, const Candidates& candidates, Random& random) const;
    [[nodiscard]] Move propose_step(const Mapping& mapping, const Candidates& candidates, Random& random) const;
    [[nodiscard]] SlotId any_slot_of(NodeId node, Random& random) const;

    const Problem* problem_;
    // Data for every draw.
    const RankId* ranks_ = nullptr;  ///< communicating ranks
    std::uint32_t rank_count_ = 0;
    std::uint32_t slot_count_ = 0;  ///< usable slots
    bool all_slots_are_usable_ = true;
    bool uses_hot_ranks_ = false;
    bool chases_hot_ranks_ = false;
    bool steps_to_partners_ = false;
    static constexpr std::size_t kDraws = 256;
    /// The kind of move by the top 8 random bits. A table look-up replaces comparisons of probabilities.
    std::array<MoveKind, kDraws> kind_of_draw_{};
    std::vector<SlotId> usable_slots_;  ///< only if some slots are not usable
    std::int32_t near_hops_ = 0;        ///< largest distance of nodes that are next to each other
};

}  // namespace haichi
