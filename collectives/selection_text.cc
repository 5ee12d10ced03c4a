#include "collectives/selection_text.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/split.h"

namespace haichi::collectives {

namespace {

constexpr std::int64_t kMostMembers = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostRequests = 1'000'000;

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) return words;
        text.remove_prefix(begin);
        const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

void set_members(SelectionConditions& conditions, std::string_view text, const SourcePlace& place) {
    if (text == "=pow2") {
        conditions.power_of_two = true;
        return;
    }
    const bool inclusive = text.starts_with("<=");
    const std::int64_t count = parse_count(text.substr(inclusive ? 2 : 1), kMostMembers, place);
    if (text.starts_with('=')) conditions.least_members = count;
    conditions.most_members = text.starts_with('<') && !inclusive ? count - 1 : count;
}

void read_condition(SelectionLine& line, std::string_view word, const SourcePlace& place) {
    SelectionConditions& conditions = line.conditions;
    if (word.starts_with("members") && word.size() > 8 && (word[7] == '<' || word[7] == '=')) {
        set_members(conditions, word.substr(7), place);
    } else if (word == "ordered") {
        conditions.ordered = true;
    } else if (word == "commutes") {
        conditions.commutes = true;
    } else if (word == "user-defined") {
        conditions.user_defined = true;
    } else if (word == "items<pow2") {
        conditions.fewer_items = true;
    } else if (word == "equal-blocks") {
        conditions.equal_blocks = true;
    } else if (word == "by-total") {
        line.by_total = true;
    } else {
        const std::vector<std::string> known = {"members<N", "members<=N",   "members=N",  "members=pow2", "ordered",
                                                "commutes",  "user-defined", "items<pow2", "equal-blocks", "by-total"};
        throw InputError(place, "unknown condition " + shown(word), near_or_all(word, known, "conditions are "));
    }
}

void set_tuning(Tuning& tuning, std::string_view text, const SourcePlace& place) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    if (key == "segment") {
        tuning.segment_bytes = parse_bytes(value, place);
    } else if (key == "fanout") {
        tuning.fanout = static_cast<int>(parse_count(value, kMostMembers, place));
    } else if (key == "requests") {
        tuning.most_requests = static_cast<int>(parse_count(value, kMostRequests, place));
    } else {
        throw InputError(place, "unknown algorithm parameter " + shown(key),
                         "parameters are segment=SIZE, fanout=N, requests=N");
    }
}

/// Splits at commas outside parentheses.
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        } else {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        }
    }
    return parts;
}

}  // namespace

SelectionChoice read_choice(CollectiveKind collective, std::string_view text, const SourcePlace& place) {
    SelectionChoice choice;
    const std::size_t end = std::min(text.find_first_of("(:"), text.size());
    const std::string_view name = text.substr(0, end);
    choice.row = algorithms(collective).find(name);
    if (choice.row == nullptr) {
        throw InputError(place, "unknown algorithm " + shown(name) + " for " + std::string(name_of(collective)),
                         algorithms(collective).hint_for(name));
    }
    if (end == text.size()) return choice;
    if (text[end] == ':') {
        choice.tuning.segment_bytes = parse_bytes(text.substr(end + 1), place);
        return choice;
    }
    if (!text.ends_with(')')) throw InputError(place, "missing ')' after the parameters in " + shown(text));
    const std::string_view inside = text.substr(end + 1, text.size() - end - 2);
    for (const std::string_view part : split(inside, ',')) set_tuning(choice.tuning, part, place);
    return choice;
}

std::vector<SelectionChoice> read_choices(CollectiveKind collective, std::string_view text, const SourcePlace& place) {
    std::vector<SelectionChoice> choices;
    for (const std::string_view part : parts_of(text)) {
        const bool is_last = part.data() + part.size() == text.data() + text.size();
        const std::size_t colon = is_last ? std::string_view::npos : part.rfind(':');
        SelectionChoice choice = read_choice(collective, part.substr(0, colon), place);
        if (!is_last) {
            if (colon == std::string_view::npos) {
                throw InputError(place, "missing size in " + shown(part) + ": only the last algorithm has no size",
                                 "write, for example, allreduce=recursive-doubling:2KiB,ring");
            }
            choice.most_bytes = parse_bytes(part.substr(colon + 1), place);
            if (!choices.empty() && choice.most_bytes <= choices.back().most_bytes) {
                throw InputError(place, "sizes must ascend");
            }
        }
        choices.push_back(choice);
    }
    return choices;
}

SelectionLines read_selection_lines(std::string_view text, const std::string& file) {
    SelectionLines lines;
    std::size_t number = 0;
    for (const std::string_view whole : split(text, '\n')) {
        const SourcePlace place{file, ++number};
        const std::string_view line = whole.substr(0, whole.find('#'));
        if (words_of(line).empty()) continue;
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) {
            throw InputError(place, "missing ': ' in " + shown(line),
                             "write, for example, 'allreduce members<8: recursive-doubling<=2KiB ring'");
        }
        const std::vector<std::string_view> head = words_of(line.substr(0, colon));
        if (head.empty()) throw InputError(place, "missing operation at the start of the line");
        CollectiveKind collective{};
        try {
            collective = collective_named(head.front());
        } catch (const OptionError& error) {
            throw InputError(place, error.what(), error.hint());
        }
        SelectionLine result;
        for (std::size_t i = 1; i < head.size(); ++i) read_condition(result, head[i], place);
        const std::vector<std::string_view> choices = words_of(line.substr(colon + 1));
        if (choices.empty()) throw InputError(place, "missing algorithm after ':'");
        for (const std::string_view& word : choices) {
            const std::size_t less = word.find('<');
            const bool is_last = &word == &choices.back();
            if (is_last != (less == std::string_view::npos)) {
                throw InputError(place,
                                 shown(word) + (is_last ? ": the last algorithm cannot have a size"
                                                        : ": missing size; only the last algorithm has no size"));
            }
            SelectionChoice choice = read_choice(collective, word.substr(0, less), place);
            if (!is_last) {
                const bool inclusive = word.substr(less).starts_with("<=");
                choice.most_bytes = parse_bytes(word.substr(less + (inclusive ? 2 : 1)), place) - (inclusive ? 0 : 1);
                if (!result.choices.empty() && choice.most_bytes <= result.choices.back().most_bytes) {
                    throw InputError(place, shown(word) + ": sizes must ascend");
                }
            }
            result.choices.push_back(choice);
        }
        lines[static_cast<std::size_t>(collective)].push_back(std::move(result));
    }
    return lines;
}

}  // namespace haichi::collectives
