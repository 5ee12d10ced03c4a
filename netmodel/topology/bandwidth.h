#pragma once

#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Largest bandwidth of a machine, 10^15 bytes/s. With this limit, sums over a node's NICs cannot overflow.
inline constexpr std::int64_t kLargestBandwidth = 1'000'000'000'000'000;

/// Parses a bandwidth with its unit, from 1 byte/s to kLargestBandwidth. Throws InputError at `place`.
std::int64_t parse_positive_bandwidth(std::string_view text, const SourcePlace& place);

}  // namespace haichi
