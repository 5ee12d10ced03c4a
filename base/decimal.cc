#include "base/decimal.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace haichi {

std::optional<Decimal> parse_decimal(std::string_view text) {
    Decimal decimal;
    std::size_t at = 0;
    const auto sign = [&] { return at < text.size() && (text[at] == '-' || text[at] == '+') && text[at++] == '-'; };
    decimal.negative = sign();
    bool any_digit = false;
    bool fraction = false;
    std::int64_t zeros = 0;  // trailing zeros, which enter `digits` only if another digit follows
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(text[at])) break;
        any_digit = true;
        if (fraction) --decimal.exponent;
        ++zeros;
        if (text[at] == '0') continue;
        for (; zeros > 0; --zeros) {
            decimal.too_many_digits |= decimal.digits > std::numeric_limits<std::uint64_t>::max() / 10 - 1;
            if (!decimal.too_many_digits) decimal.digits *= 10;
        }
        if (!decimal.too_many_digits) decimal.digits += static_cast<std::uint64_t>(text[at] - '0');
    }
    if (!any_digit) return std::nullopt;
    if (decimal.digits != 0) decimal.exponent += zeros;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        const bool negative = sign();
        constexpr std::int64_t kFarOff = 1'000'000;  // no field has enough digits to compensate such an exponent
        std::int64_t exponent = 0;
        const std::size_t first = at;
        for (; at < text.size() && is_digit(text[at]); ++at) {
            exponent = std::min(exponent * 10 + (text[at] - '0'), kFarOff);
        }
        if (at == first) return std::nullopt;
        decimal.exponent += negative ? -exponent : exponent;
    }
    if (at < text.size()) return std::nullopt;
    return decimal;
}

}  // namespace haichi
