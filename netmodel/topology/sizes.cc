#include "netmodel/topology/sizes.h"

#include <algorithm>

#include "base/errors.h"
#include "netmodel/topology/grid.h"

namespace haichi {

std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what, char separator,
                                      std::string_view example) {
    std::vector<std::int32_t> sizes;
    std::string_view rest = text;
    while (true) {
        const auto end = rest.find(separator);
        const std::string_view word = rest.substr(0, end);
        constexpr std::size_t kMostDigits = 9;
        const bool is_number = !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
        if (!is_number) {
            throw OptionError(
                std::string(what) + " requires whole numbers joined by '" + separator + "', found " + shown(text),
                "an example is " + std::string(example));
        }
        if (word.size() > kMostDigits)
            throw OptionError(std::string(what) + ": " + shown(word) + " has more than 9 digits");
        if (sizes.size() == kMostAxes) {
            throw OptionError(std::string(what) + " has more than " + std::to_string(kMostAxes) +
                              " numbers: " + shown(text));
        }
        sizes.push_back(static_cast<std::int32_t>(std::stol(std::string(word))));
        if (end == std::string_view::npos) return sizes;
        rest.remove_prefix(end + 1);
    }
}

std::string sizes_text(const std::vector<std::int32_t>& sizes) {
    std::string text;
    for (const std::int32_t size : sizes) {
        if (!text.empty()) text += 'x';
        text += std::to_string(size);
    }
    return text;
}

}  // namespace haichi
