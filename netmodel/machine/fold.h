#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
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
    std::string name;                         ///< as asked for: "default", "mesh", "row-major", "1d", "2d", or a file
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

/// The folds that need no file; what fold_names() lists, for help and did-you-mean.
const std::vector<std::string>& fold_names();

/// 1D in node order: trees, node lists, and "row-major" everywhere.
Fold row_major_fold(std::int32_t nodes, std::string name);

/// The folds of a cuboid job by name. `logical` pairs a long axis with a short one ({X,A} {Y,B} {Z,C}) or names a
/// single axis; empty: the axes themselves, if there are at most 3.
/// - "default": every pair is a ring whose consecutive positions, the closing pair included, are one hop apart.
/// - "mesh": every pair is a snake, short axis fastest.
/// - "1d", "2d": all pairs as one ring, or as two; only for jobs of whole Tofu units that are long in one, or two, of
///   the three long axes.
/// - "row-major": row_major_fold.
/// Throws UnsupportedError for pairs and shapes that a fold does not know.
Fold grid_fold(const Grid& job, const std::vector<std::vector<std::size_t>>& logical, const std::string& name);

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
