#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bit_block.h"

namespace haichi {

/// The change of one communication set's counters by a move. The counters are bit-sliced: plane k holds bit k of every
/// link's count, one bit per link. Adding a route, a row with one bit per link, to all counts is therefore a carry
/// through the planes.
struct SliceChange {
    static constexpr std::size_t kMostPlanes = 12;

    const BitBlock* planes = nullptr;  ///< before the move: plane_count rows
    BitBlock* changed = nullptr;       ///< after the move: plane_count rows
    /// Enough bits for every count before and after the move: 3, 5, 8 or kMostPlanes.
    std::uint32_t plane_count = 0;
    std::uint32_t row_count = 0;  ///< number of removed rows, and of added rows
    // Results of the kernel.
    std::int64_t largest = 0;  ///< largest count of any link
    std::int64_t excess = 0;   ///< sum over links of max(0, count - 1)
};

/// The changes of all sets by a move: one kernel call per proposal.
struct SliceWork {
    std::size_t blocks = 1;  ///< blocks per row, at most RouteRows::kMostBlocks
    SliceChange* changes = nullptr;
    std::size_t change_count = 0;
    const BitBlock* const* removed = nullptr;  ///< rows of the first set, followed by the rows of the next sets
    const BitBlock* const* added = nullptr;
};

using SliceKernel = void (*)(const SliceWork&);

/// The kernel for any processor. All kernels compute the same results.
void change_slices(const SliceWork& work);
#if defined(__x86_64__)
void change_slices_avx2(const SliceWork& work);
void change_slices_avx512(const SliceWork& work);
#endif

/// The kernels that this processor can run, the fastest last.
struct SliceKernels {
    SliceKernel kernel[3] = {};
    std::size_t count = 0;
    [[nodiscard]] SliceKernel best() const { return kernel[count - 1]; }
};
SliceKernels slice_kernels();
/// Returns "AVX-512", "AVX2", "plain", or "none" for null.
std::string_view name_of(SliceKernel kernel);

}  // namespace haichi
