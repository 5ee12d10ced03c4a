#include <vector>

#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

constexpr int kStepsOfConjugateGradient = 25;

std::int64_t rows_of(char problem_class) {
    return of_class(problem_class, {1400, 7000, 14000, 75000, 150000, 1500000, 9000000});
}

/// The partners and message sizes of a rank, as in NPB's setup_submatrix_info. If the number of ranks is not a square,
/// the grid of ranks has twice as many columns as rows. In this case, two neighbours in a row share a block of columns.
struct Submatrix {
    int columns = 1, rows = 1;
    int transpose_rank = 0;
    std::int64_t sent_in_transpose = 0, received_in_transpose = 0;
    struct Stage {
        int rank = 0;
        std::int64_t sent = 0, received = 0;
    };
    std::vector<Stage> stages;

    Submatrix(std::int64_t size, int ranks, int rank);
};

/// Returns the number of matrix rows or columns in part `part` of `parts`. The larger parts come first.
std::int64_t share(std::int64_t size, int parts, int part) { return size / parts + (part < size % parts ? 1 : 0); }

Submatrix::Submatrix(std::int64_t size, int ranks, int rank) {
    const int log = log2_of(ranks);
    columns = 1 << (log - log / 2);
    rows = 1 << (log / 2);
    const int row = rank / columns;
    const int column = rank % columns;
    const bool is_square = columns == rows;
    const bool is_first_of_two = rank % 2 == 0;
    const std::int64_t own_rows = size % columns == 0 ? size / rows : share(size, rows, row);
    std::int64_t own_columns = size / columns;
    if (size % columns != 0 && is_square) own_columns = share(size, columns, column);
    if (size % columns != 0 && !is_square) {
        const std::int64_t of_two = share(size, columns / 2, column / 2);
        own_columns = is_first_of_two ? (of_two - 1) / 2 + 1 : of_two / 2;
    }
    sent_in_transpose = is_square ? own_rows : is_first_of_two ? (1 + own_rows) / 2 : own_rows / 2;
    received_in_transpose = own_columns;
    transpose_rank =
        is_square ? rank % rows * rows + rank / rows : 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
    int group = columns;
    for (int stage = 0; stage < log - log / 2; ++stage, group /= 2) {
        const int partner = (column + group / 2) % group + column / group * group;
        const bool is_last = group == 2;
        const std::int64_t received = is_square ? own_rows : sent_in_transpose;
        const std::int64_t sent = !is_square && is_last ? own_rows - sent_in_transpose : sent_in_transpose;
        stages.push_back({row * columns + partner, sent, received});
    }
}

}  // namespace

std::int64_t cg_iterations(char problem_class) { return of_class(problem_class, {15, 15, 15, 75, 75, 100, 100}); }

std::string cg_refusal(char problem_class, int ranks) {
    if (std::string refusal = refuse_unless_power_of_two(ranks); !refusal.empty()) return refusal;
    const int columns = 1 << (log2_of(ranks) - log2_of(ranks) / 2);
    return columns > rows_of(problem_class) / 2 ? "its matrix has too few columns" : "";
}

/// In an iteration, 26 products with the matrix take all computation time.
void write_cg(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    const Submatrix submatrix(rows_of(run.problem_class), run.ranks, rank);
    const double product_seconds = run.iteration_seconds / run.ranks / (kStepsOfConjugateGradient + 1);
    const auto exchange = [&](int peer, int tag, std::int64_t sent, std::int64_t received) {
        const auto request = calls.start_receive(peer, tag, static_cast<std::uint64_t>(received) * kDoubleBytes);
        calls.send(peer, tag, static_cast<std::uint64_t>(sent) * kDoubleBytes);
        calls.wait({request});
    };
    const auto stages = static_cast<int>(submatrix.stages.size());
    const auto sum = [&](std::int64_t values) {
        for (int i = 0; i < stages; ++i) {
            exchange(submatrix.stages[static_cast<std::size_t>(i)].rank, i + 1, values, values);
        }
    };
    const auto multiply = [&] {
        calls.compute(product_seconds);
        for (int i = stages; i-- > 0;) {
            const Submatrix::Stage& stage = submatrix.stages[static_cast<std::size_t>(i)];
            exchange(stage.rank, i + 1, stage.sent, stage.received);
        }
        if (stages == 0) return;
        exchange(submatrix.transpose_rank, 1, submatrix.sent_in_transpose, submatrix.received_in_transpose);
    };
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] {
        sum(1);
        calls.repeat(kStepsOfConjugateGradient, [&] {
            multiply();
            sum(1);
            sum(1);
        });
        multiply();
        sum(1);
        sum(2);
    });
}

}  // namespace haichi
