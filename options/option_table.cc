#include "options/option_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/field_names.h"
#include "base/quantity.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

struct KindWords {
    std::string_view name;
    std::string_view value;  ///< placeholder of the value in the help
};

const KindWords& words_of(ValueKind kind) {
    static constexpr std::array<KindWords, 14> kWords = {{{"flag", ""},
                                                          {"counter", ""},
                                                          {"text", "NAME"},
                                                          {"texts", "NAME"},
                                                          {"list", "A,B,..."},
                                                          {"count", "N"},
                                                          {"number", "X"},
                                                          {"bytes", "BYTES"},
                                                          {"time", "TIME"},
                                                          {"sizes", "AxBx..."},
                                                          {"file", "FILE"},
                                                          {"files", "FILE"},
                                                          {"file or word", "FILE|NAME"},
                                                          {"output file", "FILE"}}};
    return kWords.at(static_cast<std::size_t>(kind));
}

std::string number_words(double number) {
    constexpr double kMostDigits = 1e15;
    if (std::abs(number) < kMostDigits && number == std::floor(number)) return std::to_string(std::llround(number));
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

/// Throws OptionError for a number outside the limits of the option.
void check_limits(const OptionRow& row, double number, const std::string& word) {
    const OptionTraits& traits = row.traits;
    if (number < traits.least) {
        throw OptionError(row.field() + ": " + shown(word) + " is too small (at least " + number_words(traits.least) +
                          ")");
    }
    if (number > traits.most) {
        throw OptionError(row.field() + ": " + shown(word) + " is too large (at most " + number_words(traits.most) +
                          ")");
    }
}

double read_number(const OptionRow& row, const std::string& word) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(number)) {
        throw OptionError(row.field() + ": expected a number, found " + shown(word));
    }
    check_limits(row, number, word);
    return number;
}

std::int64_t read_time(const OptionRow& row, const std::string& word) {
    constexpr double kPsPerS = 1e12;
    const std::int64_t time_ps = parse_time_ps(word, {row.field(), 0});
    const double seconds = static_cast<double>(time_ps) / kPsPerS;
    if (seconds < row.traits.least) throw OptionError(row.field() + ": " + shown(word) + " is too short");
    check_limits(row, seconds, word);
    return time_ps;
}

/// Splits a text at its commas. A comma in brackets does not separate words.
std::vector<std::string> listed_words(const std::string& text) {
    std::vector<std::string> words(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            words.emplace_back();
        else if (c != ' ' || !words.back().empty())
            words.back() += c;
    }
    return words;
}

/// Throws OptionError if the option has choices and the word is not one of them.
void check_choice(const OptionRow& row, const std::string& word) {
    const std::vector<std::string>& choices = row.traits.choices;
    if (choices.empty() || std::ranges::find(choices, word) != choices.end()) return;
    throw OptionError(row.field() + ": unknown value " + shown(word),
                      near_or_all(word, choices, "possible values are "));
}

}  // namespace

std::string_view name_of(OptionGroup group) {
    static constexpr std::array<std::string_view, 8> kNames = {"Server",     "Job",    "Workload", "Search",
                                                               "Simulation", "Output", "Expert",   "Global"};
    return kNames.at(static_cast<std::size_t>(group));
}

std::string_view name_of(ValueKind kind) { return words_of(kind).name; }

std::string OptionRow::field() const { return traits.is_argument ? name : haichi::field(name); }

std::string OptionRow::spelling() const {
    if (traits.is_argument) return name;
    const std::string letter = traits.letter == '\0' ? "" : std::string("-") + traits.letter + ", ";
    return letter + "--" + name;
}

void detail::limit_count(OptionTraits& traits, std::int64_t most_of_type) {
    traits.most = std::min(traits.most, static_cast<double>(most_of_type));
}

void detail::say_default(OptionTraits& traits, const std::string& text) {
    if (traits.otherwise.empty() && !traits.is_required) traits.otherwise = text;
}

OptionRow& OptionTable::add(std::string name, ValueKind kind, OptionTraits traits) {
    if (find(name) != nullptr) throw InternalError("two options are called " + name);
    if (traits.value.empty()) traits.value = words_of(kind).value;
    rows_.push_back({std::move(name), kind, group_, std::move(traits), {}});
    kept_.emplace_back();
    return rows_.back();
}

void OptionTable::add_flag(std::string name, bool& is_given, OptionTraits traits) {
    add(std::move(name), ValueKind::kFlag, std::move(traits)).read = [&is_given](const std::string&) {
        is_given = true;
    };
}

void OptionTable::add_counter(std::string name, int& count, OptionTraits traits) {
    add(std::move(name), ValueKind::kCounter, std::move(traits)).read = [&count](const std::string&) { ++count; };
}

void OptionTable::add_text(std::string name, std::string& text, OptionTraits traits) {
    detail::say_default(traits, text);
    add_read(
        std::move(name), ValueKind::kText, [&text](const std::string& word) { text = word; }, std::move(traits));
}

void OptionTable::add_texts(std::string name, std::vector<std::string>& texts, OptionTraits traits) {
    add_read(
        std::move(name), ValueKind::kTexts, [&texts](const std::string& word) { texts.push_back(word); },
        std::move(traits));
}

void OptionTable::add_file(std::string name, std::string& path, OptionTraits traits) {
    add_read(
        std::move(name), ValueKind::kFile, [&path](const std::string& word) { path = word; }, std::move(traits));
}

void OptionTable::add_file_or_word(std::string name, std::string& text, OptionTraits traits) {
    detail::say_default(traits, text);
    add_read(
        std::move(name), ValueKind::kFileOrWord, [&text](const std::string& word) { text = word; }, std::move(traits));
}

