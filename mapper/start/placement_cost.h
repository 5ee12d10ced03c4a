#pragma once

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Twice the bytes times hops, by which starts choose among their constructions. The values are only compared, so
/// rounding is harmless.
double twice_hop_bytes(const Problem& problem, const Mapping& mapping);

}  // namespace haichi
