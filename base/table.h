#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace haichi {

/// An entry of a table is a plain struct. It has the name that a user types, a description, and the functions and
/// traits that the module needs.
template <class Row>
concept NamedRow = requires(const Row& row) {
    { row.name } -> std::convertible_to<std::string_view>;
    { row.sentence } -> std::convertible_to<std::string_view>;
};

/// The words for one and for several entries of a table, for messages.
struct RowWords {
    std::string one;   ///< "rank-map format" gives the message "unknown rank-map format 'x'"
    std::string many;  ///< "formats" gives the hint "formats are a, b"
};

// Messages of a Table. They do not depend on the type of its entries, so they are compiled once.
[[noreturn]] void refuse_second(const RowWords& words, std::string_view name);
[[noreturn]] void refuse_unknown(const RowWords& words, std::string_view name, const std::vector<std::string>& names);
std::string hint_for_unknown(const RowWords& words, std::string_view name, const std::vector<std::string>& names);
std::string joined_names(const std::vector<std::string>& names);

/// All things of one kind that a user can name, in the order of listings. A module provides its table as a function
/// that returns a reference to a local constant; nothing registers itself. Help texts, `haichi list`, Python and the
/// contract tests iterate over the table, and no other code compares names.
template <NamedRow Row>
class Table {
  public:
    /// Throws InternalError if two entries have the same name.
    Table(RowWords words, std::vector<Row> rows) : words_(std::move(words)), rows_(std::move(rows)) {
        for (const Row& row : rows_) {
            if (find(row.name) != &row) refuse_second(words_, row.name);
        }
    }

    [[nodiscard]] auto begin() const { return rows_.begin(); }
    [[nodiscard]] auto end() const { return rows_.end(); }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] const Row& operator[](std::size_t i) const { return rows_[i]; }

    /// The entry, or null for an unknown name.
    [[nodiscard]] const Row* find(std::string_view name) const {
        const auto found = std::ranges::find_if(rows_, [&](const Row& row) { return row.name == name; });
        return found == rows_.end() ? nullptr : &*found;
    }
    /// The entry. Throws OptionError with hint_for() for an unknown name.
    [[nodiscard]] const Row& at(std::string_view name) const {
        const Row* row = find(name);
        if (row == nullptr) refuse_unknown(words_, name, names());
        return *row;
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const Row& row : rows_) names.emplace_back(row.name);
        return names;
    }
    /// All names as "a, b, c".
    [[nodiscard]] std::string listing() const { return joined_names(names()); }
    /// A hint for an unknown name: "did you mean 'a'?", or "formats are a, b, c".
    [[nodiscard]] std::string hint_for(std::string_view name) const { return hint_for_unknown(words_, name, names()); }

  private:
    RowWords words_;
    std::vector<Row> rows_;
};

}  // namespace haichi
