#include <optional>
#include <string>
#include <vector>

#include "commlog/readers/formats.h"
#include "commlog/readers/matrix_messages.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"

namespace haichi {

namespace {

bool recognise_dense_matrix(const TextShape& shape) {
    if (shape.states_ranks || shape.metis == MetisEvidence::kCertain || shape.rows.empty()) return false;
    if (matrix_labels(shape)) return true;
    if (!shape.rows.front().is_numbers) return false;
    const std::size_t columns = shape.rows.front().field_count;
    if (columns == 3 || columns == 4) return read_narrow_rows(shape) != NarrowRows::kEdgeList;
    return columns >= 2;
}

/// Checks that the labels of a matrix are the ranks of its rows and columns. A table of messages omits ranks that never
/// send or never receive. Its rows and columns may therefore belong to other ranks than their positions suggest.
class LabelCheck {
  public:
    explicit LabelCheck(const TextRows* rows) : rows_(rows) {}

    void add_column(std::string_view label) { columns_.emplace_back(label); }
    [[nodiscard]] std::size_t columns() const { return columns_.size(); }
    /// The header may have a label above the column of labels; this removes that label.
    void drop_corner() { columns_.erase(columns_.begin()); }

    void check_columns() {
        for (std::size_t i = 0; i < columns_.size(); ++i) check("column", columns_[i], i);
    }
    void check_row(std::string_view label, std::size_t row) {
        check("row", label, row);
        if (row < columns_.size() && !numbered_label(label) && columns_[row] != label) {
            rows_->fail("row " + std::to_string(row + 1) + " has the label " + shown(label) + ", but column " +
                            std::to_string(row + 1) + " has " + shown(columns_[row]),
                        "write rows and columns in the same order, one for each rank");
        }
    }

  private:
    void check(const char* what, std::string_view label, std::size_t position) {
        const auto numbered = numbered_label(label);
        if (!numbered) return;
        if (!base_) base_ = numbered->number == 1 ? 1 : 0;
        const std::int64_t expected = *base_ + static_cast<std::int64_t>(position);
        if (numbered->number == expected) return;
        rows_->fail(std::string(what) + " " + std::to_string(position + 1) + " has the label " + shown(label) +
                        ", expected " + numbered->stem + std::to_string(expected),
                    "write a row and a column for every rank, in order; in pandas: frame.reindex(index=range(N), "
                    "columns=range(N), fill_value=0)");
    }

    const TextRows* rows_;
    std::vector<std::string> columns_;
    std::optional<std::int64_t> base_;  ///< label number of the first row and column
};

Workload read_dense_matrix(TextStream& stream) {
    const MatrixLabels labels =
        matrix_labels(shape_of(stream.prefix(), stream.prefix_is_all(), stream.place().file)).value_or(MatrixLabels{});
    TextRows rows(&stream);
    LabelCheck check(&rows);
    if (labels.has_header && rows.next_row()) {
        while (rows.next_field()) check.add_column(rows.field());
    }
    MatrixMessages messages(&rows);
    std::int64_t size = 0;  // number of entries per row, known after the first row
    std::int64_t row = 0;
    for (; rows.next_row(); ++row) {
        std::int64_t column = 0;
        std::string label;
        if (labels.has_column && rows.next_field()) label = rows.field();
        for (; rows.next_field(); ++column) {
            if (row == 0 && column >= kMostRanks) {
                rows.fail("a row of more than " + std::to_string(kMostRanks) + " numbers, the largest number of ranks");
            }
            if (row > 0 && row >= size) {
                rows.fail("the matrix must be square: found row " + std::to_string(row + 1) +
                              ", but the first row has " + std::to_string(size) + (size == 1 ? " number" : " numbers"),
                          size == 2 ? "add a third column, the bytes, if the file is an edge list" : "");
            }
            if (row > 0 && column >= size) {
                rows.fail("row " + std::to_string(row + 1) + " has more numbers than the first row, which has " +
                          std::to_string(size));
            }
            messages.add(row, column, rows.size_bytes());
        }
        if (row == 0) {
            size = column;
            if (labels.has_column && check.columns() == static_cast<std::size_t>(size) + 1) check.drop_corner();
            if (labels.has_header && check.columns() != static_cast<std::size_t>(size)) {
                rows.fail("the header has " + std::to_string(check.columns()) + " labels, but the first row has " +
                          std::to_string(size) + " numbers");
            }
            check.check_columns();
        }
        if (labels.has_column) check.check_row(label, static_cast<std::size_t>(row));
        if (column < size) {
            rows.fail("row " + std::to_string(row + 1) + " has " + std::to_string(column) +
                      " numbers, but the first row has " + std::to_string(size));
        }
    }
    if (row == 0) rows.fail("the file has no numbers");
    if (row < size) {
        rows.fail(
            "the matrix must be square: the file ends after " + std::to_string(row) + " of " + std::to_string(size) +
                " rows",
            size == 3 || size == 4 ? "name the format if the file is an edge list: §workload-format edge-list" : "");
    }
    return messages.take(size, "matrix");
}

}  // namespace

WorkloadFormat dense_matrix_format() {
    return {"dense-matrix",
            "n lines of n numbers: entry (i, j) is the bytes from rank i to rank j, optionally with labels",
            recognise_dense_matrix, read_dense_matrix};
}

}  // namespace haichi
