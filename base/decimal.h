#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace haichi {

/// digits * 10^exponent, exactly; `digits` does not end in 0 unless it is 0.
struct Decimal {
    bool negative = false;
    bool too_many_digits = false;  ///< for `digits`
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
};

/// Nothing when the text is no decimal number, as in "-1.5e3".
std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace haichi
