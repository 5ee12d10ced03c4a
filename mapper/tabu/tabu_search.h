#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/errors.h"
#include "base/random.h"
#include "mapper/tabu/swap_table.h"

namespace haichi {

/// Robust tabu search (Taillard 1991). Each step makes the best allowed swap, even if it is worse. A swap is forbidden
/// while both tasks would return to places that they left recently, for random times. A swap to the best assignment so
/// far is always allowed. Ties are broken at random.
template <class Cell>
class TabuSearch {
  public:
    explicit TabuSearch(const QuadraticAssignment& problem)
        : problem_(&problem),
          table_(problem),
          returns_from_(static_cast<std::size_t>(problem.active()) * table_.stride()),
          allowed_from_(returns_from_.size()),
          row_best_(table_.active()) {}

    /// Starts a new run, which draws from the stream `random`.
    void reset(const Assignment& start, const Random& random) {
        random_ = random;
        table_.reset(start);
        cost_ = best_cost_ = problem_->cost(start);
        best_ = start;
        step_ = 0;
        std::ranges::fill(returns_from_, 0);
        std::ranges::fill(allowed_from_, kNeverAllowed);
        for (std::size_t a = 0; a < table_.active(); ++a) {
            for (std::size_t b = a + 1; b < table_.size(); ++b) allow(a, b);
        }
    }

    /// Makes `steps` more steps. Returns false if no swap was allowed, which ends the run.
    bool run(std::int32_t steps) {
        for (std::int32_t i = 0; i < steps; ++i) {
            if (!make_step()) return false;
        }
        return true;
    }

    [[nodiscard]] std::int64_t cost() const { return cost_; }
    [[nodiscard]] std::int64_t best_cost() const { return best_cost_; }
    [[nodiscard]] const Assignment& best() const { return best_; }
    [[nodiscard]] const Assignment& assignment() const { return table_.assignment(); }
    [[nodiscard]] std::int32_t steps() const { return step_; }
    /// Number of swaps from which a step chooses.
    [[nodiscard]] std::int64_t swaps_per_step() const {
        const auto active = static_cast<std::int64_t>(table_.active());
        const auto size = static_cast<std::int64_t>(table_.size());
        return active * (active - 1) / 2 + active * (size - active);
    }

  private:
    bool make_step() {
        const std::int64_t to_best = best_cost_ - cost_;
        const Cell aspiration = static_cast<Cell>(std::max<std::int64_t>(to_best, std::numeric_limits<Cell>::min()));
        ++step_;
        table_.scan(allowed_from_.data(), step_, aspiration, row_best_.data());
        const Cell change = *std::ranges::min_element(row_best_);
        if (change == std::numeric_limits<Cell>::max()) return false;
        const auto [u, v] = find(change, aspiration);
        const auto size = static_cast<std::uint32_t>(table_.size());
        const std::int32_t u_stays = tenure(size);
        const std::int32_t v_stays = tenure(size);
        forbid(u, step_ + u_stays);
        forbid(v, step_ + v_stays);
        table_.swap(u, v);
        cost_ += change;
        for (std::size_t other = 0; other < table_.size(); ++other) {
            allow(u, other);
            allow(v, other);
        }
        if (cost_ < best_cost_) {
            best_cost_ = cost_;
            best_ = table_.assignment();
        }
        return true;
    }

    /// Steps for which a task may not return: Taillard's 0.9 to 1.1 times the size.
    std::int32_t tenure(std::uint32_t size) {
        const std::uint32_t least = size - size / 10;
        return static_cast<std::int32_t>(least + random_.below(size / 5 + 2));
    }

    /// Finds a swap with the smallest allowed change, starting at a random row and column.
    std::pair<std::size_t, std::size_t> find(Cell change, Cell aspiration) {
        const std::size_t first_row = random_.below(static_cast<std::uint32_t>(row_best_.size()));
        std::size_t row = first_row;
        while (row_best_[row] != change) row = row + 1 == row_best_.size() ? 0 : row + 1;
        const std::size_t columns = table_.size() - row - 1;
        const std::size_t first_column = random_.below(static_cast<std::uint32_t>(columns));
        const Cell* changes = table_.changes(row);
        const std::int32_t* allowed_from = &allowed_from_[row * table_.stride()];
        for (std::size_t i = 0; i < columns; ++i) {
            const std::size_t wrapped = first_column + i < columns ? first_column + i : first_column + i - columns;
            const std::size_t column = row + 1 + wrapped;
            if (changes[column] != change) continue;
            if (allowed_from[column] <= step_ || (change < aspiration && allowed_from[column] != kNeverAllowed)) {
                return {row, column};
            }
        }
        throw InternalError("tabu search lost a swap of row " + std::to_string(row));
    }

    /// Forbids a task to return to its current place before `step`.
    void forbid(std::size_t task, std::int32_t step) {
        if (task >= table_.active()) return;
        returns_from_[task * table_.stride() + static_cast<std::size_t>(table_.assignment()[task])] = step;
    }

    /// Updates the step from which a pair may be swapped. Idle tasks may go anywhere.
    void allow(std::size_t a, std::size_t b) {
        if (a == b) return;
        if (b < a) std::swap(a, b);
        if (a >= table_.active()) return;
        const auto pa = static_cast<std::size_t>(table_.assignment()[a]);
        const auto pb = static_cast<std::size_t>(table_.assignment()[b]);
        std::int32_t from = returns_from_[a * table_.stride() + pb];
        if (b < table_.active()) from = std::min(from, returns_from_[b * table_.stride() + pa]);
        if (problem_->distance(static_cast<std::int32_t>(pa))[pb] == 0) from = kNeverAllowed;
        allowed_from_[a * table_.stride() + b] = from;
    }

    const QuadraticAssignment* problem_;
    SwapTable<Cell> table_;
    std::vector<std::int32_t> returns_from_;  ///< [task][place]: step from which the task may return
    std::vector<std::int32_t> allowed_from_;  ///< [task][other task], see SwapScan
    std::vector<Cell> row_best_;
    Random random_{0};
    std::int64_t cost_ = 0;
    std::int64_t best_cost_ = 0;
    Assignment best_;
    std::int32_t step_ = 0;
};

}  // namespace haichi
