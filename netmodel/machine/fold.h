#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/table.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// How a job's nodes appear to its user: the default rank order, and the logical coordinates that a rank map is written
/// in. A value.
///
/// *Position* is a place in the rank order: the default placement puts the first ranks on node_of_position[0], the next
/// on [1], and so on. *Cell* x + Lx*(y + Ly*z), x fastest, is the place with logical coordinates (x, y, z). On a Tofu
/// job both are the same. On a plain mesh or torus they differ: the logical coordinates are those of the grid, and the
/// rank order is row-major, last axis fastest, as nodes are numbered.
struct Fold {
    std::string name;                         ///< as asked for: of folds(), or a file
    bool is_coordinate_table = false;         ///< read from a file, so true of the real machine
    std::vector<std::int32_t> logical_sizes;  ///< 1 to 3 sizes; their product is the number of nodes

    std::vector<NodeId> node_of_position;        ///< a permutation of the job's nodes
    std::vector<std::int32_t> position_of_node;  ///< its inverse
    std::vector<NodeId> node_of_cell;            ///< a permutation of the job's nodes
    std::vector<std::int32_t> cell_of_node;      ///< its inverse

    [[nodiscard]] Coordinates logical_coordinates(NodeId node) const;
    /// Invalid id when outside or when the number of coordinates is wrong.
    [[nodiscard]] NodeId node_at(const Coordinates& logical) const;
};

/// The axes that form a logical axis, by their numbers: a long axis with a short one, as {X,A} {Y,B} {Z,C}, or a single
/// axis. Empty: the axes themselves, if there are at most 3.
using AxisPairs = std::vector<std::vector<std::size_t>>;

/// A fold by its name.
struct FoldRow {
    std::string name;
    std::string sentence;
    /// Of a cuboid job; its name is not set yet. Throws UnsupportedError for axes and shapes that it does not know.
    Fold (*fold)(const Grid& job, const AxisPairs& logical) = nullptr;
    /// Node lists, and jobs on machines without coordinates, have it, too: their nodes in one line, in their order.
    bool suits_node_lists = false;
};

/// The folds that need no file.
const Table<FoldRow>& folds();

/// A cuboid job, folded as the row of that name says. Throws OptionError for names that are not in the table.
Fold grid_fold(const Grid& job, const AxisPairs& logical, const std::string& name);

/// One line in the order of the nodes' numbers.
Fold row_major_fold(std::int32_t nodes, std::string name);

/// A coordinate table: one line per node, 1 to 3 logical coordinates, then the `coordinate_count` coordinates relative
/// to the job; blanks, commas, parentheses and "->" separate, "#" starts a comment. `node_at` gives the job's node at
/// such coordinates, or an invalid id. Throws InputError with file and line.
Fold table_fold(std::string_view text, const std::string& file, std::int32_t nodes, std::size_t coordinate_count,
                const std::function<NodeId(const Coordinates&)>& node_at);

/// Positions on a pair of axes: (unit coordinate, coordinate on the short axis).
using PairPath = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Consecutive positions (unit, short) of the X-A and Z-C pairs: N units out along short = 0, back along short = 1.
PairPath two_lane_ring(std::int32_t units);

/// Consecutive positions of the Y-B pair.
PairPath three_lane_ring(std::int32_t units);

/// Short axis fastest, to and fro: (0,0)(0,1)(1,1)(1,0)(2,0)...
PairPath snake(std::int32_t units, std::int32_t short_size);

}  // namespace haichi
