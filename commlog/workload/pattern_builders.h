#pragma once

#include "commlog/workload/patterns.h"

namespace haichi {

/// The functions that build the patterns of patterns(), where they are described.
void build_cg(PatternBuilder& builder);
void build_stencil2d(PatternBuilder& builder);
void build_stencil3d(PatternBuilder& builder);
void build_fft(PatternBuilder& builder);
void build_sweep(PatternBuilder& builder);
void build_ring(PatternBuilder& builder);
void build_random_ring(PatternBuilder& builder);
void build_recursive_doubling(PatternBuilder& builder);
void build_alltoall_pairwise(PatternBuilder& builder);
void build_alltoall_bruck(PatternBuilder& builder);
void build_random_geometric(PatternBuilder& builder);

}  // namespace haichi
