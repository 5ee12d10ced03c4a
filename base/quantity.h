#pragma once

#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Quantities with units are parsed once, at the interface, into integers with the unit in their name. Each function
/// accepts a decimal number, optional blanks and a unit, also in spellings with one meaning ("Gbps", "usec"). Other
/// text causes an InputError at `place`: an unknown unit, a negative value, too many digits for the integer unit, or
/// overflow. The hint for a unit names units of the same size only, or all.

/// "5GB/s" = 5'000'000'000, "1GiB/s", "40Gbit/s", in bytes per second.
std::int64_t parse_bandwidth_bytes_per_s(std::string_view text, const SourcePlace& place);

/// "1KiB" = 1024, "1920B", "8MB" = 8'000'000, in bytes, at most 2^62.
std::int64_t parse_bytes(std::string_view text, const SourcePlace& place);

/// "100ns", "36us", "0.5us", in picoseconds; "1.5ps" is an error.
std::int64_t parse_time_ps(std::string_view text, const SourcePlace& place);

/// A whole non-negative decimal number without sign, at most `largest`.
std::int64_t parse_count(std::string_view text, std::int64_t largest, const SourcePlace& place);

}  // namespace haichi
