#if defined(__x86_64__)

#include "mapper/tabu/swap_kernel_body.h"

namespace haichi {

template <class Cell>
SwapKernel<Cell> swap_kernel_avx2() {
    return {scan_here<Cell>, add_multiple_here<Cell>, "AVX2"};
}

template SwapKernel<std::int32_t> swap_kernel_avx2();
template SwapKernel<std::int64_t> swap_kernel_avx2();

}  // namespace haichi

#endif
