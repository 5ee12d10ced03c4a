#include "mapper/rankmap/hosts.h"

#include <algorithm>
#include <optional>

#include "base/located_json.h"
#include "base/quantity.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestListBytes = std::size_t{512} << 20;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMostDigits = 9;
/// Most ranges in one name. Slurm's names have one or two.
constexpr std::size_t kMostRanges = 4;

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void check_name(const std::string& name, const SourcePlace& place) {
    const bool fits =
        !name.empty() && name.size() <= kLongestName && is_alphanumeric(name.front()) &&
        std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
    if (fits) return;
    throw InputError(place, "invalid host name: " + shown(name),
                     "use letters, digits, '-', '_' and '.', with a letter or digit first");
}

/// "000-095": numbers in text, with as many digits as the first one.
struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t digits = 0;
};

std::int64_t parse_number(std::string_view text, const SourcePlace& place) {
    if (text.size() > kMostDigits) {
        throw InputError(place, shown(text) + " has more than " + std::to_string(kMostDigits) + " digits");
    }
    return parse_count(text, INT32_MAX, place);
}

Range parse_range(std::string_view text, const SourcePlace& place) {
    const auto dash = text.find('-');
    const std::string_view first = text.substr(0, dash);
    Range range;
    range.first = range.last = parse_number(first, place);
    range.digits = first.size();
    if (dash != std::string_view::npos) range.last = parse_number(text.substr(dash + 1), place);
    if (range.last < range.first) throw InputError(place, "the range " + shown(text) + " is descending");
    return range;
}

std::string padded(std::int64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

[[noreturn]] void refuse_count(std::int64_t most, const SourcePlace& place) {
    throw InputError(place, "more than " + std::to_string(most) + (most == 1 ? " name" : " names"));
}

/// A name with ranges: the texts between the ranges, and one list of ranges per pair of brackets.
class NamePattern {
  public:
    NamePattern(std::string_view text, const SourcePlace& place) : place_(place) {
        while (true) {
            const auto open = text.find_first_of("[]");
            texts_.emplace_back(text.substr(0, open));
            if (open == std::string_view::npos) break;
            const auto close = text.find_first_of("[]", open + 1);
            if (text[open] != '[' || close == std::string_view::npos || text[close] != ']') {
                throw InputError(place, "brackets do not match in " + shown(text));
            }
            if (brackets_.size() == kMostRanges) {
                throw InputError(place, "more than " + std::to_string(kMostRanges) + " brackets in one name");
            }
            brackets_.emplace_back();
            std::string_view inside = text.substr(open + 1, close - open - 1);
            while (true) {
                const auto comma = inside.find(',');
                brackets_.back().push_back(parse_range(inside.substr(0, comma), place));
                if (comma == std::string_view::npos) break;
                inside.remove_prefix(comma + 1);
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
            check_name(name, place_);
            names.push_back(std::move(name));
            return;
        }
        for (const Range& range : brackets_[k]) {
            for (std::int64_t i = range.first; i <= range.last; ++i) {
                append(names, most, name + padded(i, range.digits), k + 1);
            }
        }
    }

    SourcePlace place_;
    std::vector<std::string> texts_;
    std::vector<std::vector<Range>> brackets_;
};

/// Expands "node%04d" for the numbers 0, 1, ...
std::vector<std::string> numbered_names(const std::string& pattern, std::int32_t nodes, const SourcePlace& place) {
    const auto percent = pattern.find('%');
    const auto end = pattern.find_first_not_of("0123456789", percent + 1);
    if (end == std::string::npos || pattern[end] != 'd' || pattern.find('%', end) != std::string::npos) {
        throw InputError(place, "expected one %d or, with zeros, %04d, found " + shown(pattern));
    }
    const std::string_view width = std::string_view(pattern).substr(percent + 1, end - percent - 1);
    if (!width.empty() && width.front() != '0') {
        throw InputError(place, "%" + std::string(width) + "d pads with blanks, which host names cannot have",
                         "write %0" + std::string(width) + "d");
    }
    const std::int64_t digits = width.empty() ? 0 : parse_count(width, kMostDigits, place);
    std::vector<std::string> names;
    for (std::int32_t i = 0; i < nodes; ++i) {
        names.push_back(pattern.substr(0, percent) + padded(i, static_cast<std::size_t>(digits)) +
                        pattern.substr(end + 1));
        check_name(names.back(), place);
    }
    return names;
}

void check_count(std::size_t names, std::int32_t nodes, const std::string& file) {
    if (names == static_cast<std::size_t>(nodes)) return;
    throw InputError(file + ": " + std::to_string(names) + (names == 1 ? " host name" : " host names") + " for the " +
                         std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") + " of the job",
                     "give one name per node, in node order: row-major, last axis fastest, or as in the node list");
}

}  // namespace

std::string_view next_host_entry(std::string_view& list) {
    int depth = 0;
    std::size_t at = 0;
    for (; at < list.size() && (list[at] != ',' || depth > 0); ++at) {
        if (list[at] == '[') ++depth;
        if (list[at] == ']' && depth > 0) --depth;
    }
    const std::string_view entry = list.substr(0, at);
    list = at < list.size() ? list.substr(at + 1) : std::string_view{};
    return entry;
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

HostNames::HostNames(std::vector<std::string> names, const std::vector<SourcePlace>& places)
    : names_(std::move(names)) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const auto [first, is_new] = node_of_name_.try_emplace(names_[i], NodeId(static_cast<std::int32_t>(i)));
        if (is_new) continue;
        const SourcePlace& place = places[std::min(i, places.size() - 1)];
        const std::size_t line = places[std::min(first->second.index(), places.size() - 1)].line;
        throw InputError(place, "duplicate host name " + shown(names_[i]) +
                                    (line == 0 ? "" : ", first on line " + std::to_string(line)));
    }
}

HostNames HostNames::parse_list(std::string_view text, const std::string& file, std::int32_t nodes) {
    std::vector<std::string> names;
    std::vector<SourcePlace> places;
    std::size_t count = 0;
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        if (words.size() != 1) throw InputError(place, "expected one host name, found " + shown(lines.text()));
        check_name(std::string(words[0]), place);
        if (++count > static_cast<std::size_t>(nodes)) continue;
        names.emplace_back(words[0]);
        places.push_back(place);
    }
    check_count(count, nodes, file);
    return {std::move(names), places};
}

HostNames HostNames::parse_pattern(const std::string& pattern, std::int32_t nodes) {
    const SourcePlace place{"§hosts", 0};
    if (pattern.find('%') != std::string::npos) return {numbered_names(pattern, nodes, place), {place}};
    std::vector<std::string> names = expand_host_list(pattern, nodes, place);
    check_count(names.size(), nodes, place.file);
    return {std::move(names), {place}};
}

HostNames HostNames::of(std::vector<std::string> names, std::int32_t nodes) {
    const SourcePlace place{"the list of host names", 0};
    for (const std::string& name : names) check_name(name, place);
    check_count(names.size(), nodes, place.file);
    return {std::move(names), {place}};
}

HostNames HostNames::read(const std::string& file_or_pattern, std::int32_t nodes) {
    if (file_or_pattern.find_first_of("[%") != std::string::npos) return parse_pattern(file_or_pattern, nodes);
    return parse_list(read_file(file_or_pattern, kLargestListBytes), file_or_pattern, nodes);
}

NodeId HostNames::node(std::string_view name) const {
    const auto found = node_of_name_.find(std::string(name));
    return found == node_of_name_.end() ? NodeId() : found->second;
}

}  // namespace haichi
