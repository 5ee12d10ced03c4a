#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// The ranks that moves are drawn for, of large jobs: some thousand on slots near each other, and after a while those
/// beside them. What proposals look at then stays in the processor's second-level cache. All ranks get as many
/// evaluations. A value.
class MoveWindow {
  public:
    /// Ranks in a window; jobs with no more have one window, of all.
    static constexpr std::size_t kRanks = 8192;

    MoveWindow() = default;
    MoveWindow(const Problem& problem, const Mapping& mapping);

    /// At least one, where there is one that communicates.
    [[nodiscard]] std::span<const RankId> ranks() const { return std::span(order_).subspan(first_, size_); }

    /// Goes on to the next window when this one has had its evaluations; `evaluations` are made in all.
    void advance(std::int64_t evaluations, const Problem& problem, const Mapping& mapping) {
        if (evaluations >= until_) shift(evaluations, problem, mapping);
    }
    /// The same at once.
    void shift(std::int64_t evaluations, const Problem& problem, const Mapping& mapping);

    /// Their number. Every rank is in at least one of them.
    [[nodiscard]] std::size_t windows() const;

  private:
    void put_in_order(const Problem& problem, const Mapping& mapping);

    std::vector<RankId> order_;  ///< by slot; the first window is repeated at the end, so that windows wrap
    std::size_t size_ = 0;       ///< of a window
    std::size_t first_ = 0;
    std::int64_t until_ = 0;  ///< evaluations in all
};

}  // namespace haichi
