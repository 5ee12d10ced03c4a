#include "netmodel/machine/fold.h"

#include <algorithm>
#include <array>

#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

/// The positions on a logical axis. Each entry is what the position adds to the vertex number.
using LogicalAxis = std::vector<std::int32_t>;

void set_cells(Fold& fold, std::vector<NodeId> node_of_cell) {
    fold.cell_of_node.resize(node_of_cell.size());
    for (std::size_t p = 0; p < node_of_cell.size(); ++p) {
        fold.cell_of_node[node_of_cell[p].index()] = static_cast<std::int32_t>(p);
    }
    fold.node_of_cell = std::move(node_of_cell);
}

void order_as_cells(Fold& fold) {
    fold.node_of_position = fold.node_of_cell;
    fold.position_of_node = fold.cell_of_node;
}

std::vector<NodeId> cells_of(const std::vector<LogicalAxis>& axes) {
    std::vector<NodeId> cells = {NodeId(0)};
    for (const LogicalAxis& axis : axes) {  // the first axis is the fastest
        const std::vector<NodeId> inner = std::move(cells);
        cells.clear();
        cells.reserve(inner.size() * axis.size());
        for (const std::int32_t part : axis) {
            for (const NodeId node : inner) cells.push_back(NodeId(node.value + part));
        }
    }
    return cells;
}

/// A fold along logical axes; the rank order has x fastest.
Fold fold_along(const std::vector<LogicalAxis>& axes) {
    Fold fold;
    for (const LogicalAxis& axis : axes) fold.logical_sizes.push_back(static_cast<std::int32_t>(axis.size()));
    set_cells(fold, cells_of(axes));
    order_as_cells(fold);
    return fold;
}

LogicalAxis plain_axis(const Grid& job, std::size_t k) {
    LogicalAxis axis;
    for (std::int32_t i = 0; i < job.axis(k).size; ++i) axis.push_back(i * job.stride(k));
    return axis;
}

LogicalAxis pair_axis(const Grid& job, std::size_t long_axis, std::size_t short_axis, const PairPath& path) {
    LogicalAxis axis;
    for (const auto& [unit, lane] : path) axis.push_back(unit * job.stride(long_axis) + lane * job.stride(short_axis));
    return axis;
}

/// The ring of a pair of axes, or a line if the job has only one lane.
PairPath pair_ring(const Grid& job, const std::vector<std::size_t>& pair) {
    const std::int32_t units = job.axis(pair[0]).size;
    const Axis& lanes = job.axis(pair[1]);
    if (lanes.size == 1) return snake(units, 1);
    if (lanes.size == 2) return two_lane_ring(units);
    if (lanes.size == 3 && lanes.is_ring()) return three_lane_ring(units);
    throw UnsupportedError("no fold is known for axes " + job.axis(pair[0]).name + " and " + lanes.name + ": " +
                               lanes.name + " is " + (lanes.is_ring() ? "a ring" : "a line") + " of " +
                               std::to_string(lanes.size) + ", not a pair or a ring of 3",
                           "use the fold row-major or a coordinate table");
}

/// Computes consecutive positions of the pair {long axis, short axis}.
using PathOfPair = PairPath (*)(const Grid& job, const std::vector<std::size_t>& pair);

Fold paired_fold(const Grid& job, const AxisPairs& logical, PathOfPair path_of_pair) {
    std::vector<LogicalAxis> axes;
    for (const std::vector<std::size_t>& pair : logical) {
        axes.push_back(pair.size() == 1 ? plain_axis(job, pair[0])
                                        : pair_axis(job, pair[0], pair[1], path_of_pair(job, pair)));
    }
    return fold_along(axes);
}

Fold row_major(const Grid& job, const AxisPairs&) { return row_major_fold(job.vertex_count(), {}); }

/// Folds along the rings of the axis pairs. Without pairs, uses the axes themselves, with row-major rank order.
Fold rings_or_axes(const Grid& job, const AxisPairs& logical) {
    if (!logical.empty()) return paired_fold(job, logical, pair_ring);
    Fold fold = row_major(job, logical);
    if (job.axis_count() > 3) return fold;
    std::vector<LogicalAxis> axes;
    fold.logical_sizes.clear();
    for (std::size_t k = 0; k < job.axis_count(); ++k) {
        axes.push_back(plain_axis(job, k));
        fold.logical_sizes.push_back(job.axis(k).size);
    }
    set_cells(fold, cells_of(axes));
    return fold;
}