void OptionTable::add_output(std::string name, std::string& path, OptionTraits traits) {
    add_read(
        std::move(name), ValueKind::kOutputFile, [&path](const std::string& word) { path = word; }, std::move(traits));
}

void OptionTable::add_sizes(std::string name, std::vector<std::int32_t>& sizes, OptionTraits traits) {
    OptionRow& row = add(std::move(name), ValueKind::kSizes, std::move(traits));
    row.read = [&row, &sizes](const std::string& word) { sizes = parse_sizes(word, row.field()); };
}

void OptionTable::add_number(std::string name, double& number, OptionTraits traits) {
    detail::say_default(traits, number == 0 ? "" : number_words(number));
    OptionRow& row = add(std::move(name), ValueKind::kNumber, std::move(traits));
    row.read = [&row, &number](const std::string& word) { number = read_number(row, word); };
}

void OptionTable::add_time(std::string name, std::int64_t& time_ps, OptionTraits traits) {
    OptionRow& row = add(std::move(name), ValueKind::kTime, std::move(traits));
    row.read = [&row, &time_ps](const std::string& word) { time_ps = read_time(row, word); };
}

void OptionTable::add_read(std::string name, ValueKind kind, std::function<void(const std::string&)> read,
                           OptionTraits traits) {
    OptionRow& row = add(std::move(name), kind, std::move(traits));
    row.read = [&row, read = std::move(read)](const std::string& word) {
        check_choice(row, word);
        read(word);
    };
}

void OptionTable::add_kept(std::string name, ValueKind kind, OptionTraits traits, OptionValue initial,
                           std::function<void(const std::string&)> check) {
    OptionRow& row = add(std::move(name), kind, std::move(traits));
    OptionValue& value = kept_.back();
    value = std::move(initial);
    row.read = [this, &row, &value, check = std::move(check)](const std::string& word) {
        constexpr double kPsPerS = 1e12;
        check_choice(row, word);
        if (check) check(word);
        switch (row.kind) {
            case ValueKind::kFlag:
                value = true;
                break;
            case ValueKind::kCounter:
                value = (std::holds_alternative<std::int64_t>(value) ? std::get<std::int64_t>(value) : 0) + 1;
                break;
            case ValueKind::kCount:
                value = read_count(row, word);
                break;
            case ValueKind::kBytes:
                value = read_bytes(row, word);
                break;
            case ValueKind::kNumber:
                value = read_number(row, word);
                break;
            case ValueKind::kTime:
                value = static_cast<double>(read_time(row, word)) / kPsPerS;
                break;
            case ValueKind::kTexts:
            case ValueKind::kFiles:
                if (!row.is_given) value = std::vector<std::string>{};
                row.is_given = true;
                std::get<std::vector<std::string>>(value).push_back(word);
                break;
            case ValueKind::kList:
                value = listed_words(word);
                break;
            default:
                value = word;
        }
    };
}

const OptionRow* OptionTable::find(std::string_view name) const {
    const auto found = std::ranges::find(rows_, name, &OptionRow::name);
    return found == rows_.end() ? nullptr : &*found;
}

bool OptionTable::is_given(std::string_view name) const {
    const OptionRow* const row = find(name);
    return row != nullptr && row->is_given;
}

void OptionTable::take(std::string_view name, const std::vector<std::string>& words) {
    const auto row = std::ranges::find(rows_, name, &OptionRow::name);
    if (row == rows_.end()) throw InternalError("no option is called " + std::string(name));
    if (words.size() > 1 && row->has_value() && !row->is_repeated()) {
        throw OptionError(row->field() + " takes one value and is given once");
    }
    for (const std::string& word : words) {
        if (word.empty() && row->has_value()) throw OptionError(row->field() + ": the value is empty");
        row->read(word);
    }
    row->is_given = row->is_given || !words.empty();
}

void OptionTable::check() const {
    for (const OptionRow& row : rows_) {
        if (row.is_given) check_company(row);
    }
    for (const OptionRow& row : rows_) {
        if (row.is_given || !row.traits.is_required) continue;
        if (std::ranges::any_of(row.traits.required_unless, [&](const auto& other) { return is_given(other); }))
            continue;
        throw OptionError(row.field() + " is missing", "see the examples in §help");
    }
}

void OptionTable::check_company(const OptionRow& row) const {
    for (const std::string& other : row.traits.excludes) {
        if (is_given(other)) throw OptionError(row.field() + " cannot be combined with " + field(other));
    }
    const std::vector<std::string>& needs = row.traits.needs;
    if (needs.empty() || std::ranges::any_of(needs, [&](const auto& name) { return is_given(name); })) return;
    std::string needed;
    for (const std::string& name : needs) needed += (needed.empty() ? "" : " or ") + field(name);
    throw OptionError(row.field() + " requires " + needed);
}

std::int64_t OptionTable::read_count(const OptionRow& row, const std::string& word) const {
    const std::int64_t count = parse_count(word, std::numeric_limits<std::int64_t>::max(), {row.field(), 0});
    check_limits(row, static_cast<double>(count), word);
    return count;
}

std::int64_t OptionTable::read_bytes(const OptionRow& row, const std::string& word) const {
    const bool is_plain = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    const SourcePlace place{row.field(), 0};
    const std::int64_t bytes =
        is_plain ? parse_count(word, std::numeric_limits<std::int64_t>::max(), place) : parse_bytes(word, place);
    check_limits(row, static_cast<double>(bytes), word);
    return bytes;
}

}  // namespace haichi
