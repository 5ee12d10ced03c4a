// The source of all swap kernels. Each file that is compiled for one kind of processor includes it once.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "mapper/tabu/swap_kernel.h"

namespace haichi {

namespace {

template <class Cell>
void scan_here(const SwapScan<Cell>& scan) {
    constexpr Cell kNone = std::numeric_limits<Cell>::max();
    // Unsigned arithmetic: whole vectors include entries of forbidden swaps, whose values may wrap around.
    using Word = std::make_unsigned_t<Cell>;
    for (std::size_t r = 0; r < scan.rows; ++r) {
        Cell* const change = scan.change + r * scan.stride;
        const std::int32_t* const allowed_from = scan.allowed_from + r * scan.stride;
        const Cell* const x = scan.x;
        const Cell* const y = scan.y;
        const Cell xr = x[r];
        const Cell yr = y[r];
        const std::int32_t step = scan.step;
        const Cell aspiration = scan.aspiration;
        Cell best = kNone;
        // Whole vectors only: the included entries up to the diagonal are never allowed.
        const std::size_t first = (r + 1) / kSwapLanes * kSwapLanes;
#pragma omp simd reduction(min : best)
        for (std::size_t s = first; s < scan.stride; ++s) {
            const Word shift =
                (static_cast<Word>(xr) - static_cast<Word>(x[s])) * (static_cast<Word>(y[s]) - static_cast<Word>(yr));
            const Cell now = static_cast<Cell>(static_cast<Word>(change[s]) + shift);
            change[s] = now;
            const bool allowed = (allowed_from[s] <= step) | ((now < aspiration) & (allowed_from[s] != kNeverAllowed));
            const Cell candidate = allowed ? now : kNone;
            best = std::min(best, candidate);
        }
        scan.row_best[r] = best;
    }
}

template <class Cell>
void add_multiple_here(Cell* sums, const Cell* terms, Cell factor, std::size_t count) {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) sums[i] += factor * terms[i];
}

}  // namespace

}  // namespace haichi
