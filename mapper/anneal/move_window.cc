#include "mapper/anneal/move_window.h"

#include <algorithm>
#include <limits>

namespace haichi {

namespace {

/// Windows overlap, so that ranks at the edge of one window have all their partners in the next window.
constexpr std::size_t kStride = MoveWindow::kRanks / 2;
constexpr std::int64_t kEvaluationsPerRank = 2;

}  // namespace

MoveWindow::MoveWindow(const Problem& problem, const Mapping& mapping)
    : size_(std::min(problem.communicating_ranks().size(), kRanks)) {
    const auto ranks = problem.communicating_ranks();
    if (ranks.size() == size_) {
        order_.assign(ranks.begin(), ranks.end());
        until_ = std::numeric_limits<std::int64_t>::max();
        return;
    }
    put_in_order(problem, mapping);
    until_ = kEvaluationsPerRank * static_cast<std::int64_t>(size_);
}

void MoveWindow::shift(std::int64_t evaluations, const Problem& problem, const Mapping& mapping) {
    const std::size_t ranks = problem.communicating_ranks().size();
    if (ranks == size_) return;
    first_ += kStride;
    if (first_ >= ranks) {
        first_ -= ranks;
        put_in_order(problem, mapping);
    }
    until_ = evaluations + kEvaluationsPerRank * static_cast<std::int64_t>(size_);
}

std::size_t MoveWindow::windows() const {
    if (order_.size() == size_) return 1;
    return (order_.size() - size_ + kStride - 1) / kStride;
}

void MoveWindow::put_in_order(const Problem& problem, const Mapping& mapping) {
    order_.clear();
    for (std::int32_t slot = 0; slot < mapping.slot_count(); ++slot) {
        const RankId rank = mapping.rank(SlotId(slot));
        if (rank.valid() && !problem.flows(rank).empty()) order_.push_back(rank);
    }
    order_.reserve(order_.size() + size_);
    for (std::size_t i = 0; i < size_; ++i) order_.push_back(order_[i]);
}

}  // namespace haichi
