#include "commlog/workload/pattern_builders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/errors.h"
#include "base/random.h"

namespace haichi {

namespace {

/// A direction in a grid of up to three dimensions; components of unused dimensions are 0.
using Offset = std::array<int, 3>;

/// Returns all directions with components -1, 0 and +1, of which at least one and at most `most` are not 0. Directions
/// along the axes come first, and "+" comes before "-".
std::vector<Offset> directions(std::size_t dimensions, int most) {
    std::vector<Offset> result;
    constexpr std::array<int, 3> kComponents = {1, -1, 0};
    const auto length = [](const Offset& o) { return std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]); };
    for (const int x : kComponents) {
        for (const int y : kComponents) {
            for (const int z : kComponents) {
                const Offset offset = {x, y, z};
                if (dimensions == 2 && z != 0) continue;
                if (length(offset) >= 1 && length(offset) <= most) result.push_back(offset);
            }
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [&](const Offset& a, const Offset& b) { return length(a) < length(b); });
    return result;
}

/// Returns a label such as "+x" or "-x+y".
std::string direction_label(const Offset& offset) {
    std::string label;
    for (std::size_t axis = 0; axis < offset.size(); ++axis) {
        if (offset[axis] == 0) continue;
        label += offset[axis] > 0 ? '+' : '-';
        label += "xyz"[axis];
    }
    return label;
}

/// Makes one set for each direction, so that no rank sends or receives twice in a set.
void build_stencil(PatternBuilder& builder, int most_nonzero) {
    const PatternOptions& options = builder.options();
    std::array<int, 3> dims = {1, 1, 1};
    std::copy(options.dims.begin(), options.dims.end(), dims.begin());
    const auto offsets = directions(options.dims.size(), most_nonzero);
    builder.expect_messages(offsets.size() * static_cast<std::uint64_t>(options.ranks));
    for (const Offset& offset : offsets) {
        builder.start_set(direction_label(offset));
        int rank = 0;
        for (int x = 0; x < dims[0]; ++x) {
            for (int y = 0; y < dims[1]; ++y) {
                for (int z = 0; z < dims[2]; ++z, ++rank) {
                    std::array<int, 3> to = {x + offset[0], y + offset[1], z + offset[2]};
                    bool inside = true;
                    for (std::size_t axis = 0; axis < to.size(); ++axis) {
                        if (to[axis] >= 0 && to[axis] < dims[axis]) continue;
                        inside = inside && options.periodic;
                        to[axis] = (to[axis] + dims[axis]) % dims[axis];
                    }
                    if (inside) builder.add(rank, (to[0] * dims[1] + to[1]) * dims[2] + to[2]);
                }
            }
        }
    }
}

/// Returns the rank to which `rank` sends in step `step` (from 1) of an all-to-all with one step for each other rank.
int pairwise_partner(int ranks, int rank, int step) {
    return std::has_single_bit(static_cast<unsigned>(ranks)) ? rank ^ step : (rank + step) % ranks;
}
std::string pairwise_label(int ranks, int step) {
    const bool exchanges = std::has_single_bit(static_cast<unsigned>(ranks));
    return (exchanges ? "exchange with rank XOR " : "shift by ") + std::to_string(step);
}

/// Adds pairwise all-to-alls within `lines` groups of `length` ranks, all groups at the same time. Member m of group g
/// is the rank g * group_stride + m * member_stride.
void build_transposes(PatternBuilder& builder, const char* label, int lines, int group_stride, int length,
                      int member_stride) {
    for (int step = 1; step < length; ++step) {
        builder.start_set(label + std::string(" transpose, ") + pairwise_label(length, step));
        for (int group = 0; group < lines; ++group) {
            for (int member = 0; member < length; ++member) {
                builder.add(group * group_stride + member * member_stride,
                            group * group_stride + pairwise_partner(length, member, step) * member_stride);
            }
        }
    }
}

/// Returns the number of blocks that a rank sends to rank + `distance` in Bruck's all-to-all. These are the blocks
/// whose remaining distance includes the bit `distance`.
std::int64_t bruck_blocks(std::int64_t ranks, std::int64_t distance) {
    return ranks / (2 * distance) * distance + std::max<std::int64_t>(0, ranks % (2 * distance) - distance);
}

void build_cycle(PatternBuilder& builder, const std::vector<int>& order) {
    builder.expect_messages(order.size());
    builder.start_set("ring");
    for (std::size_t i = 0; i < order.size(); ++i) builder.add(order[i], order[(i + 1) % order.size()]);
}

std::vector<int> counted_up(int count) {
    std::vector<int> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 0);
    return result;
}

}  // namespace