Fold snakes(const Grid& job, const AxisPairs& logical) {
    if (logical.empty()) {
        throw UnsupportedError("fold mesh requires a machine with paired axes", "use §fold default or row-major");
    }
    return paired_fold(job, logical, [](const Grid& grid, const std::vector<std::size_t>& pair) {
        return snake(grid.axis(pair[0]).size, grid.axis(pair[1]).size);
    });
}

/// True if the job consists of whole Tofu units: three pairs with short sides of 2, a ring of 3, and 2.
bool has_whole_units(const Grid& job, const AxisPairs& logical) {
    if (logical.size() != 3 || !std::ranges::all_of(logical, [](const auto& pair) { return pair.size() == 2; })) {
        return false;
    }
    const Axis& b = job.axis(logical[1][1]);
    return job.axis(logical[0][1]).size == 2 && b.size == 3 && b.is_ring() && job.axis(logical[2][1]).size == 2;
}

/// allocate() handles these jobs before it folds cuboids.
Fold no_cuboid(const Grid&, const AxisPairs&) { throw InternalError("a noncont job is not a cuboid"); }

[[noreturn]] void refuse_shape(const Grid& job, bool is_line) {
    std::vector<std::int32_t> shape;
    for (const Axis& axis : job.axes()) shape.push_back(axis.size);
    throw UnsupportedError(
        "fold " + std::string(is_line ? "1d" : "2d") + " does not fit the shape " + sizes_text(shape),
        is_line ? "use whole units in one line: two of the sizes X, Y, Z must be 1"
                : "use whole units in one plane: one of the sizes X, Y, Z must be 1");
}

/// The long axes; those longer than 1 come first. The scheduler may rotate a request, so the line or plane may lie
/// along any of them. Throws UnsupportedError if more long axes exceed 1 than a line (one) or a plane (two) has.
std::vector<std::size_t> longest_first(const Grid& job, const AxisPairs& logical, bool is_line) {
    if (!has_whole_units(job, logical)) refuse_shape(job, is_line);
    std::vector<std::size_t> axes;
    for (const auto& pair : logical) {
        if (job.axis(pair[0]).size > 1) axes.push_back(pair[0]);
    }
    if (axes.size() > (is_line ? 1U : 2U)) refuse_shape(job, is_line);
    for (const auto& pair : logical) {
        if (std::ranges::find(axes, pair[0]) == axes.end()) axes.push_back(pair[0]);
    }
    return axes;
}

/// The ring of a long axis and B, traversed in both directions on several lanes of A and C.
class UnitRing {
  public:
    UnitRing(const Grid& job, std::size_t long_axis, std::size_t b)
        : there_(pair_axis(job, long_axis, b, three_lane_ring(job.axis(long_axis).size))) {}

    void append_there(LogicalAxis& axis, std::int32_t lane) const {
        for (const std::int32_t part : there_) axis.push_back(part + lane);
    }
    void append_back(LogicalAxis& axis, std::int32_t lane) const {
        for (std::size_t i = there_.size(); i-- > 0;) axis.push_back(there_[i] + lane);
    }

  private:
    LogicalAxis there_;
};

Fold one_ring(const Grid& job, const AxisPairs& logical) {
    const std::size_t long_axis = longest_first(job, logical, true).front();
    const std::int32_t a = job.stride(logical[0][1]);
    const std::int32_t c = job.stride(logical[2][1]);
    const UnitRing ring(job, long_axis, logical[1][1]);
    LogicalAxis x;
    ring.append_there(x, 0);
    ring.append_back(x, c);
    ring.append_there(x, a + c);
    ring.append_back(x, a);
    return fold_along({x});
}

Fold two_rings(const Grid& job, const AxisPairs& logical) {
    std::vector<std::size_t> long_axes = longest_first(job, logical, false);
    std::sort(long_axes.begin(), long_axes.begin() + 2);
    const UnitRing ring(job, long_axes[0], logical[1][1]);
    LogicalAxis x;
    ring.append_there(x, 0);
    ring.append_back(x, job.stride(logical[0][1]));
    const PairPath lanes = two_lane_ring(job.axis(long_axes[1]).size);
    return fold_along({x, pair_axis(job, long_axes[1], logical[2][1], lanes)});
}

}  // namespace

Coordinates Fold::logical_coordinates(NodeId node) const {
    Coordinates at;
    std::int32_t rest = cell_of_node[node.index()];
    for (const std::int32_t size : logical_sizes) {
        at.push_back(rest % size);
        rest /= size;
    }
    return at;
}

