#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace haichi {

/// Exactly digits * 10^exponent; `digits` does not end in 0 unless it is 0.
struct Decimal {
    bool negative = false;
    bool too_many_digits = false;  ///< `digits` would overflow
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
};

/// Parses a decimal number such as "-1.5e3"; empty for other text.
std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace haichi
