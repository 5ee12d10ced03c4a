#include "commlog/nas/multipartition.h"

namespace haichi {

namespace {

constexpr std::int64_t kBlock = 5;  // number of unknowns per grid point

/// Fractions of an iteration's computation, from the samples of a profile (class W, one process).
constexpr double kBtRightHandSide = 0.08;
constexpr double kBtElimination = 0.815 / 3;  // for each axis
constexpr double kBtSubstitution = 0.105 / 3;

std::int64_t bt_side(char problem_class) { return of_class(problem_class, {12, 24, 64, 102, 162, 408, 1020}); }

/// For every cell, returns the size of the largest cell's face. In the forward direction, each point has a block and a
/// right-hand side; in the backward direction, it has its unknowns.
std::uint64_t bt_solver_bytes(const NasRun& run, const Multipartition& cells, const Multipartition::Cell&, std::size_t,
                              bool is_forward) {
    const std::int64_t width = bt_side(run.problem_class) / cells.cells() + 1;
    return static_cast<std::uint64_t>(width * width * (is_forward ? kBlock * kBlock + kBlock : kBlock)) * kDoubleBytes;
}

/// The tag contains the number of the cell.
std::int32_t bt_solver_tag(const Multipartition& cells, const Multipartition::Cell& cell, std::size_t axis,
                           bool is_forward) {
    const std::size_t first = axis == 0 ? 1 : 0;
    const std::size_t second = axis == 2 ? 1 : 2;
    return kFaceTags[axis][is_forward ? 0 : 1] + cell.place[first] + cell.place[second] * cells.cells();
}

}  // namespace

std::int64_t bt_iterations(char problem_class) { return of_class(problem_class, {60, 200, 200, 200, 200, 250, 250}); }

std::string bt_refusal(char problem_class, int ranks) { return multipartition_refusal(bt_side(problem_class), ranks); }

void write_bt(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    const Multipartition cells(bt_side(run.problem_class), run.ranks, rank);
    const double seconds = run.iteration_seconds;
    SolverStages stages;
    stages.forward = kBtElimination * seconds;
    stages.backward = kBtSubstitution * seconds;
    stages.bytes = bt_solver_bytes;
    stages.tag = bt_solver_tag;
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] {
        write_copy_faces(cells, calls);
        calls.compute(kBtRightHandSide * seconds * cells.share());
        for (std::size_t axis = 0; axis < 3; ++axis) write_solver(run, cells, axis, stages, calls);
    });
}

}  // namespace haichi
