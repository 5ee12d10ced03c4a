#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "mapper/tabu/quadratic_assignment.h"
#include "mapper/tabu/swap_kernel.h"

namespace haichi {

/// The change of every swap of two tasks, updated after each swap (Taillard 1991). An update recomputes O(size)
/// cells for the pairs of the two tasks, and multiplies once for each other pair, in whole vectors. A second table has
/// the cost of every task at every place. The pairs of swapped tasks are recomputed from it with one product per task
/// and place, instead of a sum over all tasks.
///
/// Cell is int32_t if the problem fits 32 bits, otherwise int64_t. Memory: 2 or 3 cells per pair of tasks.
template <class Cell>
class SwapTable {
  public:
    explicit SwapTable(const QuadraticAssignment& problem, SwapKernel<Cell> kernel = swap_kernels<Cell>().best())
        : problem_(&problem),
          kernel_(kernel),
          size_(static_cast<std::size_t>(problem.size())),
          active_(static_cast<std::size_t>(problem.active())),
          stride_((size_ + kSwapLanes - 1) / kSwapLanes * kSwapLanes),
          distance_(size_ * stride_),
          flow_(active_ * stride_),
          place_cost_(active_ * stride_),
          change_(active_ * stride_),
          x_(stride_),
          y_(stride_),
          distance_change_(stride_),
          no_flow_(stride_) {
        for (std::size_t a = 0; a < size_; ++a) {
            std::copy_n(problem.distance(static_cast<std::int32_t>(a)), size_, &distance_[a * stride_]);
        }
        for (std::size_t a = 0; a < active_; ++a) {
            std::transform(problem.flow(static_cast<std::int32_t>(a)),
                           problem.flow(static_cast<std::int32_t>(a)) + size_, &flow_[a * stride_],
                           [](std::int64_t units) { return static_cast<Cell>(units); });
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t active() const { return active_; }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] const Assignment& assignment() const { return place_; }

    /// O(active^2 * size).
    void reset(const Assignment& assignment) {
        place_ = assignment;
        std::ranges::fill(place_cost_, Cell{0});
        for (std::size_t task = 0; task < active_; ++task) {
            for (std::size_t other = 0; other < active_; ++other) {
                const Cell units = flow_[task * stride_ + other];
                if (units == 0) continue;
                kernel_.add_multiple(&place_cost_[task * stride_], &distance_[place(other) * stride_], units, stride_);
            }
        }
        std::ranges::fill(x_, Cell{0});
        std::ranges::fill(y_, Cell{0});
        for (std::size_t a = 0; a < active_; ++a) {
            for (std::size_t b = a + 1; b < size_; ++b) change_[a * stride_ + b] = change_from_costs(a, b);
        }
    }

    /// Applies the remaining updates of the last swap, and finds the smallest allowed change of every row.
    void scan(const std::int32_t* allowed_from, std::int32_t step, Cell aspiration, Cell* row_best) {
        kernel_.scan({.rows = active_,
                      .stride = stride_,
                      .x = x_.data(),
                      .y = y_.data(),
                      .change = change_.data(),
                      .allowed_from = allowed_from,
                      .step = step,
                      .aspiration = aspiration,
                      .row_best = row_best});
        std::ranges::fill(x_, Cell{0});
    }

    /// Changes of the swaps of `task` with the tasks after it, current after scan().
    [[nodiscard]] const Cell* changes(std::size_t task) const { return &change_[task * stride_]; }

    /// Swaps the places of two tasks. The first must be active. Requires a scan() since the last swap.
    void swap(std::size_t u, std::size_t v) {
        const Cell* to = &distance_[place(v) * stride_];
        const Cell* from = &distance_[place(u) * stride_];
        for (std::size_t i = 0; i < stride_; ++i) distance_change_[i] = to[i] - from[i];
        // Flows are symmetric, so rows replace columns. An idle task has no flow.
        const Cell* flow_of_u = &flow_[u * stride_];
        const Cell* flow_of_v = v < active_ ? &flow_[v * stride_] : no_flow_.data();
        for (std::size_t i = 0; i < stride_; ++i) x_[i] = flow_of_u[i] - flow_of_v[i];
        for (std::size_t r = 0; r < active_; ++r) {
            if (x_[r] == 0) continue;
            kernel_.add_multiple(&place_cost_[r * stride_], distance_change_.data(), x_[r], stride_);
        }
        std::swap(place_[u], place_[v]);
        for (std::size_t s = 0; s < size_; ++s) y_[s] = distance_change_[place(s)];
        for (const std::size_t swapped : {u, v}) {
            // Subtracts the change that the next scan() adds.
            for (std::size_t a = 0; a < std::min(swapped, active_); ++a) {
                change_[a * stride_ + swapped] =
                    change_from_costs(a, swapped) - (x_[a] - x_[swapped]) * (y_[swapped] - y_[a]);
            }
            for (std::size_t b = swapped + 1; b < size_ && swapped < active_; ++b) {
                change_[swapped * stride_ + b] =
                    change_from_costs(swapped, b) - (x_[swapped] - x_[b]) * (y_[b] - y_[swapped]);
            }
        }
    }

  private:
    [[nodiscard]] std::size_t place(std::size_t task) const { return static_cast<std::size_t>(place_[task]); }

    /// Requires an active task a.
    [[nodiscard]] Cell change_from_costs(std::size_t a, std::size_t b) const {
        const std::size_t pa = place(a);
        const std::size_t pb = place(b);
        Cell change = place_cost_[a * stride_ + pb] - place_cost_[a * stride_ + pa] +
                      2 * flow_[a * stride_ + b] * distance_[pa * stride_ + pb];
        if (b < active_) change += place_cost_[b * stride_ + pa] - place_cost_[b * stride_ + pb];
        return change;
    }

    const QuadraticAssignment* problem_;
    SwapKernel<Cell> kernel_;
    std::size_t size_;
    std::size_t active_;
    std::size_t stride_;
    std::vector<Cell> distance_;
    std::vector<Cell> flow_;
    std::vector<Cell> place_cost_;  ///< [task][place]
    std::vector<Cell> change_;      ///< [task][other task]
    std::vector<Cell> x_, y_;       ///< state of the last swap for SwapScan; 0 if no update remains
    std::vector<Cell> distance_change_;
    std::vector<Cell> no_flow_;  ///< zeros
    Assignment place_;
};

}  // namespace haichi
