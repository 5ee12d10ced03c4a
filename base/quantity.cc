#include "base/quantity.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/split.h"

namespace haichi {

namespace {

using Wide = unsigned __int128;

struct Unit {
    std::string name;
    /// Value of one unit in the integer base unit is numerator / denominator.
    std::int64_t numerator;
    std::int64_t denominator = 1;
};

/// A kind of quantity: "size", with units such as KiB.
struct Kind {
    std::string_view name;
    std::string_view example;
};

std::int64_t parse_quantity(std::string_view text, std::span<const Unit> units, const Kind& kind,
                            const SourcePlace& place) {
    const std::string what(kind.name);
    const std::string_view all_of_it = trimmed(text, " \t");
    const std::size_t end = std::min(all_of_it.find_first_not_of("0123456789."), all_of_it.size());
    const std::optional<Decimal> number = parse_decimal(all_of_it.substr(0, end));
    if (!number) {
        throw InputError(place, "expected a " + what + " such as " + shown(kind.example) + ", found " + shown(text));
    }
    if (number->too_many_digits) throw InputError(place, "too many digits in " + shown(text));
    const std::string_view unit_name = trimmed(all_of_it.substr(end), " \t");
    const auto unit = std::ranges::find(units, unit_name, &Unit::name);
    if (unit == units.end()) {
        std::vector<std::string> names;
        std::string all;
        for (const Unit& u : units) {
            names.push_back(u.name);
            all += (all.empty() ? "" : ", ") + u.name;
        }
        const std::string near = did_you_mean(unit_name, names);
        throw InputError(
            place,
            std::string(unit_name.empty() ? "a unit is missing in " : "unknown unit in ") + what + " " + shown(text),
            near.empty() ? "units are " + all : near);
    }
    constexpr Wide kLargest = std::int64_t{1} << 62;
    Wide scaled = static_cast<Wide>(number->digits) * static_cast<Wide>(unit->numerator);
    Wide divisor = static_cast<Wide>(unit->denominator);
    if (scaled == 0) return 0;
    for (std::int64_t e = number->exponent; e > 0 && scaled / divisor <= kLargest; --e) scaled *= 10;
    for (std::int64_t e = number->exponent; e < 0 && divisor <= scaled; ++e) divisor *= 10;
    if (scaled / divisor > kLargest) throw InputError(place, what + " " + shown(text) + " is too large");
    if (scaled % divisor != 0) {
        throw InputError(place, what + " " + shown(text) + " is not a whole number of " + units.front().name);
    }
    return static_cast<std::int64_t>(scaled / divisor);
}

constexpr std::int64_t kKilo = 1000;
constexpr std::int64_t kKibi = 1024;

}  // namespace

std::int64_t parse_bandwidth_bytes_per_s(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"B/s", 1},
        {"KB/s", kKilo},
        {"kB/s", kKilo},
        {"MB/s", kKilo * kKilo},
        {"GB/s", kKilo * kKilo * kKilo},
        {"TB/s", kKilo * kKilo * kKilo * kKilo},
        {"KiB/s", kKibi},
        {"MiB/s", kKibi * kKibi},
        {"GiB/s", kKibi * kKibi * kKibi},
        {"bit/s", 1, 8},
        {"kbit/s", kKilo, 8},
        {"Mbit/s", kKilo * kKilo, 8},
        {"Gbit/s", kKilo * kKilo * kKilo, 8},
        {"Tbit/s", kKilo * kKilo * kKilo * kKilo, 8},
    };
    return parse_quantity(text, kUnits, {"bandwidth", "5GB/s"}, place);
}

std::int64_t parse_bytes(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"B", 1},
        {"KB", kKilo},
        {"kB", kKilo},
        {"MB", kKilo * kKilo},
        {"GB", kKilo * kKilo * kKilo},
        {"KiB", kKibi},
        {"MiB", kKibi * kKibi},
        {"GiB", kKibi * kKibi * kKibi},
    };
    return parse_quantity(text, kUnits, {"size", "64KiB"}, place);
}

std::int64_t parse_time_ps(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"ps", 1},
        {"ns", kKilo},
        {"us", kKilo * kKilo},
        {"ms", kKilo * kKilo * kKilo},
        {"s", kKilo * kKilo * kKilo * kKilo},
    };
    return parse_quantity(text, kUnits, {"time", "100ns"}, place);
}

std::int64_t parse_count(std::string_view text, std::int64_t largest, const SourcePlace& place) {
    std::int64_t value = 0;
    bool ok = !text.empty();
    for (const char c : text) {
        if (c < '0' || c > '9') {
            ok = false;
            break;
        }
        const std::int64_t digit = c - '0';
        if (largest < digit || value > (largest - digit) / 10) {
            throw InputError(place, shown(text) + " is too large (at most " + std::to_string(largest) + ")");
        }
        value = value * 10 + digit;
    }
    if (!ok) throw InputError(place, "expected a whole number, found " + shown(text));
    return value;
}

}  // namespace haichi
