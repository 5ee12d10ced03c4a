#pragma once

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Twice the bytes times hops, by which starts choose among their constructions; only compared, so rounding does no
/// harm.
double twice_hop_bytes(const Problem& problem, const Mapping& mapping);

}  // namespace haichi
