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
    /// The value of one unit, in the integer base unit, is numerator / denominator.
    std::int64_t numerator;
    std::int64_t denominator = 1;
    /// Other accepted spellings of the unit.
    std::vector<std::string> spellings{};
};

/// A spelling with several possible meanings, and the units that it may mean.
struct Ambiguity {
    std::string_view spelling;  ///< in lower case
    std::string_view units;
};

/// A kind of quantity, such as "size" with units such as KiB.
struct Kind {
    std::string_view name;
    std::string_view example;
    std::string_view examples;  ///< units to suggest for a number without a unit
    std::span<const Ambiguity> ambiguities{};
};

/// Replaces the micro sign or the Greek letter mu by "u".
std::string with_ascii_micro(std::string_view unit) {
    std::string text(unit);
    for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc"}) {
        if (text.starts_with(micro)) text.replace(0, micro.size(), "u");
    }
    return text;
}

std::string in_lower_case(std::string_view text) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return word;
}

bool is_spelling(const Unit& unit, std::string_view text) {
    return unit.name == text || std::ranges::find(unit.spellings, text) != unit.spellings.end();
}

/// The hint for an unknown unit. It never suggests another magnitude: it names units that differ only in upper and
/// lower case, or all units.
std::string hint_for_unit(std::string_view text, std::span<const Unit> units, const Kind& kind) {
    if (text.empty()) return "write the unit, as in " + std::string(kind.examples);
    const std::string word = in_lower_case(text);
    const auto ambiguity = std::ranges::find(kind.ambiguities, word, &Ambiguity::spelling);
    if (ambiguity != kind.ambiguities.end()) return "write " + std::string(ambiguity->units);
    std::vector<std::string> names;
    for (const Unit& unit : units) {
        const bool is_like = in_lower_case(unit.name) == word ||
                             std::ranges::any_of(unit.spellings, [&word](const std::string& spelling) {
                                 return in_lower_case(spelling) == word;
                             });
        if (is_like) names.push_back("'" + unit.name + "'");
    }
    if (names.size() == 1) return "did you mean " + names.front() + "?";
    if (names.empty()) {
        for (const Unit& unit : units) names.push_back(unit.name);
    }
    return "units are " + joined(names);
}

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
    const std::string unit_name = with_ascii_micro(trimmed(all_of_it.substr(end), " \t"));
    const auto unit = std::ranges::find_if(units, [&](const Unit& known) { return is_spelling(known, unit_name); });
    if (unit == units.end()) {
        if (unit_name.size() > 1 && (unit_name[0] == 'e' || unit_name[0] == 'E') &&
            std::string_view("0123456789+-").find(unit_name[1]) != std::string_view::npos) {
            throw InputError(place, "unsupported exponent in " + what + " " + shown(text),
                             "write the number without an exponent, as in " + std::string(kind.examples));
        }
        throw InputError(
            place,
            std::string(unit_name.empty() ? "a unit is missing in " : "unknown unit in ") + what + " " + shown(text),
            hint_for_unit(unit_name, units, kind));
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
constexpr std::int64_t kMega = kKilo * kKilo;
constexpr std::int64_t kGiga = kKilo * kMega;
constexpr std::int64_t kTera = kKilo * kGiga;
constexpr std::int64_t kKibi = 1024;

}  // namespace

