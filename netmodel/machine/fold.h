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

/// The user's view of a job's nodes: the default rank order, and the logical coordinates of rank maps. A value.
///
/// A *position* is a place in the rank order. The default placement puts the first ranks on node_of_position[0], the
/// next ranks on [1], and so on. *Cell* x + Lx*(y + Ly*z), x fastest, has the logical coordinates (x, y, z). On a Tofu
/// job, positions and cells have the same numbers. On a plain mesh or torus they differ. The logical coordinates are
/// the grid's, and the rank order is row-major, last axis fastest, like the numbers of nodes.
struct Fold {
    std::string name;                         ///< as requested: an entry of folds(), or a file
    bool is_coordinate_table = false;         ///< read from a file, so valid for the real machine
    std::vector<std::int32_t> logical_sizes;  ///< 1 to 3 sizes; their product is the number of nodes

    std::vector<NodeId> node_of_position;        ///< permutation of the job's nodes
    std::vector<std::int32_t> position_of_node;  ///< inverse of node_of_position
    std::vector<NodeId> node_of_cell;            ///< permutation of the job's nodes
    std::vector<std::int32_t> cell_of_node;      ///< inverse of node_of_cell

    [[nodiscard]] Coordinates logical_coordinates(NodeId node) const;
    /// Invalid outside the grid or for a wrong number of coordinates.
    [[nodiscard]] NodeId node_at(const Coordinates& logical) const;
};

/// The indices of the axes that form each logical axis: a long axis with a short one, as {X,A} {Y,B} {Z,C}, or a single
/// axis. Empty if the logical axes are the grid's own axes, of which there are at most 3.
using AxisPairs = std::vector<std::vector<std::size_t>>;

/// An entry of folds().
struct FoldRow {
    std::string name;
    std::string sentence;
    /// Folds a cuboid job, without setting the name. Throws UnsupportedError for unsupported axes and shapes.
    Fold (*fold)(const Grid& job, const AxisPairs& logical) = nullptr;
    /// Also available for node lists and for machines without coordinates: one line of nodes, in their order.
    bool suits_node_lists = false;
};

/// The fold of jobs on single nodes that the scheduler chooses.
inline constexpr std::string_view kScatteredFold = "noncont";

/// The folds that need no file.
const Table<FoldRow>& folds();

/// Folds a cuboid job by the table entry `name`. Throws OptionError for unknown names.
Fold grid_fold(const Grid& job, const AxisPairs& logical, const std::string& name);

/// Orders ranks along logical axes, the first of `axes` fastest, as in "ZYX". No axes: the order of the fold. Throws
/// OptionError if the axes are not those of the fold.
void set_rank_order(Fold& fold, std::string_view axes);

/// One line, in the order of the nodes' numbers.
Fold row_major_fold(std::int32_t nodes, std::string name);

/// Reads a coordinate table. Each line has one node: 1 to 3 logical coordinates, then `coordinate_count` coordinates
/// relative to the job. Separators are blanks, commas, parentheses and "->"; "#" starts a comment. `node_at` returns
/// the job's node at such coordinates, or an invalid id. Throws InputError with file and line.
Fold table_fold(std::string_view text, const std::string& file, std::int32_t nodes, std::size_t coordinate_count,
                const std::function<NodeId(const Coordinates&)>& node_at);

/// Positions on a pair of axes: (unit coordinate, coordinate on the short axis).
using PairPath = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Consecutive positions (unit, short) of the X-A and Z-C pairs: forward over N units at short = 0, back at short = 1.
PairPath two_lane_ring(std::int32_t units);

/// Consecutive positions of the Y-B pair.
PairPath three_lane_ring(std::int32_t units);

/// Alternating direction on the short axis, which is fastest: (0,0)(0,1)(1,1)(1,0)(2,0)...
PairPath snake(std::int32_t units, std::int32_t short_size);

}  // namespace haichi
