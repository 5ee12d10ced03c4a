#pragma once

#include <cstddef>
#include <cstdint>

namespace haichi {

/// One step of the inner loop of a tabu search. It updates the table of swaps after a swap and examines every entry.
/// In the tables, row r and column s > r describe the swap of tasks r and s. Rows begin at multiples of kSwapLanes
/// cells and are padded to them.
template <class Cell>
struct SwapScan {
    std::size_t rows = 0;    ///< number of tasks that exchange bytes
    std::size_t stride = 0;  ///< cells per row
    /// Effect of the last swap on the entry (r, s): (x[r] - x[s]) * (y[s] - y[r]).
    const Cell* x = nullptr;
    const Cell* y = nullptr;
    Cell* change = nullptr;
    /// Step from which the swap is allowed again, or kNeverAllowed.
    const std::int32_t* allowed_from = nullptr;
    std::int32_t step = 0;
    /// A smaller change is always allowed, because it gives the best assignment so far.
    Cell aspiration = 0;
    Cell* row_best = nullptr;  ///< output: smallest allowed change of each row, or the largest Cell
};

constexpr std::size_t kSwapLanes = 16;
constexpr std::int32_t kNeverAllowed = INT32_MAX;

template <class Cell>
struct SwapKernel {
    void (*scan)(const SwapScan<Cell>&) = nullptr;
    /// sums[i] += factor * terms[i]; count is a multiple of kSwapLanes.
    void (*add_multiple)(Cell* sums, const Cell* terms, Cell factor, std::size_t count) = nullptr;
    const char* name = nullptr;  ///< "plain", "AVX2" or "AVX-512"
};

/// The kernel for any processor. All kernels compute the same results.
template <class Cell>
SwapKernel<Cell> swap_kernel();
#if defined(__x86_64__)
template <class Cell>
SwapKernel<Cell> swap_kernel_avx2();
template <class Cell>
SwapKernel<Cell> swap_kernel_avx512();
#endif

/// The kernels that this processor can run, the fastest last.
template <class Cell>
struct SwapKernels {
    SwapKernel<Cell> kernel[3] = {};
    std::size_t count = 0;
    [[nodiscard]] SwapKernel<Cell> best() const { return kernel[count - 1]; }
};
template <class Cell>
SwapKernels<Cell> swap_kernels();

}  // namespace haichi
