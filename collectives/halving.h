#pragma once

#include "collectives/pieces.h"

namespace haichi::collectives {

/// Members that are left when the number of members is brought down to a power of two: of the first pairs of ranks one
/// each, and all others. They are numbered in the order of the ranks.
class FoldedRanks {
  public:
    enum class Kept : std::uint8_t { kEven, kOdd };  ///< which of a pair

    FoldedRanks(int size, Kept kept)
        : count_(largest_power_of_two(size)), pairs_(size - count_), odd_(kept == Kept::kOdd ? 1 : 0) {}

    [[nodiscard]] int count() const { return count_; }
    /// The members that are in a pair are those below.
    [[nodiscard]] int paired() const { return 2 * pairs_; }
    [[nodiscard]] bool is_out(int rank) const { return rank < paired() && rank % 2 != odd_; }
    /// -1: not among them.
    [[nodiscard]] int number_of(int rank) const {
        if (is_out(rank)) return -1;
        return rank < paired() ? rank / 2 : rank - pairs_;
    }
    [[nodiscard]] int rank_of(int number) const { return number < pairs_ ? 2 * number + odd_ : number + pairs_; }
    /// Of a rank that is out: its partner's number.
    [[nodiscard]] int number_of_partner(int rank) const { return rank / 2; }

  private:
    int count_;
    int pairs_;
    int odd_;
};

/// A vector in a power of two of pieces: dealt out evenly, the first ones larger, or by cutting in the middle again and
/// again, where the second half is the larger one.
class VectorPieces {
  public:
    enum class Cut : std::uint8_t { kEvenly, kInTheMiddle };

    VectorPieces(std::int64_t items, int pieces, Cut cut) : shares_{items, pieces}, cut_(cut) {}

    [[nodiscard]] int count() const { return shares_.parts; }
    [[nodiscard]] std::int64_t first(int piece) const;
    [[nodiscard]] Buffer part(const Buffer& vector, int begin, int end) const {
        return items(vector, first(begin), first(end) - first(begin));
    }

  private:
    Shares shares_;
    Cut cut_;
};

/// Pieces [begin, end), of which a step of halving gives one half away.
struct PieceWindow {
    int begin = 0;
    int end = 1;

    [[nodiscard]] PieceWindow half(bool upper) const {
        const int middle = (begin + end) / 2;
        return upper ? PieceWindow{middle, end} : PieceWindow{begin, middle};
    }
};

/// After the steps with distances 1, 2, ... below `distance`: the window of a member with this number.
PieceWindow window_before(int number, int distance, int pieces);

/// Reduce-scatter by recursive halving, distances doubling, among the folded ranks: a member's window is reduced at the
/// end. The operation commutes.
Steps scatter_by_halving(Exchange& exchange, FoldedRanks ranks, VectorPieces pieces, Buffer result,
                         const Reduction* operation);

/// Before it: the ranks that are out give their vector to their partner.
Steps fold(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation);
/// The same, but the partners first exchange halves, and each reduces one.
Steps fold_halves(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation);

}  // namespace haichi::collectives
