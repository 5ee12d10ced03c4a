#pragma once

#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Quantities with units are parsed once, at the border, into integers whose unit stands in their name. All of these
/// accept a decimal number, optional blanks and a unit, and throw InputError at `place` for anything else: an unknown
/// unit (with did-you-mean), a negative value, more digits than the integer unit can hold exactly, or overflow.

/// "5GB/s" = 5'000'000'000, "1GiB/s", "40Gbit/s"; bytes per second.
std::int64_t parse_bandwidth_bytes_per_s(std::string_view text, const SourcePlace& place);

/// "1KiB" = 1024, "1920B", "8MB" = 8'000'000; bytes, at most 2^62.
std::int64_t parse_bytes(std::string_view text, const SourcePlace& place);

/// "100ns", "36us", "0.5us", "1.5ps" is an error; picoseconds.
std::int64_t parse_time_ps(std::string_view text, const SourcePlace& place);

/// A whole non-negative decimal number without sign, at most `largest`.
std::int64_t parse_count(std::string_view text, std::int64_t largest, const SourcePlace& place);

}  // namespace haichi
