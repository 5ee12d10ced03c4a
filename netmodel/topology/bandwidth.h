#pragma once

#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Largest bandwidth a machine may have, 10^15 bytes/s, so that sums over a node's NICs cannot overflow.
inline constexpr std::int64_t kLargestBandwidth = 1'000'000'000'000'000;

/// A bandwidth with its unit, from 1 byte/s to kLargestBandwidth; throws InputError at `place`.
std::int64_t parse_positive_bandwidth(std::string_view text, const SourcePlace& place);

}  // namespace haichi
