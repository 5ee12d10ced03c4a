#pragma once

#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Parsers of quantities with units. Quantities are parsed once, at the interface, into integers whose names contain
/// the unit. Each parser accepts a decimal number, optional blanks and a unit, also in spellings with a single meaning
/// ("Gbps", "usec"). Other text causes an InputError at `place`: an unknown unit, a negative value, too many digits for
/// the integer unit, or overflow.

/// Parses a bandwidth to bytes per second: "5GB/s" = 5'000'000'000, "1GiB/s", "40Gbit/s".
std::int64_t parse_bandwidth_bytes_per_s(std::string_view text, const SourcePlace& place);

/// Parses a size to bytes, at most 2^62: "1KiB" = 1024, "1920B", "8MB" = 8'000'000.
std::int64_t parse_bytes(std::string_view text, const SourcePlace& place);

/// Parses a time to picoseconds: "100ns", "36us", "0.5us". "1.5ps" is an error.
std::int64_t parse_time_ps(std::string_view text, const SourcePlace& place);

/// Parses a non-negative decimal integer without a sign, at most `largest`.
std::int64_t parse_count(std::string_view text, std::int64_t largest, const SourcePlace& place);

}  // namespace haichi
