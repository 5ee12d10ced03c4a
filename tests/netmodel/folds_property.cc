#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "netmodel/machine/fold.h"
#include "tests/netmodel/tofu_fold.h"

namespace haichi {
namespace {

constexpr std::int32_t kMostUnits = 32;

/// Whether two coordinates are one hop apart on a line of units times a short axis (a line of 2 or a ring of 3).
bool are_neighbours(std::pair<std::int32_t, std::int32_t> p, std::pair<std::int32_t, std::int32_t> q,
                    std::int32_t lanes) {
    const std::int32_t along = std::abs(p.first - q.first);
    const std::int32_t straight = std::abs(p.second - q.second);
    const std::int32_t across = lanes == 3 ? std::min(straight, 3 - straight) : straight;
    return along + across == 1;
}

void expect_ring(const PairPath& path, std::int32_t units, std::int32_t lanes) {
    ASSERT_EQ(path.size(), static_cast<std::size_t>(units * lanes));
    EXPECT_EQ(path.front(), std::pair(0, 0));
    EXPECT_EQ(std::set(path.begin(), path.end()).size(), path.size());
    for (std::size_t p = 0; p < path.size(); ++p) {
        EXPECT_TRUE(are_neighbours(path[p], path[(p + 1) % path.size()], lanes)) << units << " units, position " << p;
    }
}

TEST(ThreeLaneRing, closes_for_1_to_32_units_with_every_step_one_hop) {
    for (std::int32_t units = 1; units <= kMostUnits; ++units) expect_ring(three_lane_ring(units), units, 3);
}

TEST(TwoLaneRing, closes_for_1_to_32_units_with_every_step_one_hop) {
    for (std::int32_t units = 1; units <= kMostUnits; ++units) expect_ring(two_lane_ring(units), units, 2);
}

TEST(Snake, takes_every_position_once_with_every_step_one_hop) {
    for (std::int32_t units = 1; units <= kMostUnits; ++units) {
        for (const std::int32_t lanes : {1, 2, 3}) {
            const PairPath path = snake(units, lanes);
            EXPECT_EQ(std::set(path.begin(), path.end()).size(), static_cast<std::size_t>(units * lanes));
            for (std::size_t p = 0; p + 1 < path.size(); ++p) EXPECT_TRUE(are_neighbours(path[p], path[p + 1], lanes));
        }
    }
}

/// A step of +1 on any logical axis, cyclic if the axis closes, crosses one link of a job without other wraps.
void expect_one_hop_steps(const Grid& job, const Fold& fold, bool closes) {
    for (std::int32_t v = 0; v < job.vertex_count(); ++v) {
        const Coordinates at = fold.logical_coordinates(NodeId(v));
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (!closes && at[k] + 1 == fold.logical_sizes[k]) continue;
            Coordinates next = at;
            next[k] = (at[k] + 1) % fold.logical_sizes[k];
            ASSERT_EQ(job.distance(VertexId(v), VertexId(fold.node_at(next).value)), 1) << fold.name << " axis " << k;
        }
    }
}

void expect_permutations(const Fold& fold, std::int32_t nodes) {
    std::int64_t product = 1;
    for (const std::int32_t size : fold.logical_sizes) product *= size;
    ASSERT_EQ(product, nodes);
    for (std::int32_t v = 0; v < nodes; ++v) {
        const NodeId node(v);
        ASSERT_EQ(fold.node_of_position[static_cast<std::size_t>(fold.position_of_node[node.index()])], node);
        ASSERT_EQ(fold.node_of_cell[static_cast<std::size_t>(fold.cell_of_node[node.index()])], node);
        ASSERT_EQ(fold.node_at(fold.logical_coordinates(node)), node);
    }
}

TEST(TofuFold, three_dimensional_torus_steps_are_one_hop) {
    for (const std::int32_t x : {1, 2, 3, 4}) {
        for (const std::int32_t y : {1, 2, 3, 4, 5}) {
            for (const std::int32_t z : {1, 2, 3}) {
                const Grid job = tofu_job(x, y, z);
                const Fold torus = grid_fold(job, kTofuPairs, "default");
                expect_permutations(torus, job.vertex_count());
                expect_one_hop_steps(job, torus, true);
                const Fold mesh = grid_fold(job, kTofuPairs, "mesh");
                expect_permutations(mesh, job.vertex_count());
                expect_one_hop_steps(job, mesh, false);
            }
        }
    }
}

TEST(TofuFold, one_dimensional_ring_of_1_to_32_units_closes_along_any_axis) {
    for (std::int32_t units = 1; units <= kMostUnits; ++units) {
        for (const Grid& job : {tofu_job(units, 1, 1), tofu_job(1, units, 1), tofu_job(1, 1, units)}) {
            const Fold fold = grid_fold(job, kTofuPairs, "1d");
            expect_permutations(fold, job.vertex_count());
            expect_one_hop_steps(job, fold, true);
        }
    }
}

TEST(TofuFold, two_dimensional_torus_of_1_to_32_units_closes_in_any_plane) {
    for (std::int32_t units = 1; units <= kMostUnits; ++units) {
        for (const std::int32_t other : {1, 2, 5}) {
            for (const Grid& job : {tofu_job(units, other, 1), tofu_job(units, 1, other), tofu_job(1, units, other),
                                    tofu_job(other, units, 1)}) {
                const Fold fold = grid_fold(job, kTofuPairs, "2d");
                expect_permutations(fold, job.vertex_count());
                expect_one_hop_steps(job, fold, true);
            }
        }
    }
}

RC_GTEST_PROP(GridFold, plain_grids_keep_their_coordinates, (std::uint64_t seed)) {
    Random random(seed);
    std::vector<Axis> axes(1 + random.below(3));
    for (Axis& axis : axes) axis = {"x", static_cast<std::int32_t>(1 + random.below(6)), random.below(2) == 0};
    const Grid job(axes);
    const Fold fold = grid_fold(job, {}, "default");
    expect_permutations(fold, job.vertex_count());
    for (std::int32_t v = 0; v < job.vertex_count(); ++v) {
        RC_ASSERT(fold.logical_coordinates(NodeId(v)) == job.coordinates(VertexId(v)));
        RC_ASSERT(fold.position_of_node[static_cast<std::size_t>(v)] == v);
    }
}

RC_GTEST_PROP(CoordinateTable, written_fold_reads_back_in_any_line_order, (std::uint64_t seed)) {
    Random random(seed);
    const Grid job =
        tofu_job(static_cast<std::int32_t>(1 + random.below(3)), static_cast<std::int32_t>(1 + random.below(3)),
                 static_cast<std::int32_t>(1 + random.below(3)));
    const Fold fold = grid_fold(job, kTofuPairs, random.below(2) == 0 ? "default" : "mesh");
    std::vector<NodeId> lines = fold.node_of_position;
    random.shuffle(std::span(lines));
    std::string text;
    for (const NodeId node : lines) {
        for (const std::int32_t c : fold.logical_coordinates(node)) text += std::to_string(c) + " ";
        text += "->";
        for (const std::int32_t c : job.coordinates(VertexId(node.value))) text.append(" ").append(std::to_string(c));
        text += "\n";
    }
    const Fold read = table_fold(text, "table", job.vertex_count(), 6,
                                 [&](const Coordinates& at) { return NodeId(job.vertex(at).value); });
    RC_ASSERT(read.logical_sizes == fold.logical_sizes);
    RC_ASSERT(read.node_of_cell == fold.node_of_cell);
    RC_ASSERT(read.position_of_node == fold.position_of_node);
}

}  // namespace
}  // namespace haichi
