#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// A row of a table is a plain struct: the name that a user types and one sentence about it, then what the room needs
/// of it: its functions and traits.
template <class Row>
concept NamedRow = requires(const Row& row) {
    { row.name } -> std::convertible_to<std::string_view>;
    { row.sentence } -> std::convertible_to<std::string_view>;
};

/// What the rows of a table are called in messages: one and several of them.
struct RowWords {
    std::string one;   ///< "rank-map format": an unknown name is "unknown rank-map format 'x'"
    std::string many;  ///< "formats": the hint is "formats are a, b"
};

/// All things of one kind that a user can name, in the order in which they are listed. A room offers its table as a
/// function that returns a reference to a local constant; nothing registers itself. Help texts, `haichi list`, Python
/// and the contract tests loop over it; no one else compares names.
template <NamedRow Row>
class Table {
  public:
    /// Throws InternalError when two rows have the same name.
    Table(RowWords words, std::vector<Row> rows) : words_(std::move(words)), rows_(std::move(rows)) {
        for (const Row& row : rows_) {
            if (find(row.name) != &row) throw InternalError("two rows are " + words_.one + " " + shown(row.name));
        }
    }

    [[nodiscard]] auto begin() const { return rows_.begin(); }
    [[nodiscard]] auto end() const { return rows_.end(); }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] const Row& operator[](std::size_t i) const { return rows_[i]; }

    /// Null when there is no such row.
    [[nodiscard]] const Row* find(std::string_view name) const {
        const auto found = std::ranges::find_if(rows_, [&](const Row& row) { return row.name == name; });
        return found == rows_.end() ? nullptr : &*found;
    }
    /// Throws OptionError with hint_for() when there is no such row.
    [[nodiscard]] const Row& at(std::string_view name) const {
        const Row* row = find(name);
        if (row == nullptr) throw OptionError("unknown " + words_.one + " " + shown(name), hint_for(name));
        return *row;
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const Row& row : rows_) names.emplace_back(row.name);
        return names;
    }
    /// "a, b, c"
    [[nodiscard]] std::string listing() const { return joined(names()); }
    /// For errors about a name that is not in the table: "did you mean 'a'?", or "formats are a, b, c".
    [[nodiscard]] std::string hint_for(std::string_view name) const {
        return near_or_all(name, names(), words_.many + " are ");
    }

  private:
    RowWords words_;
    std::vector<Row> rows_;
};

}  // namespace haichi
