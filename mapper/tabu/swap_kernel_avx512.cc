#if defined(__x86_64__)

#include "mapper/tabu/swap_kernel_body.h"

namespace haichi {

template <class Cell>
SwapKernel<Cell> swap_kernel_avx512() {
    return {scan_here<Cell>, add_multiple_here<Cell>, "AVX-512"};
}

template SwapKernel<std::int32_t> swap_kernel_avx512();
template SwapKernel<std::int64_t> swap_kernel_avx512();

}  // namespace haichi

#endif
