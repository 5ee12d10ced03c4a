#pragma once

#include "collectives/pieces.h"

namespace haichi::collectives {

/// The members that remain when their number is reduced to a power of two. One member of each of the first pairs of
/// ranks remains, and so do all members outside these pairs. The remaining members are numbered in rank order.
class FoldedRanks {
  public:
    enum class Kept : std::uint8_t { kEven, kOdd };  ///< the member of a pair that remains

    FoldedRanks(int size, Kept kept)
        : count_(largest_power_of_two(size)), pairs_(size - count_), odd_(kept == Kept::kOdd ? 1 : 0) {}

    [[nodiscard]] int count() const { return count_; }
    /// Ranks below this number are in a pair.
    [[nodiscard]] int paired() const { return 2 * pairs_; }
    [[nodiscard]] bool is_out(int rank) const { return rank < paired() && rank % 2 != odd_; }
    /// The rank's number among the remaining members; -1 if is_out(rank).
    [[nodiscard]] int number_of(int rank) const {
        if (is_out(rank)) return -1;
        return rank < paired() ? rank / 2 : rank - pairs_;
    }
    [[nodiscard]] int rank_of(int number) const { return number < pairs_ ? 2 * number + odd_ : number + pairs_; }
    /// The partner's number, for a rank with is_out(rank).
    [[nodiscard]] int number_of_partner(int rank) const { return rank / 2; }

  private:
    int count_;
    int pairs_;
    int odd_;
};

/// A vector divided into 2^k pieces. With kEvenly, items are distributed evenly, and the first pieces are larger.
/// With kInTheMiddle, the vector is cut in the middle repeatedly, and the second half is the larger one.
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

/// The pieces [begin, end). Each step of halving gives one half of the window away.
struct PieceWindow {
    int begin = 0;
    int end = 1;

    [[nodiscard]] PieceWindow half(bool upper) const {
        const int middle = (begin + end) / 2;
        return upper ? PieceWindow{middle, end} : PieceWindow{begin, middle};
    }
};

/// The window that member `number` has after all steps with distances (1, 2, 4, ...) below `distance`.
PieceWindow window_before(int number, int distance, int pieces);

/// Reduce-scatter by recursive halving with doubling distances, among the folded ranks. At the end, a member's window
/// is reduced. The operation must commute.
Steps scatter_by_halving(Exchange& exchange, FoldedRanks ranks, VectorPieces pieces, Buffer result,
                         const Reduction* operation);

/// The step before the halving: ranks that are out send their vector to their partner.
Steps fold(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation);
/// Like fold(), but the partners first exchange halves, and each of them reduces one half.
Steps fold_halves(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation);

}  // namespace haichi::collectives
