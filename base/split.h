#pragma once

#include <string_view>
#include <vector>

namespace haichi {

/// The parts of `text` between the separators; one part where there is none, empty parts included.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace haichi
