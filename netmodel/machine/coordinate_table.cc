// table_fold: a fold that was recorded on the real machine.

#include <algorithm>
#include <map>

#include "base/quantity.h"
#include "netmodel/machine/fold.h"
#include "netmodel/machine/text_lines.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

constexpr std::string_view kSeparators = " \t\r,()";

std::string text_of(const Coordinates& at) {
    std::string text;
    for (const std::int32_t c : at) {
        text += text.empty() ? '(' : ',';
        text += std::to_string(c);
    }
    return text + ')';
}

struct Row {
    Coordinates logical;
    NodeId node;
};

/// Returns the logical sizes: the largest coordinates + 1. The box has no hole if it has as many cells as nodes, and no
/// cell occurs twice.
std::vector<std::int32_t> logical_box(const std::vector<Row>& rows, const SourcePlace& end) {
    std::vector<std::int32_t> sizes(rows.front().logical.size(), 1);
    for (const Row& row : rows) {
        for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = std::max(sizes[k], row.logical[k] + 1);
    }
    std::int64_t cells = 1;
    for (const std::int32_t size : sizes) {
        cells = std::min(cells * size, kMostVertices + 1);
    }
    if (cells != static_cast<std::int64_t>(rows.size())) {
        throw InputError(end, "the logical box " + sizes_text(sizes) + " has holes: the table fills only " +
                                  std::to_string(rows.size()) + " of its cells");
    }
    return sizes;
}

}  // namespace

Fold table_fold(std::string_view text, const std::string& file, std::int32_t nodes, std::size_t coordinate_count,
                const std::function<NodeId(const Coordinates&)>& node_at) {
    std::vector<Row> rows;
    std::vector<std::size_t> line_of_node(static_cast<std::size_t>(nodes));
    std::map<Coordinates, std::size_t> line_of_logical;
    SourcePlace place{file, 0};
    for (TextLines lines(text, file); lines.next();) {
        place.line = lines.number();
        std::vector<std::string_view> words = lines.words(kSeparators);
        std::erase(words, "->");
        if (words.empty()) continue;
        if (words.size() <= coordinate_count || words.size() > coordinate_count + 3 ||
            (!rows.empty() && words.size() != rows.front().logical.size() + coordinate_count)) {
            const std::string expected = rows.empty() ? "1 to 3" : std::to_string(rows.front().logical.size());
            throw InputError(place, "expected " + expected + " logical coordinates and " +
                                        std::to_string(coordinate_count) + " machine coordinates, found " +
                                        std::to_string(words.size()) +
                                        (words.size() == 1 ? " column: " : " columns: ") + shown(lines.text()));
        }
        Row row;
        Coordinates at;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto coordinate = static_cast<std::int32_t>(parse_count(words[i], kMostVertices, place));
            const bool is_logical = i < words.size() - coordinate_count;
            (is_logical ? row.logical : at).push_back(coordinate);
        }
        if (const auto [first, is_new] = line_of_logical.try_emplace(row.logical, place.line); !is_new) {
            throw InputError(place, "duplicate logical coordinates " + text_of(row.logical) + " on lines " +
                                        std::to_string(first->second) + " and " + std::to_string(place.line));
        }
        row.node = node_at(at);
        if (!row.node.valid()) throw InputError(place, "the job has no node at " + text_of(at));
        std::size_t& first = line_of_node[row.node.index()];
        if (first != 0) {
            throw InputError(place, "duplicate node " + text_of(at) + " on lines " + std::to_string(first) + " and " +
                                        std::to_string(place.line));
        }
        first = place.line;
        rows.push_back(std::move(row));
    }
    if (static_cast<std::int32_t>(rows.size()) != nodes) {
        const auto missing = std::ranges::find(line_of_node, std::size_t{0}) - line_of_node.begin();
        throw InputError(place, "the table has " + std::to_string(rows.size()) + " of the job's " +
                                    std::to_string(nodes) + " nodes; the first missing node is number " +
                                    std::to_string(missing));
    }

    Fold fold;
    fold.name = file;
    fold.is_coordinate_table = true;
    fold.logical_sizes = logical_box(rows, place);
    fold.node_of_cell.resize(rows.size());
    fold.cell_of_node.resize(rows.size());
    for (const Row& row : rows) {
        std::int32_t cell = 0;
        for (std::size_t k = row.logical.size(); k-- > 0;) cell = cell * fold.logical_sizes[k] + row.logical[k];
        fold.node_of_cell[static_cast<std::size_t>(cell)] = row.node;
        fold.cell_of_node[row.node.index()] = cell;
    }
    fold.node_of_position = fold.node_of_cell;
    fold.position_of_node = fold.cell_of_node;
    return fold;
}

}  // namespace haichi
