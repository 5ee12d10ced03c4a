#include "commlog/readers/text_shape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "commlog/readers/formats.h"
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
    // The last row may be truncated, so it is used only if it has more fields than are stored.
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

std::optional<NumberedLabel> numbered_label(std::string_view label) {
    constexpr auto kStems = std::to_array<std::string_view>(
        {"", "r", "rank", "rank_", "p", "proc", "proc_", "process", "process_", "task", "task_", "pe", "v", "x"});
    NumberedLabel result;
    result.stem = label;
    std::erase(result.stem, '"');
    std::ranges::transform(result.stem, result.stem.begin(), [](unsigned char c) { return std::tolower(c); });
    if (result.stem.ends_with(".0")) result.stem.resize(result.stem.size() - 2);
    const std::size_t digits = result.stem.find_last_not_of("0123456789") + 1;
    const char* const end = result.stem.data() + result.stem.size();
    const auto [at, error] = std::from_chars(result.stem.data() + digits, end, result.number);
    if (error != std::errc() || at != end) return std::nullopt;
    result.stem.resize(digits);
    if (std::ranges::find(kStems, result.stem) == kStems.end()) return std::nullopt;
    return result;
}

namespace {

bool is_text(const TextShape::Row& row, std::size_t field) {
    return field < row.fields.size() && !is_decimal_number(row.fields[field]);
}

/// Returns true if the labels are consecutive numbers of ranks, from 0 or 1.
bool are_consecutive(const std::vector<std::string>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto label = numbered_label(labels[i]);
        const auto first = numbered_label(labels.front());
        if (!label || label->stem != first->stem || first->number > 1) return false;
        if (label->number != first->number + static_cast<std::int64_t>(i)) return false;
    }
    return true;
}

std::vector<std::string> first_fields(const TextShape& shape, bool has_header) {
    std::vector<std::string> labels;
    for (std::size_t r = has_header ? 1 : 0; r < shape.rows.size(); ++r) labels.push_back(shape.rows[r].fields.front());
    return labels;
}

}  // namespace

namespace {

/// Returns true if the rows after the labels form a whole square matrix with zeros on its diagonal.
bool has_zero_diagonal(const TextShape& shape, const MatrixLabels& labels) {
    const std::size_t first_row = labels.has_header ? 1 : 0;
    const std::size_t first_field = labels.has_column ? 1 : 0;
    const std::size_t size = shape.rows.back().field_count - first_field;
    if (!shape.has_all_rows || size < 2 || shape.rows.size() != size + first_row) return false;
    for (std::size_t i = 0; i < size; ++i) {
        const TextShape::Row& row = shape.rows[i + first_row];
        if (row.field_count != size + first_field || !is_zero(row.fields[i + first_field])) return false;
    }
    return true;
}

/// Returns labels that are numbers and therefore look like a row or column of the matrix.
std::optional<MatrixLabels> numeric_labels(const TextShape& shape) {
    const std::size_t count = shape.rows[0].field_count;
    const bool has_numbered_header = are_consecutive(shape.rows[0].fields);
    if (shape.rows[1].field_count == count + 1) {
        if (count < 2 || !has_numbered_header || !are_consecutive(first_fields(shape, true))) return std::nullopt;
        return MatrixLabels{true, true, true};
    }
    for (const MatrixLabels labels : {MatrixLabels{true, false, false}, MatrixLabels{false, true, false}}) {
        const bool are_labels = labels.has_header ? has_numbered_header : are_consecutive(first_fields(shape, false));
        if (are_labels && has_zero_diagonal(shape, labels)) return labels;
    }
    return std::nullopt;
}

}  // namespace

std::optional<MatrixLabels> matrix_labels(const TextShape& shape) {
    if (shape.states_ranks || shape.rows.size() < 2) return std::nullopt;
    const TextShape::Row& first = shape.rows[0];
    const TextShape::Row& second = shape.rows[1];
    if (first.is_numbers && second.is_numbers) return numeric_labels(shape);
    const bool is_longer = second.field_count == first.field_count + 1;
    const bool has_corner = first.fields.front().empty();
    bool has_text_after_first = false;
    for (std::size_t i = 1; i < first.fields.size(); ++i) has_text_after_first |= is_text(first, i);
    MatrixLabels labels;
    labels.has_header = has_text_after_first || has_corner || is_longer || (is_text(first, 0) && !is_text(second, 0));
    const bool is_square = shape.has_all_rows && shape.rows.size() == first.field_count + 1;
    labels.has_column = is_longer || has_corner || is_text(second, 0) || !has_text_after_first ||
                        (!is_square && shape.rows.size() > 2 && are_consecutive(first_fields(shape, true)));
    if (labels.has_column && second.fields.front().empty()) return std::nullopt;
    // The remaining fields must be numbers, and every row must have equally many.
    const std::size_t first_number = labels.has_column ? 1 : 0;
    const std::size_t size = second.field_count - first_number;
    for (std::size_t i = first_number; i < second.fields.size(); ++i) {
        if (is_text(second, i)) return std::nullopt;
    }
    if (size < 2 || (first.field_count != size && first.field_count != size + first_number)) return std::nullopt;
    if (!labels.has_header) {
        labels.is_certain = true;
        return is_text(first, 0) ? std::optional(labels) : std::nullopt;
    }
    const bool may_be_edges = !first.has_number && !is_text(second, 0);
    if (may_be_edges && std::ranges::any_of(first.fields, is_edge_list_column)) return std::nullopt;
    std::vector<std::string> columns = first.fields;
    if (labels.has_column && first.field_count == second.field_count) columns.erase(columns.begin());
    labels.is_certain = (first.field_count != 3 && first.field_count != 4) || has_corner || is_text(second, 0) ||
                        is_longer || are_consecutive(columns);
    // An edge list with a header could look the same.
    if (!labels.is_certain && !has_zero_diagonal(shape, labels)) return std::nullopt;
    return labels;
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
