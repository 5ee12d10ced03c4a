#include "base/printable.h"

#include <cstddef>
#include <cstdint>

namespace haichi {

namespace {

/// The first UTF-8 character of a text and its length in bytes. The length is 0 if the character is invalid.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80U) return {byte(0), 1};
    const std::size_t length = byte(0) >= 0xF0U ? 4 : byte(0) >= 0xE0U ? 3 : 2;
    if (byte(0) < 0xC2U || byte(0) > 0xF4U || text.size() < length) return {};
    std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return {};
        code = code << 6U | (byte(i) & 0x3FU);
    }
    return {code, length};
}

bool is_control(std::uint32_t code) {
    const bool is_of_direction = code == 0x61C || code == 0x200E || code == 0x200F ||
                                 (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || is_of_direction;
}

}  // namespace

std::string without_controls(std::string_view text, std::string_view kept) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const Character first = first_character(text);
        const std::string_view bytes = text.substr(0, first.length == 0 ? 1 : first.length);
        const bool is_kept = kept.find(text.front()) != std::string_view::npos;
        if (is_kept || (first.length > 0 && !is_control(first.code))) {
            out += bytes;
        } else {
            for (const char c : bytes) {
                const auto byte = static_cast<unsigned char>(c);
                out += "\\x";
                out += kDigits[byte >> 4U];
                out += kDigits[byte & 15U];
            }
        }
        text.remove_prefix(bytes.size());
    }
    return out;
}

}  // namespace haichi
