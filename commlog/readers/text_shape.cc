#include "commlog/readers/text_shape.h"

#include <algorithm>
#include <cctype>

#include "commlog/readers/text_rows.h"

namespace haichi {

TextShape shape_of(std::string_view prefix, bool is_all, const std::string& file) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    TextShape shape;
    std::string_view text = prefix;
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const auto first = text.find_first_not_of(" \t\r\n");
    shape.is_json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    shape.is_matrix_market = starts_as_matrix_market(text);
    if (shape.is_json || shape.is_matrix_market) return shape;

    TextStream stream(prefix, file);
    TextRows rows(&stream);
    rows.on_comment([&](std::string_view comment) {
        if (shape.rows.empty() && !ranks_in_comment(comment).empty()) shape.states_ranks = true;
    });
    bool more = rows.next_row();
    for (; more && shape.rows.size() < TextShape::kMostRows; more = rows.next_row()) {
        TextShape::Row row;
        for (; rows.next_field(); ++row.field_count) {
            if (row.field_count >= TextShape::kMostFields) continue;
            const bool is_number = is_decimal_number(rows.field());
            row.is_numbers = row.is_numbers && is_number;
            row.has_number = row.has_number || is_number;
            row.fields.emplace_back(rows.field());
        }
        shape.rows.push_back(std::move(row));
    }
    shape.has_all_rows = is_all && !more;
    // The last row may be cut off, so it is used only if it is long.
    if (!is_all && !more && !shape.rows.empty() && shape.rows.back().field_count <= TextShape::kMostFields) {
        shape.rows.pop_back();
    }
    if (!shape.states_ranks) shape.metis = metis_evidence(text, is_all);
    return shape;
}

bool starts_as_matrix_market(std::string_view text) {
    constexpr std::string_view kBanner = "%%matrixmarket";
    return std::ranges::equal(text.substr(0, kBanner.size()), kBanner,
                              [](unsigned char a, char b) { return std::tolower(a) == b; });
}

NarrowRows read_narrow_rows(const TextShape& shape) {
    const std::size_t size = shape.rows.front().field_count;
    if (shape.states_ranks || !shape.has_all_rows || shape.rows.size() != size) return NarrowRows::kEdgeList;
    bool zero_diagonal = true;
    for (std::size_t i = 0; i < size; ++i) {
        const TextShape::Row& row = shape.rows[i];
        if (row.field_count != size || !row.is_numbers) return NarrowRows::kEdgeList;
        zero_diagonal = zero_diagonal && is_zero(row.fields[i]);
    }
    return zero_diagonal ? NarrowRows::kDenseMatrix : NarrowRows::kEither;
}

std::string_view ranks_in_comment(std::string_view comment) {
    constexpr std::string_view kBlanks = " \t\r";
    constexpr std::string_view kName = "ranks";
    comment.remove_prefix(std::min(comment.find_first_not_of(kBlanks), comment.size()));
    if (!comment.starts_with(kName)) return {};
    comment.remove_prefix(kName.size());
    const auto first = comment.find_first_not_of(" \t:=");
    if (first == 0 || first == std::string_view::npos) return {};
    comment.remove_prefix(first);
    comment = comment.substr(0, comment.find_last_not_of(kBlanks) + 1);
    return is_decimal_number(comment) ? comment : std::string_view{};
}

}  // namespace haichi