void build_cg(PatternBuilder& builder) {
    const auto ranks = static_cast<std::uint32_t>(builder.ranks());
    if (!std::has_single_bit(ranks)) {
        throw OptionError(
            "pattern 'cg' requires a power of two as the number of ranks, found " + std::to_string(ranks),
            "choose " + std::to_string(std::bit_floor(ranks)) + " or " + std::to_string(std::bit_ceil(ranks)));
    }
    // As in setup_proc_info of NPB CG: task = row * columns + column, where columns is rows or 2 * rows.
    const int doublings = std::bit_width(ranks) - 1;
    const int rows = 1 << (doublings / 2);
    const int columns = 1 << (doublings - doublings / 2);
    const int tasks = builder.ranks();
    builder.expect_messages(static_cast<std::uint64_t>(doublings - doublings / 2 + 1) * ranks);
    int exchange = 0;
    for (int distance = 1; distance < columns; distance *= 2) {
        builder.start_set("row exchange " + std::to_string(++exchange));
        // `distance` is a power of two below `columns`, so the XOR of a task is in the same row.
        for (int task = 0; task < tasks; ++task) builder.add(task, task ^ distance);
    }
    builder.start_set("transpose");
    for (int task = 0; task < tasks; ++task) {
        builder.add(task, columns == rows ? task % rows * rows + task / rows
                                          : 2 * (task / 2 % rows * rows + task / 2 / rows) + task % 2);
    }
}

void build_stencil2d(PatternBuilder& builder) { build_stencil(builder, builder.options().points == 9 ? 2 : 1); }

void build_stencil3d(PatternBuilder& builder) {
    const int points = builder.options().points;
    build_stencil(builder, points == 27 ? 3 : points == 19 ? 2 : 1);
}

void build_fft(PatternBuilder& builder) {
    const int rows = builder.options().dims[0];
    const int columns = builder.options().dims[1];
    const auto steps = static_cast<std::uint64_t>(rows - 1) + static_cast<std::uint64_t>(columns - 1);
    builder.expect_messages(steps * static_cast<std::uint64_t>(builder.ranks()));
    build_transposes(builder, "row", rows, columns, columns, 1);
    build_transposes(builder, "column", columns, 1, rows, columns);
}

void build_sweep(PatternBuilder& builder) {
    const int rows = builder.options().dims[0];
    const int columns = builder.options().dims[1];
    builder.expect_messages(2 * static_cast<std::uint64_t>(builder.ranks()));
    for (int diagonal = 0; diagonal < rows + columns - 1; ++diagonal) {
        const int first_row = std::max(0, diagonal - columns + 1);
        const int last_row = std::min(rows - 1, diagonal);
        builder.start_set("diagonal " + std::to_string(diagonal) + " +y");
        for (int row = first_row; row <= last_row; ++row) {
            const int rank = row * columns + diagonal - row;
            if (diagonal - row + 1 < columns) builder.add(rank, rank + 1);
        }
        builder.start_set("diagonal " + std::to_string(diagonal) + " +x");
        for (int row = first_row; row <= std::min(last_row, rows - 2); ++row) {
            const int rank = row * columns + diagonal - row;
            builder.add(rank, rank + columns);
        }
    }
}

void build_ring(PatternBuilder& builder) { build_cycle(builder, counted_up(builder.ranks())); }

void build_random_ring(PatternBuilder& builder) {
    std::vector<int> order = counted_up(builder.ranks());
    Random(builder.options().seed).shuffle(std::span(order));
    build_cycle(builder, order);
}

/// An all-reduce by recursive doubling. If the number of ranks is not a power of two, some ranks form pairs, beginning
/// with rank 0. The even rank of a pair sends its vector to the odd one, does not take part, and receives the result at
/// the end.
void build_recursive_doubling(PatternBuilder& builder) {
    const int ranks = builder.ranks();
    const int members = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    const int pairs = ranks - members;
    const int steps = std::bit_width(static_cast<unsigned>(members)) - 1;
    builder.expect_messages(static_cast<std::uint64_t>(steps + (pairs > 0 ? 2 : 0)) *
                            static_cast<std::uint64_t>(ranks));
    const std::int64_t bytes = builder.options().message_bytes;
    const auto rank_of = [&](int member) { return member < pairs ? 2 * member + 1 : member + pairs; };
    if (pairs > 0) {
        builder.start_set("fold");
        for (int pair = 0; pair < pairs; ++pair) builder.add(2 * pair, 2 * pair + 1, bytes);
    }
    for (int step = 0; step < steps; ++step) {
        builder.start_set("doubling " + std::to_string(step + 1));
        for (int member = 0; member < members; ++member) {
            builder.add(rank_of(member), rank_of(member ^ (1 << step)), bytes);
        }
    }
    if (pairs > 0) {
        builder.start_set("unfold");
        for (int pair = 0; pair < pairs; ++pair) builder.add(2 * pair + 1, 2 * pair, bytes);
    }
}