NodeId Fold::node_at(const Coordinates& logical) const {
    if (logical.size() != logical_sizes.size()) return {};
    std::int32_t cell = 0;
    for (std::size_t k = logical.size(); k-- > 0;) {
        if (logical[k] < 0 || logical[k] >= logical_sizes[k]) return {};
        cell = cell * logical_sizes[k] + logical[k];
    }
    return node_of_cell[static_cast<std::size_t>(cell)];
}

const Table<FoldRow>& folds() {
    static const Table<FoldRow> kFolds(
        {"fold", "folds (besides files with coordinate tables)"},
        {
            {"default", "every pair of axes (X-A, Y-B, Z-C) as a ring whose neighbours are one hop apart",
             rings_or_axes, true},
            {"mesh", "every pair of axes as a snake, for jobs that request a mesh", snakes},
            {"row-major", "nodes in the order of their coordinates, one dimension", row_major, true},
            {"1d", "all pairs of axes as one ring; requires whole units of Tofu in one line", one_ring},
            {"2d", "all pairs of axes as two rings; requires whole units of Tofu in one plane", two_rings},
            {std::string(kScatteredFold), "nodes that PJM chooses one by one; only ranks on the same node are close",
             no_cuboid},
        });
    return kFolds;
}

Fold grid_fold(const Grid& job, const AxisPairs& logical, const std::string& name) {
    Fold fold = folds().at(name).fold(job, logical);
    fold.name = name;
    return fold;
}

void set_rank_order(Fold& fold, std::string_view axes) {
    if (axes.empty()) return;
    std::vector<std::size_t> order;
    for (const char letter : axes) {
        const std::size_t axis = std::string_view("XYZ").find(letter);
        const bool is_known = axis < fold.logical_sizes.size();
        if (!is_known || std::ranges::find(order, axis) != order.end()) break;
        order.push_back(axis);
    }
    if (order.size() != axes.size() || order.size() != fold.logical_sizes.size()) {
        throw OptionError("rank order " + std::string(axes) + " does not fit the logical shape " +
                          sizes_text(fold.logical_sizes));
    }
    Coordinates at(fold.logical_sizes.size());
    for (std::size_t position = 0; position < fold.node_of_position.size(); ++position) {
        auto rest = static_cast<std::int32_t>(position);
        for (const std::size_t axis : order) {
            at[axis] = rest % fold.logical_sizes[axis];
            rest /= fold.logical_sizes[axis];
        }
        const NodeId node = fold.node_at(at);
        fold.node_of_position[position] = node;
        fold.position_of_node[node.index()] = static_cast<std::int32_t>(position);
    }
}

Fold row_major_fold(std::int32_t nodes, std::string name) {
    LogicalAxis axis;
    for (std::int32_t i = 0; i < nodes; ++i) axis.push_back(i);
    Fold fold = fold_along({axis});
    fold.name = std::move(name);
    return fold;
}

PairPath two_lane_ring(std::int32_t units) {
    PairPath path;
    for (std::int32_t x = 0; x < units; ++x) path.emplace_back(x, 0);
    for (std::int32_t x = units; x-- > 0;) path.emplace_back(x, 1);
    return path;
}

PairPath three_lane_ring(std::int32_t units) {
    if (units == 1) return {{0, 0}, {0, 2}, {0, 1}};
    PairPath path;
    std::vector<std::array<bool, 3>> used(static_cast<std::size_t>(units));
    const auto take = [&](std::int32_t y, std::int32_t b) {
        path.emplace_back(y, b);
        used[static_cast<std::size_t>(y)][static_cast<std::size_t>(b)] = true;
    };
    std::int32_t b = 0;
    take(0, b);
    for (std::int32_t y = 1; y + 1 < units; ++y) {
        take(y, b);
        if (y % 2 == 0) take(y, b = (b + 2) % 3);
    }
    const std::int32_t step = (units - 1) % 2 == 1 ? 1 : 2;
    take(units - 1, b);
    take(units - 1, b = (b + step) % 3);
    take(units - 1, b = (b + step) % 3);
    for (std::int32_t y = units - 2; y >= 1; --y) {
        take(y, b);
        for (std::int32_t other = 0; other < 3; ++other) {
            if (!used[static_cast<std::size_t>(y)][static_cast<std::size_t>(other)]) take(y, b = other);
        }
    }
    take(0, 2);
    take(0, 1);
    return path;
}

PairPath snake(std::int32_t units, std::int32_t short_size) {
    PairPath path;
    for (std::int32_t x = 0; x < units; ++x) {
        for (std::int32_t i = 0; i < short_size; ++i) path.emplace_back(x, x % 2 == 0 ? i : short_size - 1 - i);
    }
    return path;
}

}  // namespace haichi
