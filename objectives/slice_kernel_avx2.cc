#if defined(__x86_64__)

#include "objectives/slice_kernel_body.h"

namespace haichi {

void change_slices_avx2(const SliceWork& work) { change_slices_here(work); }

}  // namespace haichi

#endif
