#include "cli/output/log_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/errors.h"

namespace haichi::cli {

namespace {

std::string three_digits(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), std::fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    return text.data();
}

}  // namespace

std::string seconds_text(double seconds) {
    if (!std::isfinite(seconds)) return "?";
    struct Unit {
        double seconds;
        const char* name;
    };
    constexpr std::array<Unit, 3> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
    if (seconds == 0) return "0 s";
    for (const Unit& unit : kUnits) {
        // The limit is below 1, because 0.9996 s in ms would be printed as "1e+03 ms".
        if (std::fabs(seconds) >= 0.9995 * unit.seconds) return three_digits(seconds / unit.seconds) + " " + unit.name;
    }
    return three_digits(seconds / 1e-9) + " ns";
}

std::string bytes_text(double bytes) {
    constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; unit + 1 < kUnits.size() && bytes >= 1023.5; ++unit) bytes /= 1024;
    return three_digits(unit == 0 && bytes >= 1 ? std::round(bytes) : bytes) + " " + kUnits[unit];
}

std::string percent_text(double share) {
    std::array<char, 40> text{};
    if (share > 0 && share < 0.0005) return "<0.1%";
    std::snprintf(text.data(), text.size(), "%.1f%%", share * 100);
    return text.data();
}

std::string printable(std::string_view text) {
    const std::string quoted = shown(text);
    return quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : quoted;
}

std::string size_class_name(int k) {
    if (k == 0) return "0";
    constexpr std::array<const char*, 3> kUnits = {"", "K", "M"};
    const auto size = std::to_string(1 << (k % 10)) + kUnits[static_cast<std::size_t>(k / 10)];
    return k == kSizeClasses - 1 ? size + "+" : size;
}

std::string message_sizes_text(const MessageStatistics& messages) {
    if (messages.count == 0) return "";
    std::vector<std::size_t> order(messages.classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return messages.classes[k]; });
    constexpr std::size_t kMostShown = 3;
    std::string text;
    for (std::size_t i = 0; i < kMostShown && messages.classes[order[i]] > 0; ++i) {
        const double share = static_cast<double>(messages.classes[order[i]]) / static_cast<double>(messages.count);
        std::array<char, 32> percent{};
        std::snprintf(percent.data(), percent.size(), ": %.0f%%", share * 100);
        text += (text.empty() ? "" : ", ") + size_class_name(static_cast<int>(order[i])) + percent.data();
    }
    return text;
}

std::string bar(double share, std::size_t width) {
    if (!(share > 0)) return "";
    const double length = std::round(std::min(share, 1.0) * static_cast<double>(width));
    return std::string(std::max<std::size_t>(1, static_cast<std::size_t>(length)), '#');
}

}  // namespace haichi::cli
