#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/table.h"

namespace haichi {

/// The heading under which the help lists an option.
enum class OptionGroup : std::uint8_t { kServer, kJob, kWorkload, kSearch, kSimulation, kOutput, kExpert, kGlobal };
std::string_view name_of(OptionGroup group);

/// The kind of an option's value. The types in Python, the schema and form of the service, and the pages derive from
/// the kind.
enum class ValueKind : std::uint8_t {
    kFlag,        ///< on if the option is given
    kCounter,     ///< number of times that the option is given
    kText,        ///< a word
    kTexts,       ///< several words, for which the option is repeated
    kList,        ///< several words, separated by commas
    kCount,       ///< a whole number
    kNumber,      ///< a decimal number
    kBytes,       ///< a size, such as "64KiB"
    kTime,        ///< a time, such as "10s"
    kSizes,       ///< sizes, such as "1x2x4"
    kFile,        ///< an input file
    kFiles,       ///< several input files, for which the option is repeated
    kFileOrWord,  ///< an input file, or another name
    kOutputFile,
};
std::string_view name_of(ValueKind kind);

/// The value of an option that has no C++ variable as its target. Commands that are written in Python use such values.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// The properties of an option, except its name and its target.
struct OptionTraits {
    std::string description;  ///< begins with a verb or a noun, and has no full stop at the end
    std::string value{};      ///< placeholder in the help, such as "FILE"; if empty, the kind determines it
    std::string otherwise{};  ///< the default in words; if empty, the value of the target
    char letter = '\0';       ///< letter of the short form
    double least = 1;         ///< smallest allowed number
    double most = std::numeric_limits<double>::max();
    std::vector<std::string> choices{};  ///< all possible values; if empty, the values are not restricted
    std::vector<std::string> needs{};    ///< options of which one must be given for this one to have an effect
    std::vector<std::string> excludes{};
    std::string environment{};                ///< environment variable that is read if the option is not given
    std::vector<std::string> former_names{};  ///< former names, which are refused with a hint to the present name
    bool is_required = false;
    std::vector<std::string> required_unless{};  ///< for a required option: options that can replace it
    bool is_argument = false;                    ///< a positional argument, whose name is in capitals
    bool takes_rest = false;                     ///< takes all words after its first one, including options
    bool is_local = false;                       ///< for local use only; the service does not offer the option
};

/// One option: its description for help, pages and schemas, and the target of its value.
struct OptionRow {
    std::string name;  ///< such as "message-size"
    ValueKind kind = ValueKind::kText;
    OptionGroup group = OptionGroup::kJob;
    OptionTraits traits;
    std::function<void(const std::string& word)> read;  ///< takes one word; throws OptionError or InputError
    bool is_given = false;

    [[nodiscard]] bool has_value() const { return kind != ValueKind::kFlag && kind != ValueKind::kCounter; }
    [[nodiscard]] bool is_repeated() const { return kind == ValueKind::kTexts || kind == ValueKind::kFiles; }
    /// The name of the option in messages (see base/field_names.h).
    [[nodiscard]] std::string field() const;
    /// The spelling in the help, such as "-m, --machine", or the name of an argument.
    [[nodiscard]] std::string spelling() const;
};

/// The options of a command, or of a function in the Python package, in the order of its help. Each option is declared
/// once, together with the target of its value. A target is a number, a text, or an optional number or text. The
/// targets must outlive the table.
class OptionTable {
  public:
    /// Sets the heading for the options that are added after this call.
    void begin(OptionGroup group) { group_ = group; }

