#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "commlog/nas/nas_run.h"

namespace haichi {

/// The decomposition of BT and SP, which divides the grid into p^3 cells on p^2 ranks. Each rank has p cells on a
/// diagonal: along every axis, there is one cell in every slice. The scheme follows NPB's make_set.
class Multipartition {
  public:
    struct Cell {
        std::array<int, 3> place{};  ///< coordinates in the grid of cells
        std::array<std::int64_t, 3> size{};
        double share = 0;  ///< fraction of the grid's points
    };

    Multipartition(std::int64_t side, int ranks, int rank);

    [[nodiscard]] int cells() const { return cells_; }
    /// Returns the rank's cell in slice `slice` along an axis; slices begin at 0.
    [[nodiscard]] const Cell& cell(std::size_t axis, int slice) const;
    [[nodiscard]] double share() const { return share_; }
    [[nodiscard]] std::int32_t predecessor(std::size_t axis) const { return predecessor_[axis]; }
    [[nodiscard]] std::int32_t successor(std::size_t axis) const { return successor_[axis]; }
    /// Returns the bytes of the two face layers of all cells that have a neighbour on that side.
    [[nodiscard]] std::uint64_t face_bytes(std::size_t axis, bool is_upper) const;

  private:
    int cells_;
    double share_ = 0;
    std::vector<Cell> own_;
    std::array<std::int32_t, 3> predecessor_{}, successor_{};
};

/// The communicators that each rank has.
inline constexpr std::uint32_t kOfFaces = 1;
inline constexpr std::uint32_t kOfSolvers = 2;

/// Tags of messages that move down and up each axis.
inline constexpr std::array<std::array<std::int32_t, 2>, 3> kFaceTags = {{{3000, 2000}, {5000, 4000}, {6000, 7000}}};

/// Writes the calls of NPB's copy_faces, in which the messages of all six directions are in flight together.
void write_copy_faces(const Multipartition& cells, CallSequenceBuilder& calls);

/// The stages of a solver along an axis, from the first slice to the last and back. Times are seconds for the whole
/// grid. For each cell, one stage is computed before the wait for its message, and one after the wait. In the backward
/// direction, the stage before the wait belongs to the preceding cell.
struct SolverStages {
    double before_forward = 0, forward = 0;
    double before_backward = 0, backward = 0;
    /// Return the size and the tag of the message that a cell sends.
    std::uint64_t (*bytes)(const NasRun& run, const Multipartition& cells, const Multipartition::Cell& cell,
                           std::size_t axis, bool is_forward) = nullptr;
    std::int32_t (*tag)(const Multipartition& cells, const Multipartition::Cell& cell, std::size_t axis,
                        bool is_forward) = nullptr;
    bool waits_once = false;  ///< one call waits for both messages of a cell
};
void write_solver(const NasRun& run, const Multipartition& cells, std::size_t axis, const SolverStages& stages,
                  CallSequenceBuilder& calls);

std::string multipartition_refusal(std::int64_t side, int ranks);

}  // namespace haichi
