#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace haichi {

/// The exact value digits * 10^exponent. `digits` does not end in 0 unless it is 0.
struct Decimal {
    bool negative = false;
    bool too_many_digits = false;  ///< `digits` would overflow
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
};

/// Whether `c` is one of the digits 0 to 9 in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Parses a decimal number such as "-1.5e3"; empty for other text.
std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace haichi