    void add_flag(std::string name, bool& is_given, OptionTraits traits);
    void add_counter(std::string name, int& count, OptionTraits traits);
    void add_text(std::string name, std::string& text, OptionTraits traits);
    void add_texts(std::string name, std::vector<std::string>& texts, OptionTraits traits);
    void add_file(std::string name, std::string& path, OptionTraits traits);
    void add_file_or_word(std::string name, std::string& text, OptionTraits traits);
    void add_output(std::string name, std::string& path, OptionTraits traits);
    void add_sizes(std::string name, std::vector<std::int32_t>& sizes, OptionTraits traits);
    /// Adds an integer option. Values are from traits.least to traits.most, and must fit the type of the target.
    template <class Number>
    void add_count(std::string name, Number& number, OptionTraits traits);
    template <class Number>
    void add_bytes(std::string name, Number& bytes, OptionTraits traits);
    void add_number(std::string name, double& number, OptionTraits traits);
    /// Adds a time, which is stored in picoseconds.
    void add_time(std::string name, std::int64_t& time_ps, OptionTraits traits);
    /// Adds a name from a table. The value is the `member` of the chosen table entry.
    template <class Row, class Value>
    void add_choice(std::string name, Value& value, const Table<Row>& table, Value Row::*member, OptionTraits traits);
    /// Adds any other kind of value. `read` stores the word, or throws OptionError.
    void add_read(std::string name, ValueKind kind, std::function<void(const std::string&)> read, OptionTraits traits);
    /// Adds an option whose table keeps the value and its default. Commands that are written in Python use it. `check`
    /// throws an error for a word that has the right kind but is invalid.
    void add_kept(std::string name, ValueKind kind, OptionTraits traits, OptionValue initial = {},
                  std::function<void(const std::string&)> check = {});

    [[nodiscard]] const std::deque<OptionRow>& rows() const { return rows_; }
    [[nodiscard]] const OptionRow* find(std::string_view name) const;
    [[nodiscard]] bool is_given(std::string_view name) const;
    /// The value of an option that add_kept() has added. `row` is the index of the option in rows().
    [[nodiscard]] const OptionValue& kept(std::size_t row) const { return kept_[row]; }

    /// Stores the words of an option. Throws OptionError or InputError for invalid words.
    void take(std::string_view name, const std::vector<std::string>& words);
    /// Throws OptionError for options that are missing, that exclude each other, or that have no effect.
    void check() const;

  private:
    /// Throws OptionError if an option in `excludes` of `row` is given, or if none of the options in `needs` is given.
    void check_company(const OptionRow& row) const;
    OptionRow& add(std::string name, ValueKind kind, OptionTraits traits);
    std::int64_t read_count(const OptionRow& row, const std::string& word) const;
    std::int64_t read_bytes(const OptionRow& row, const std::string& word) const;

    std::deque<OptionRow> rows_;
    std::deque<OptionValue> kept_;
    OptionGroup group_ = OptionGroup::kJob;
};

namespace detail {

template <class Number>
struct HeldNumber {
    using Type = Number;
};
template <class Number>
struct HeldNumber<std::optional<Number>> {
    using Type = Number;
};

void limit_count(OptionTraits& traits, std::int64_t most_of_type);
void say_default(OptionTraits& traits, const std::string& text);
template <class Number>
std::string number_text(const Number& number) {
    return number == Number{} ? "" : std::to_string(number);
}
template <class Number>
std::string number_text(const std::optional<Number>& number) {
    return number ? std::to_string(*number) : "";
}

}  // namespace detail

template <class Number>
void OptionTable::add_count(std::string name, Number& number, OptionTraits traits) {
    using Held = typename detail::HeldNumber<Number>::Type;
    constexpr std::uint64_t kMost = std::numeric_limits<Held>::max();
    constexpr std::uint64_t kMostSigned = std::numeric_limits<std::int64_t>::max();
    detail::limit_count(traits, static_cast<std::int64_t>(kMost < kMostSigned ? kMost : kMostSigned));
    detail::say_default(traits, detail::number_text(number));
    OptionRow& row = add(std::move(name), ValueKind::kCount, std::move(traits));
    row.read = [this, &row, &number](const std::string& word) { number = static_cast<Held>(read_count(row, word)); };
}

template <class Number>
void OptionTable::add_bytes(std::string name, Number& bytes, OptionTraits traits) {
    using Held = typename detail::HeldNumber<Number>::Type;
    detail::limit_count(traits, std::int64_t{1} << 48);
    OptionRow& row = add(std::move(name), ValueKind::kBytes, std::move(traits));
    row.read = [this, &row, &bytes](const std::string& word) { bytes = static_cast<Held>(read_bytes(row, word)); };
}

template <class Row, class Value>
void OptionTable::add_choice(std::string name, Value& value, const Table<Row>& table, Value Row::*member,
                             OptionTraits traits) {
    for (const Row& row : table) {
        traits.choices.emplace_back(row.name);
        if (row.*member == value) detail::say_default(traits, std::string(row.name));
    }
    add_read(
        std::move(name), ValueKind::kText,
        [&value, &table, member](const std::string& word) { value = table.at(word).*member; }, std::move(traits));
}

}  // namespace haichi
