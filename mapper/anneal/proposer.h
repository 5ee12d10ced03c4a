#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "mapper/search/search_options.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Draws moves. The mix of kinds is fixed; what it draws depends only on its arguments.
///
/// - uniform: a communicating rank to any slot, swapping with whoever is there (the paper's move);
/// - empty: a communicating rank to an empty slot;
/// - neighbour: a communicating rank next to one of its partners;
/// - focused: a rank with messages on the worst links of the worst set, to any slot or next to a partner.
class Proposer {
  public:
    struct Share {
        MoveKind kind;
        double share;
    };

    /// Equal shares of `moves`; the default mix when empty. Kinds that the problem has no use for (empty moves without
    /// empty slots) become uniform ones.
    Proposer(const Problem& problem, std::span<const MoveKind> moves);

    /// False when no move changes the mapping: fewer than two nodes or no communicating rank.
    [[nodiscard]] bool can_move() const;

    /// A move, or an empty one when the draw would change nothing. `hot_ranks` feeds the focused kind.
    Move propose(const Mapping& mapping, std::span<const RankId> hot_ranks, Random& random) const;

    [[nodiscard]] bool uses_hot_ranks() const { return uses_hot_ranks_; }

  private:
    [[nodiscard]] SlotId any_slot(const Mapping& mapping, Random& random) const;
    [[nodiscard]] SlotId empty_slot(const Mapping& mapping, Random& random) const;
    [[nodiscard]] SlotId slot_near(const Mapping& mapping, NodeId node, Random& random) const;
    [[nodiscard]] RankId any_partner(RankId rank, Random& random) const;
    [[nodiscard]] Move propose_neighbour(const Mapping& mapping, Random& random) const;

    const Problem* problem_;
    /// kind_of_draw_[top 8 random bits]: one table look-up instead of comparing shares.
    std::vector<MoveKind> kind_of_draw_;
    bool uses_hot_ranks_ = false;
    std::vector<SlotId> usable_slots_;  ///< empty: all are, no node is faulty
    std::int32_t near_hops_ = 0;        ///< between nodes that count as next to each other
};

}  // namespace haichi
