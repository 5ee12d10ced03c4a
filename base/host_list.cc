#include "base/host_list.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/quantity.h"
#include "base/split.h"

namespace haichi {

namespace {

constexpr std::size_t kLongestHostName = 255;
constexpr std::size_t kMostDigits = 9;
/// The maximum number of ranges in one name. Slurm's names have one or two.
constexpr std::size_t kMostRanges = 4;

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A range of numbers in text, such as "000-095". All numbers have as many digits as the first one. "1-9:2" is every
/// second number.
struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t step = 1;
    std::size_t digits = 0;
    std::string word{};  ///< an alternative in braces that is not a number
};

/// The characters of one kind of brackets: "[1-3:2]" as in Slurm and ClusterShell, "{1..3..2}" as in shells.
struct Brackets {
    char close;
    std::string_view to;
    std::string_view steps;  ///< any of these characters precedes the step
};
constexpr Brackets kSquare = {']', "-", ":/"};
constexpr Brackets kBraces = {'}', "..", "."};

std::int64_t parse_number(std::string_view text, const SourcePlace& place) {
    if (text.size() > kMostDigits) {
        throw InputError(place, shown(text) + " has more than " + std::to_string(kMostDigits) + " digits");
    }
    return parse_count(text, INT32_MAX, place);
}

Range parse_range(std::string_view text, const Brackets& brackets, const SourcePlace& place) {
    Range range;
    if (brackets.close == kBraces.close && text.find_first_not_of("0123456789.") != std::string_view::npos) {
        range.word = text;
        return range;
    }
    const auto to = text.find(brackets.to);
    const std::string_view first = text.substr(0, to);
    range.first = range.last = parse_number(first, place);
    range.digits = first.size();
    if (to == std::string_view::npos) return range;
    const std::string_view rest = text.substr(to + brackets.to.size());
    const auto step = rest.find_first_of(brackets.steps);
    range.last = parse_number(rest.substr(0, step), place);
    if (step != std::string_view::npos) {
        const std::size_t length = brackets.close == kBraces.close ? kBraces.to.size() : 1;
        range.step = parse_number(rest.substr(std::min(step + length, rest.size())), place);
        if (range.step == 0) throw InputError(place, "the range " + shown(text) + " has a step of 0");
    }
    if (range.last < range.first) throw InputError(place, "the range " + shown(text) + " is descending");
    return range;
}

[[noreturn]] void refuse_count(std::int64_t most, const SourcePlace& place) {
    throw InputError(place,
                     "expected at most " + std::to_string(most) + (most == 1 ? " name" : " names") + ", found more");
}

/// A name with ranges. It has the texts between the ranges, and one list of ranges per pair of brackets.
class NamePattern {
  public:
    NamePattern(std::string_view text, const SourcePlace& place) : place_(place) {
        while (true) {
            const auto open = text.find_first_of("[]{}");
            texts_.emplace_back(text.substr(0, open));
            if (open == std::string_view::npos) break;
            const Brackets& kind = text[open] == '[' ? kSquare : kBraces;
            const auto close = text.find_first_of("[]{}", open + 1);
            if ((text[open] != '[' && text[open] != '{') || close == std::string_view::npos ||
                text[close] != kind.close) {
                throw InputError(place, "brackets do not match in " + shown(text));
            }
            if (brackets_.size() == kMostRanges) {
                throw InputError(place, "more than " + std::to_string(kMostRanges) + " brackets in one name");
            }
            brackets_.emplace_back();
            for (const std::string_view range : split(text.substr(open + 1, close - open - 1), ',')) {
                brackets_.back().push_back(parse_range(range, kind, place));
            }
            text.remove_prefix(close + 1);
        }
    }

    void append_names(std::vector<std::string>& names, std::int64_t most) const { append(names, most, "", 0); }

  private:
    void append(std::vector<std::string>& names, std::int64_t most, std::string name, std::size_t k) const {
        name += texts_[k];
        if (k == brackets_.size()) {
            if (static_cast<std::int64_t>(names.size()) >= most) refuse_count(most, place_);
            check_host_name(name, place_);
            names.push_back(std::move(name));
            return;
        }
        for (const Range& range : brackets_[k]) {
            if (!range.word.empty()) append(names, most, name + range.word, k + 1);
            for (std::int64_t i = range.first; range.word.empty() && i <= range.last; i += range.step) {
                append(names, most, name + padded_number(i, range.digits), k + 1);
            }
        }
    }

    SourcePlace place_;
    std::vector<std::string> texts_;
    std::vector<std::vector<Range>> brackets_;
};

}  // namespace

bool is_host_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestHostName && is_alphanumeric(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void check_host_name(std::string_view name, const SourcePlace& place) {
    if (is_host_name(name)) return;
    if (name.size() > kLongestHostName) {
        throw InputError(place, "invalid host name: " + shown(name),
                         "use at most " + std::to_string(kLongestHostName) + " characters");
    }
    throw InputError(place, "invalid host name: " + shown(name),
                     "use letters, digits, '-', '_' and '.', with a letter or digit first");
}

std::string padded_number(std::int64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

std::string_view next_host_entry(std::string_view& list) {
    int depth = 0;
    std::size_t at = 0;
    for (; at < list.size() && (list[at] != ',' || depth > 0); ++at) {
        if (list[at] == '[' || list[at] == '{') ++depth;
        if ((list[at] == ']' || list[at] == '}') && depth > 0) --depth;
    }
    const std::string_view entry = list.substr(0, at);
    list = at < list.size() ? list.substr(at + 1) : std::string_view{};
    return entry;
}

bool looks_like_host_list(const std::string& value) {
    std::error_code ignored;
    return value.find_first_of(",[{") != std::string::npos && !std::filesystem::exists(value, ignored);
}

std::vector<std::string> expand_host_list(std::string_view list, std::int64_t most, const SourcePlace& place) {
    std::vector<std::string> names;
    bool goes_on = true;
    while (goes_on) {
        const std::size_t length = list.size();
        const std::string_view entry = next_host_entry(list);
        goes_on = entry.size() < length;
        NamePattern(entry, place).append_names(names, most);
    }
    return names;
}

}  // namespace haichi
