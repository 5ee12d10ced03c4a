#include "objectives/slice_kernel.h"

#include "objectives/slice_kernel_body.h"

namespace haichi {

void change_slices(const SliceWork& work) { change_slices_here(work); }

SliceKernels slice_kernels() {
    SliceKernels kernels;
    kernels.kernel[kernels.count++] = change_slices;
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
    if (has_avx2) kernels.kernel[kernels.count++] = change_slices_avx2;
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) {
        kernels.kernel[kernels.count++] = change_slices_avx512;
    }
#endif
    return kernels;
}

std::string_view name_of(SliceKernel kernel) {
#if defined(__x86_64__)
    if (kernel == change_slices_avx512) return "AVX-512";
    if (kernel == change_slices_avx2) return "AVX2";
#endif
    return kernel == change_slices ? "plain" : "none";
}

}  // namespace haichi
