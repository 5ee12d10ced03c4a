#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bit_block.h"

namespace haichi {

/// What a move does to the counters of one communication set. The counters are bit-sliced: plane k holds bit k of every
/// link's count, one bit per link, so that adding a route (a row with a bit per link) to all of them is a carry running
/// up the planes.
struct SliceChange {
    static constexpr std::size_t kMostPlanes = 12;

    const BitBlock* planes = nullptr;  ///< before: plane_count rows
    BitBlock* changed = nullptr;       ///< after: as many rows
    /// Enough for every count, before and after: 3, 5, 8 or kMostPlanes.
    std::uint32_t plane_count = 0;
    std::uint32_t row_count = 0;  ///< of the rows removed, and of those added
    // What the kernel finds.
    std::int64_t largest = 0;  ///< count of any link
    std::int64_t excess = 0;   ///< sum over links of max(0, count - 1)
};

/// What a move does to all sets: one call per proposal.
struct SliceWork {
    std::size_t blocks = 1;  ///< of a row, at most RouteRows::kMostBlocks
    SliceChange* changes = nullptr;
    std::size_t change_count = 0;
    const BitBlock* const* removed = nullptr;  ///< rows of the first set, then those of the next
    const BitBlock* const* added = nullptr;
};

using SliceKernel = void (*)(const SliceWork&);

/// The kernels compute the same; they are compiled for different processors.
void change_slices(const SliceWork& work);
#if defined(__x86_64__)
void change_slices_avx2(const SliceWork& work);
void change_slices_avx512(const SliceWork& work);
#endif

/// Those that this processor runs, the fastest last.
struct SliceKernels {
    SliceKernel kernel[3] = {};
    std::size_t count = 0;
    [[nodiscard]] SliceKernel best() const { return kernel[count - 1]; }
};
SliceKernels slice_kernels();
/// "AVX-512", "AVX2" or "plain"; "none" for null.
std::string_view name_of(SliceKernel kernel);

}  // namespace haichi
