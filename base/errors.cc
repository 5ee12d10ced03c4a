#include "base/errors.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace haichi {

namespace {

/// Shortens a text above 8 KiB in its middle, between UTF-8 characters. Quoted values are short already because of
/// shown(), but names of files and machines can have any length.
std::string cut_message(const std::string& text) {
    constexpr std::size_t kLongest = 8192;  // room for two paths of maximum length
    constexpr std::size_t kEnd = 1024;      // the end usually states the error
    if (text.size() <= kLongest) return text;
    const auto is_inside = [&text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    std::size_t head = kLongest - kEnd;
    for (int k = 0; k < 3 && is_inside(head); ++k) --head;
    std::size_t end = text.size() - kEnd;
    for (int k = 0; k < 3 && is_inside(end); ++k) ++end;
    return text.substr(0, head) + " ... " + text.substr(end);
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message, std::string hint)
    : std::runtime_error(cut_message(message)), kind_(kind), hint_(cut_message(hint)) {}

std::string to_string(const SourcePlace& place) {
    return place.line == 0 ? place.file : place.file + ":" + std::to_string(place.line);
}

InputError::InputError(const std::string& message, std::string hint)
    : Error(ErrorKind::kInput, message, std::move(hint)) {}
InputError::InputError(const SourcePlace& place, const std::string& message, std::string hint)
    : Error(ErrorKind::kInput, to_string(place) + ": " + message, std::move(hint)), place_(place) {}
OptionError::OptionError(const std::string& message, std::string hint)
    : Error(ErrorKind::kOption, message, std::move(hint)) {}
UnsupportedError::UnsupportedError(const std::string& message, std::string hint)
    : Error(ErrorKind::kUnsupported, message, std::move(hint)) {}
InternalError::InternalError(const std::string& message) : Error(ErrorKind::kInternal, message) {}

int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::kInput:
        case ErrorKind::kOption:
        case ErrorKind::kUnsupported:
            return kExitBadInput;
        case ErrorKind::kInternal:
            break;
    }
    return kExitInternal;
}

namespace {

/// The Levenshtein distance. It keeps only one row of the matrix in memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    name = name.substr(0, 64);
    // The limit is half of the characters of a short word, and a third of a long one.
    std::size_t best = std::max(std::min<std::size_t>(2, (name.size() + 1) / 2), name.size() / 3) + 1;
    const std::string* nearest = nullptr;
    for (const std::string& candidate : candidates) {
        if (candidate.size() >= name.size() + best) continue;  // such a candidate may be as long as a file
        const std::size_t distance = edit_distance(name, candidate);
        const bool is_another_word = distance >= std::max(name.size(), candidate.size());
        if (distance < best && !is_another_word) {
            best = distance;
            nearest = &candidate;
        }
    }
    return nearest == nullptr ? std::string{} : "did you mean '" + *nearest + "'?";
}

std::string near_or_all(std::string_view name, std::span<const std::string> candidates, std::string_view head) {
    const std::string near = did_you_mean(name, candidates);
    return near.empty() ? std::string(head) + joined(candidates) : near;
}

std::string joined(std::span<const std::string> words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

std::string shown(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string out = "'";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f) {
            std::array<char, 8> hex{};
            std::snprintf(hex.data(), hex.size(), "\\x%02x", byte);
            out += hex.data();
        } else {
            out += c;
        }
    }
    out += text.size() > kLongest ? "...'" : "'";
    return out;
}

}  // namespace haichi