std::int64_t parse_bandwidth_bytes_per_s(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"B/s", 1, 1, {"B/sec", "Bps", "bytes/s"}},
        {"KB/s", kKilo, 1, {"KB/sec", "KBps"}},
        {"kB/s", kKilo, 1, {"kB/sec", "kBps"}},
        {"MB/s", kMega, 1, {"MB/sec", "MBps"}},
        {"GB/s", kGiga, 1, {"GB/sec", "GBps"}},
        {"TB/s", kTera, 1, {"TB/sec", "TBps"}},
        {"KiB/s", kKibi, 1, {"KiB/sec", "KiBps"}},
        {"MiB/s", kKibi * kKibi, 1, {"MiB/sec", "MiBps"}},
        {"GiB/s", kKibi * kKibi * kKibi, 1, {"GiB/sec", "GiBps"}},
        {"bit/s", 1, 8, {"b/s", "bps", "bits/s", "bit/sec"}},
        {"kbit/s", kKilo, 8, {"kb/s", "Kb/s", "kbps", "Kbps", "Kbit/s", "kbit", "Kbit", "kbits/s", "kBit/s"}},
        {"Mbit/s", kMega, 8, {"Mb/s", "Mbps", "Mbit", "Mbits/s", "Mb/sec", "MBit/s"}},
        {"Gbit/s", kGiga, 8, {"Gb/s", "Gbps", "Gbit", "Gbits/s", "Gb/sec", "GBit/s"}},
        {"Tbit/s", kTera, 8, {"Tb/s", "Tbps", "Tbit", "Tbits/s", "Tb/sec", "TBit/s"}},
    };
    static const std::vector<Ambiguity> kAmbiguities = {
        {"g", "Gbit/s for bits or GB/s for bytes"},    {"gb", "Gbit/s for bits or GB/s for bytes"},
        {"gb/s", "Gbit/s for bits or GB/s for bytes"}, {"gbps", "Gbit/s for bits or GB/s for bytes"},
        {"m", "Mbit/s for bits or MB/s for bytes"},    {"mb", "Mbit/s for bits or MB/s for bytes"},
        {"mb/s", "Mbit/s for bits or MB/s for bytes"}, {"mbps", "Mbit/s for bits or MB/s for bytes"},
        {"kb", "kbit/s for bits or kB/s for bytes"},   {"kb/s", "kbit/s for bits or kB/s for bytes"},
        {"kbps", "kbit/s for bits or kB/s for bytes"},
    };
    return parse_quantity(text, kUnits, {"bandwidth", "5GB/s", "10GB/s or 10Gbit/s", kAmbiguities}, place);
}

std::int64_t parse_bytes(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"B", 1, 1, {"byte", "bytes", "Byte", "Bytes"}},
        {"KB", kKilo},
        {"kB", kKilo},
        {"MB", kMega},
        {"GB", kGiga},
        {"TB", kTera},
        {"KiB", kKibi},
        {"MiB", kKibi * kKibi},
        {"GiB", kKibi * kKibi * kKibi},
        {"TiB", kKibi * kKibi * kKibi * kKibi},
    };
    static const std::vector<Ambiguity> kAmbiguities = {
        {"k", "KiB (1,024 bytes) or kB (1,000 bytes)"},
        {"kb", "KiB (1,024 bytes) or kB (1,000 bytes)"},
        {"ki", "KiB (1,024 bytes)"},
        {"m", "MiB (1,048,576 bytes) or MB (1,000,000 bytes)"},
        {"mb", "MiB (1,048,576 bytes) or MB (1,000,000 bytes)"},
        {"mi", "MiB (1,048,576 bytes)"},
        {"g", "GiB (2^30 bytes) or GB (10^9 bytes)"},
        {"gb", "GiB (2^30 bytes) or GB (10^9 bytes)"},
        {"gi", "GiB (2^30 bytes)"},
    };
    return parse_quantity(text, kUnits, {"size", "64KiB", "10B or 10KiB", kAmbiguities}, place);
}

std::int64_t parse_time_ps(std::string_view text, const SourcePlace& place) {
    static const std::vector<Unit> kUnits = {
        {"ps", 1, 1, {"psec"}},
        {"ns", kKilo, 1, {"nsec", "nsecs", "nanoseconds"}},
        {"us", kMega, 1, {"usec", "usecs", "microseconds"}},
        {"ms", kGiga, 1, {"msec", "msecs", "milliseconds"}},
        {"s", kTera, 1, {"sec", "secs", "second", "seconds"}},
        {"min", 60 * kTera, 1, {"mins", "minute", "minutes"}},
        {"h", 3600 * kTera, 1, {"hour", "hours"}},
    };
    static const std::vector<Ambiguity> kAmbiguities = {{"m", "min for minutes or ms for milliseconds"}};
    return parse_quantity(text, kUnits, {"time", "100ns", "10s, 10ms, 10us or 10ns", kAmbiguities}, place);
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
            throw InputError(place, (place.line > 0 ? "the number " : "") + shown(text) + " is too large (at most " +
                                        std::to_string(largest) + ")");
        }
        value = value * 10 + digit;
    }
    if (ok) return value;
    const bool is_negative = text.size() > 1 && text.front() == '-' &&
                             std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; });
    throw InputError(place,
                     (is_negative ? std::string(place.line > 0 ? "the number " : "") + "must not be negative, found "
                                  : std::string("expected a whole number, found ")) +
                         shown(text));
}

}  // namespace haichi
