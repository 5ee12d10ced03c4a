#include "mapper/tabu/swap_kernel.h"

#include "mapper/tabu/swap_kernel_body.h"

namespace haichi {

template <class Cell>
SwapKernel<Cell> swap_kernel() {
    return {scan_here<Cell>, add_multiple_here<Cell>, "plain"};
}

template <class Cell>
SwapKernels<Cell> swap_kernels() {
    SwapKernels<Cell> kernels;
    kernels.kernel[kernels.count++] = swap_kernel<Cell>();
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) kernels.kernel[kernels.count++] = swap_kernel_avx2<Cell>();
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        kernels.kernel[kernels.count++] = swap_kernel_avx512<Cell>();
    }
#endif
    return kernels;
}

template SwapKernels<std::int32_t> swap_kernels();
template SwapKernels<std::int64_t> swap_kernels();

}  // namespace haichi
