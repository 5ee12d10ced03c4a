#include "commlog/readers/formats.h"
#include "commlog/readers/matrix_messages.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"

namespace haichi {

namespace {

bool recognise_dense_matrix(const TextShape& shape) {
    if (shape.states_ranks || shape.metis == MetisEvidence::kCertain || shape.rows.empty() ||
        !shape.rows.front().is_numbers)
        return false;
    const std::size_t columns = shape.rows.front().field_count;
    if (columns == 3 || columns == 4) return read_narrow_rows(shape) != NarrowRows::kEdgeList;
    return columns >= 2;
}

Workload read_dense_matrix(TextStream& stream) {
    TextRows rows(&stream);
    MatrixMessages messages(&rows);
    std::int64_t size = 0;  // numbers in a row, known after the first row
    std::int64_t row = 0;
    for (; rows.next_row(); ++row) {
        std::int64_t column = 0;
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
        if (row == 0) size = column;
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
    return {"dense-matrix", "n lines of n numbers: entry (i, j) is the bytes from rank i to rank j, 0 means no message",
            recognise_dense_matrix, read_dense_matrix};
}

}  // namespace haichi
