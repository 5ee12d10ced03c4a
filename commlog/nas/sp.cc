#include "commlog/nas/multipartition.h"

namespace haichi {

namespace {

/// Fractions of an iteration's computation, from the samples of a profile (class W, one process). The profile does not
/// separate elimination from substitution, so a ratio of 2 to 1 is assumed.
constexpr double kSpRightHandSide = 0.35;
constexpr double kLeftHandSide = 0.29 / 3;  // for each axis
constexpr double kSpElimination = 0.21 / 3;
constexpr double kSpSubstitution = 0.105 / 3;
constexpr double kInversion = 0.045 / 3;

std::int64_t sp_side(char problem_class) { return of_class(problem_class, {12, 36, 64, 102, 162, 408, 1020}); }

/// For each point of the face that is not on the border of the grid, there are two rows of three systems.
std::uint64_t sp_solver_bytes(const NasRun&, const Multipartition& cells, const Multipartition::Cell& cell,
                              std::size_t axis, bool is_forward) {
    std::int64_t points = 1;
    for (std::size_t other = 0; other < 3; ++other) {
        if (other == axis) continue;
        const bool begins = cell.place[other] == 0;
        const bool ends = cell.place[other] == cells.cells() - 1;
        points *= cell.size[other] - (begins ? 1 : 0) - (ends ? 1 : 0);
    }
    return static_cast<std::uint64_t>(points * (is_forward ? 22 : 10)) * kDoubleBytes;
}

std::int32_t sp_solver_tag(const Multipartition&, const Multipartition::Cell&, std::size_t, bool) { return 0; }

}  // namespace

std::int64_t sp_iterations(char problem_class) { return of_class(problem_class, {100, 400, 400, 400, 400, 500, 500}); }

std::string sp_refusal(char problem_class, int ranks) { return multipartition_refusal(sp_side(problem_class), ranks); }

void write_sp(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    const Multipartition cells(sp_side(run.problem_class), run.ranks, rank);
    const double seconds = run.iteration_seconds;
    SolverStages stages;
    stages.before_forward = kLeftHandSide * seconds;
    stages.forward = kSpElimination * seconds;
    stages.before_backward = kInversion * seconds;
    stages.backward = kSpSubstitution * seconds;
    stages.bytes = sp_solver_bytes;
    stages.tag = sp_solver_tag;
    stages.waits_once = true;
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] {
        write_copy_faces(cells, calls);
        calls.compute(kSpRightHandSide * seconds * cells.share());
        for (std::size_t axis = 0; axis < 3; ++axis) write_solver(run, cells, axis, stages, calls);
    });
}

}  // namespace haichi
