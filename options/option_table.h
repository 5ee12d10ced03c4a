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

/// Under which heading an option stands in a command's help.
enum class OptionGroup : std::uint8_t { kJob, kWorkload, kSearch, kSimulation, kOutput, kExpert, kGlobal };
std::string_view name_of(OptionGroup group);

/// What the words of an option are. Python's types, the service's schema and form, and the pages follow from it.
enum class ValueKind : std::uint8_t {
    kFlag,        ///< on when it is given
    kCounter,     ///< how often it is given
    kText,        ///< a word
    kTexts,       ///< several words, the option repeated
    kList,        ///< several words with commas between them
    kCount,       ///< a whole number
    kNumber,      ///< a decimal number
    kBytes,       ///< "64KiB"
    kTime,        ///< "10s"
    kSizes,       ///< "1x2x4"
    kFile,        ///< a file that is read
    kFiles,       ///< several of them, the option repeated
    kFileOrWord,  ///< a file that is read, or a word that names something else
    kOutputFile,
};
std::string_view name_of(ValueKind kind);

/// A value that no C++ struct takes: of commands that are written in Python.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// What is said of an option besides its name and its target.
struct OptionTraits {
    std::string description;  ///< a sentence's beginning, without its full stop
    std::string value{};      ///< stands for the value in help: "FILE"; empty: by the kind
    std::string otherwise{};  ///< the default in words; empty: the target's value, where it has one
    char letter = '\0';       ///< of the short form
    double least = 1;         ///< of numbers
    double most = std::numeric_limits<double>::max();
    std::vector<std::string> choices{};  ///< all possible values; empty: others are possible
    std::vector<std::string> needs{};    ///< options without which this one has no effect: one of them is enough
    std::vector<std::string> excludes{};
    std::string environment{};  ///< the variable that counts where the option is not given
    bool is_required = false;
    bool is_argument = false;  ///< given by its place; the name is in capitals
    bool takes_rest = false;   ///< an argument that takes all words from its first one on, options included
    bool is_local = false;     ///< for the user's own machine: the service does not offer it
};

/// One option: its description for help, pages and schemas, and where its value goes.
struct OptionRow {
    std::string name;  ///< "message-size"
    ValueKind kind = ValueKind::kText;
    OptionGroup group = OptionGroup::kJob;
    OptionTraits traits;
    std::function<void(const std::string& word)> read;  ///< takes one word; throws OptionError or InputError
    bool is_given = false;

    [[nodiscard]] bool has_value() const { return kind != ValueKind::kFlag && kind != ValueKind::kCounter; }
    [[nodiscard]] bool is_repeated() const { return kind == ValueKind::kTexts || kind == ValueKind::kFiles; }
    /// As messages have it: base/field_names.h.
    [[nodiscard]] std::string field() const;
    /// "-m, --machine", or the name of an argument.
    [[nodiscard]] std::string spelling() const;
};

/// What a command, or a function of the Python package, takes, in the order of its help. Each option is declared once,
/// with the place of its value: a number, a text, an optional one. The targets must outlive the table.
class OptionTable {
  public:
    /// The heading of the rows that are added next.
    void begin(OptionGroup group) { group_ = group; }

    void add_flag(std::string name, bool& is_given, OptionTraits traits);
    void add_counter(std::string name, int& count, OptionTraits traits);
    void add_text(std::string name, std::string& text, OptionTraits traits);
    void add_texts(std::string name, std::vector<std::string>& texts, OptionTraits traits);
    void add_file(std::string name, std::string& path, OptionTraits traits);
    void add_file_or_word(std::string name, std::string& text, OptionTraits traits);
    void add_output(std::string name, std::string& path, OptionTraits traits);
    void add_sizes(std::string name, std::vector<std::int32_t>& sizes, OptionTraits traits);
    /// Whole numbers from traits.least to traits.most and what the target holds.
    template <class Number>
    void add_count(std::string name, Number& number, OptionTraits traits);
    template <class Number>
    void add_bytes(std::string name, Number& bytes, OptionTraits traits);
    void add_number(std::string name, double& number, OptionTraits traits);
    /// Picoseconds.
    void add_time(std::string name, std::int64_t& time_ps, OptionTraits traits);
    /// A name of a table, whose rows hold the value in `member`.
    template <class Row, class Value>
    void add_choice(std::string name, Value& value, const Table<Row>& table, Value Row::*member, OptionTraits traits);
    /// Anything else: `read` makes something of the word, or throws OptionError.
    void add_read(std::string name, ValueKind kind, std::function<void(const std::string&)> read, OptionTraits traits);
    /// A value that is kept as it is read, with its default: for commands that are written in Python. `check` throws
    /// for words that are wrong though they are of the kind.
    void add_kept(std::string name, ValueKind kind, OptionTraits traits, OptionValue initial = {},
                  std::function<void(const std::string&)> check = {});

    [[nodiscard]] const std::deque<OptionRow>& rows() const { return rows_; }
    [[nodiscard]] const OptionRow* find(std::string_view name) const;
    [[nodiscard]] bool is_given(std::string_view name) const;
    /// Of add_kept(), by the order of rows.
    [[nodiscard]] const OptionValue& kept(std::size_t row) const { return kept_[row]; }

    /// Reads the words of an option; throws what is wrong with them.
    void take(std::string_view name, const std::vector<std::string>& words);
    /// Throws OptionError for options that are missing, that exclude each other, and that have no effect.
    void check() const;

  private:
    /// Throws OptionError for options that are given beside this one though it excludes them, or not though it needs
    /// them.
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
