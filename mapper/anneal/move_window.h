#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// The ranks of a large job for which moves are drawn: a few thousand ranks on nearby slots, and later the ranks next
/// to them. The data that proposals read then stay in the processor's second-level cache. All ranks get the same number
/// of evaluations. A value type.
class MoveWindow {
  public:
    /// Ranks per window. Jobs with at most this many ranks have one window with all ranks.
    static constexpr std::size_t kRanks = 8192;

    MoveWindow() = default;
    MoveWindow(const Problem& problem, const Mapping& mapping);

    /// The ranks of the current window. Not empty if any rank communicates.
    [[nodiscard]] std::span<const RankId> ranks() const { return std::span(order_).subspan(first_, size_); }

    /// Shifts to the next window after this window's evaluations. `evaluations` is the total so far.
    void advance(std::int64_t evaluations, const Problem& problem, const Mapping& mapping) {
        if (evaluations >= until_) shift(evaluations, problem, mapping);
    }
    /// Shifts to the next window at once.
    void shift(std::int64_t evaluations, const Problem& problem, const Mapping& mapping);

    /// Number of windows. Every rank is in at least one window.
    [[nodiscard]] std::size_t windows() const;

  private:
    void put_in_order(const Problem& problem, const Mapping& mapping);

    std::vector<RankId> order_;  ///< by slot; the first window is repeated at the end, so that windows wrap
    std::size_t size_ = 0;       ///< ranks per window
    std::size_t first_ = 0;
    std::int64_t until_ = 0;  ///< total evaluations at which the window ends
};

}  // namespace haichi