void build_alltoall_pairwise(PatternBuilder& builder) {
    const int ranks = builder.ranks();
    builder.expect_messages(static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1));
    for (int step = 1; step < ranks; ++step) {
        builder.start_set(pairwise_label(ranks, step));
        for (int rank = 0; rank < ranks; ++rank) {
            builder.add(rank, pairwise_partner(ranks, rank, step), builder.options().message_bytes);
        }
    }
}

void build_alltoall_bruck(PatternBuilder& builder) {
    const int ranks = builder.ranks();
    const auto steps = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    builder.expect_messages(steps * static_cast<std::uint64_t>(ranks));
    const std::int64_t bytes = builder.options().message_bytes;
    for (int distance = 1; distance < ranks; distance *= 2) {
        const std::int64_t blocks = bruck_blocks(ranks, distance);
        if (bytes > kLargestMessageBytes / blocks) {
            throw OptionError("Bruck's all-to-all on " + std::to_string(ranks) + " ranks joins " +
                              std::to_string(blocks) + " blocks of " + std::to_string(bytes) +
                              " bytes in one message, which may have at most 2^48 bytes");
        }
        builder.start_set("shift by " + std::to_string(distance));
        for (int rank = 0; rank < ranks; ++rank) builder.add(rank, (rank + distance) % ranks, blocks * bytes);
    }
}

void build_random_geometric(PatternBuilder& builder) {
    const auto count = static_cast<std::size_t>(builder.ranks());
    const double ranks = static_cast<double>(count);
    // A disc with this radius contains mean_degree points on average, but fewer near the border of the square.
    const double degree = std::min(builder.options().mean_degree, ranks);
    builder.expect_messages(static_cast<std::uint64_t>(degree * ranks));
    const double radius = std::sqrt(degree / (std::numbers::pi * ranks));

    struct Point {
        double x;
        double y;
    };
    std::vector<Point> points(count);
    Random random(builder.options().seed);
    for (Point& point : points) {
        point.x = random.unit();
        point.y = random.unit();
    }

    // Cells are at least as wide as the radius, so all partners are in the surrounding 3 x 3 cells. The expected time
    // is O(ranks * degree).
    const double most_cells = std::min(1 / radius, std::sqrt(ranks));
    const int cells = std::max(1, static_cast<int>(most_cells));
    const auto cell_at = [cells](double coordinate) {
        return std::min(cells - 1, static_cast<int>(coordinate * cells));
    };
    const auto cell_index = [cells](int x, int y) {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(cells) + static_cast<std::size_t>(x);
    };
    std::vector<std::size_t> cell_begin(cell_index(0, cells) + 1);
    for (const Point& p : points) ++cell_begin[cell_index(cell_at(p.x), cell_at(p.y)) + 1];
    std::partial_sum(cell_begin.begin(), cell_begin.end(), cell_begin.begin());
    std::vector<int> members(count);
    std::vector<std::size_t> next = cell_begin;
    for (std::size_t i = 0; i < count; ++i) {
        members[next[cell_index(cell_at(points[i].x), cell_at(points[i].y))]++] = static_cast<int>(i);
    }

    builder.start_set("neighbours");
    std::vector<int> partners;
    for (std::size_t i = 0; i < count; ++i) {
        const Point& p = points[i];
        partners.clear();
        for (int y = std::max(0, cell_at(p.y) - 1); y <= std::min(cells - 1, cell_at(p.y) + 1); ++y) {
            for (int x = std::max(0, cell_at(p.x) - 1); x <= std::min(cells - 1, cell_at(p.x) + 1); ++x) {
                for (std::size_t m = cell_begin[cell_index(x, y)]; m < cell_begin[cell_index(x, y) + 1]; ++m) {
                    const Point& q = points[static_cast<std::size_t>(members[m])];
                    const double dx = p.x - q.x;
                    const double dy = p.y - q.y;
                    if (dx * dx + dy * dy <= radius * radius) partners.push_back(members[m]);
                }
            }
        }
        std::sort(partners.begin(), partners.end());
        for (const int partner : partners) builder.add(static_cast<int>(i), partner);
    }
}

}  // namespace haichi
