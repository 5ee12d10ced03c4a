#include <cstdlib>
#include <string>

#include "commlog/readers/formats.h"
#include "commlog/readers/matrix_messages.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"

namespace haichi {

namespace {

/// Checks if a matrix, passed row by row, contains the Manhattan distances between the points of a grid. Points are
/// numbered row by row.
class GridDistances {
  public:
    explicit GridDistances(std::int64_t size) : size_(size), columns_(size) {}

    void see(std::int64_t i, std::int64_t j, std::int64_t value) {
        if (!fits_) return;
        // The first row is 0 1 2 ... columns-1 1 2 ..., which reveals the number of columns.
        if (i == 0 && columns_ == size_ && value != j) {
            columns_ = j;
            fits_ = j > 0 && size_ % j == 0;
        }
        fits_ = fits_ && value == std::abs(i / columns_ - j / columns_) + std::abs(i % columns_ - j % columns_);
    }
    [[nodiscard]] bool fits() const { return fits_; }

  private:
    std::int64_t size_;
    std::int64_t columns_;
    bool fits_ = true;
};

struct Matrix {
    MatrixMessages messages;
    bool is_grid = false;
};

Matrix read_matrix(TextRows& rows, std::int64_t size, const char* nth) {
    Matrix matrix{MatrixMessages(&rows)};
    GridDistances grid(size);
    for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < size; ++j) {
            if (!rows.next_field_of_any_row()) {
                rows.fail("the file ends in row " + std::to_string(i + 1) + " of the " + nth + " matrix of " +
                          std::to_string(size) + " x " + std::to_string(size) + " numbers");
            }
            const std::int64_t value = rows.size_bytes();
            matrix.messages.add(i, j, value);
            grid.see(i, j, value);
        }
    }
    matrix.is_grid = grid.fits();
    return matrix;
}

Workload read_qaplib(TextStream& stream) {
    TextRows rows(&stream);
    if (!rows.next_field_of_any_row()) rows.fail("the size of the problem is missing");
    const std::int64_t size = rows.whole_number("size of the problem", 1, kMostRanks);
    Matrix first = read_matrix(rows, size, "first");
    Matrix second = read_matrix(rows, size, "second");
    if (rows.next_field_of_any_row()) {
        rows.fail("expected the end of the file after two matrices of " + std::to_string(size) + " x " +
                  std::to_string(size) + " numbers, found " + shown(rows.field()));
    }
    // QAPLIB does not define which matrix is the flow. Its objective is the minimum of the sum of a(i,j) b(p(i),p(j)).
    // The first matrix is therefore taken as the flow between facilities, and the second as the distance between
    // locations. It is the other way round if only the first one has grid distances.
    const bool flow_is_second = first.is_grid && !second.is_grid;
    return (flow_is_second ? second : first).messages.take(size, "flow");
}

}  // namespace

WorkloadFormat qaplib_format() {
    return {"qaplib", "a QAPLIB instance with its size and two matrices; haichi uses the flow matrix as bytes",
            [](const TextShape& shape) {
                return !shape.states_ranks && !shape.rows.empty() && shape.rows.front().field_count == 1 &&
                       shape.rows.front().is_numbers;
            },
            read_qaplib};
}

}  // namespace haichi
