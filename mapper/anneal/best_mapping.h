#pragma once

#include <span>
#include <vector>

#include "objectives/mapping.h"

namespace haichi {

/// The best placement of a search, without a copy at every improvement. The moves since the best placement are stored,
/// and get() reverts these moves. When there are more moves than ranks, the mapping is copied. A move therefore costs
/// O(1) on average, and memory is O(ranks). A value type.
class BestMapping {
  public:
    explicit BestMapping(const Mapping& start) : best_(start) {}

    /// Records that the current mapping of the search is the new best.
    void improved() {
        moves_since_.clear();
        is_copy_ = false;
    }

    /// Records that `move` was just applied to `current`.
    void moved(const Mapping& current, const Move& move) {
        if (is_copy_) return;
        moves_since_.push_back(move);
        copy_if_many(current);
    }
    /// Records several moves in their order.
    void moved(const Mapping& current, std::span<const Move> moves) {
        if (is_copy_) return;
        moves_since_.insert(moves_since_.end(), moves.begin(), moves.end());
        copy_if_many(current);
    }

    /// Copies the best now, because the search will change `current` without recorded moves.
    void keep(const Mapping& current) {
        best_ = get(current);
        is_copy_ = true;
        moves_since_.clear();
    }

    [[nodiscard]] Mapping get(const Mapping& current) const {
        if (is_copy_) return best_;
        Mapping best = current;
        for (auto move = moves_since_.rbegin(); move != moves_since_.rend(); ++move) best.undo(*move);
        return best;
    }

  private:
    void copy_if_many(const Mapping& current) {
        if (moves_since_.size() > static_cast<std::size_t>(current.rank_count())) keep(current);
    }

    Mapping best_;
    bool is_copy_ = true;
    std::vector<Move> moves_since_;
};

}  // namespace haichi
