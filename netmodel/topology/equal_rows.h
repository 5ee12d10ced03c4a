#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace haichi {

/// Numbers for `count` rows, which are ranges. Equal rows have equal numbers, below `count`. `projection` selects the
/// part of an entry that counts. O(entries * log(count)).
///
/// A search that has followed the row of a vertex finds nothing new in an equal row. This saves most of the work in a
/// network where every switch of a level is connected to every switch of the next level.
template <class RowOf, class Projection = std::identity>
std::vector<std::uint32_t> equal_rows(std::size_t count, const RowOf& row_of, const Projection& projection = {}) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
        const auto row = row_of(std::size_t{a});
        const auto other = row_of(std::size_t{b});
        if (row.size() != other.size()) return row.size() < other.size();
        return std::lexicographical_compare(
            row.begin(), row.end(), other.begin(), other.end(),
            [&](const auto& x, const auto& y) { return std::invoke(projection, x) < std::invoke(projection, y); });
    };
    std::ranges::sort(order, is_before);
    std::vector<std::uint32_t> numbers(count);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && is_before(order[i - 1], order[i])) ++number;
        numbers[order[i]] = number;
    }
    return numbers;
}

}  // namespace haichi
