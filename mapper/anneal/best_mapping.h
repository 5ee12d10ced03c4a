#pragma once

#include <span>
#include <vector>

#include "objectives/mapping.h"

namespace haichi {

/// The best mapping of a search, without copying it at every improvement: the moves made since are remembered and taken
/// back when it is asked for. When they are more than the mapping has ranks, it is copied after all; so a move costs
/// O(1) on average and memory stays O(ranks). A value.
class BestMapping {
  public:
    explicit BestMapping(const Mapping& start) : best_(start) {}

    /// The mapping of the search is now the best.
    void improved() {
        moves_since_.clear();
        is_copy_ = false;
    }

    /// `move` was just applied to `current`.
    void moved(const Mapping& current, const Move& move) {
        if (is_copy_) return;
        moves_since_.push_back(move);
        copy_if_many(current);
    }
    /// The same of several, in their order.
    void moved(const Mapping& current, std::span<const Move> moves) {
        if (is_copy_) return;
        moves_since_.insert(moves_since_.end(), moves.begin(), moves.end());
        copy_if_many(current);
    }

    /// Copies the best now: the search is about to leave `current` by other ways than moves.
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
