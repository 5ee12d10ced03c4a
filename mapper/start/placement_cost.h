#pragma once

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Twice the hop-bytes, by which starts compare their constructions. The values are only compared, so rounding is
/// harmless.
double twice_hop_bytes(const Problem& problem, const Mapping& mapping);

}  // namespace haichi
