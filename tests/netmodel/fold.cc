#include <gtest/gtest.h>

#include <numeric>

#include "base/errors.h"
#include "netmodel/machine/fold.h"
#include "tests/netmodel/tofu_fold.h"

namespace haichi {
namespace {

TEST(ThreeLaneRing, four_units_are_those_of_the_published_example) {
    //        b: 0   1   2
    //  y = 0    0  11  10
    //  y = 1    1   8   9
    //  y = 2    2   7   3
    //  y = 3    5   6   4
    EXPECT_EQ(
        three_lane_ring(4),
        (PairPath{{0, 0}, {1, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 0}, {3, 1}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 1}}));
}

TEST(ThreeLaneRing, one_unit_goes_down_the_short_ring) {
    EXPECT_EQ(three_lane_ring(1), (PairPath{{0, 0}, {0, 2}, {0, 1}}));
}

TEST(TwoLaneRing, goes_out_on_one_lane_and_back_on_the_other) {
    EXPECT_EQ(two_lane_ring(3), (PairPath{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {0, 1}}));
}

TEST(Snake, has_the_short_axis_fastest) {
    EXPECT_EQ(snake(3, 2), (PairPath{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {2, 1}}));
}

TEST(TofuFold, default_is_two_x_times_three_y_times_two_z_with_x_fastest) {
    const Grid job = tofu_job(4, 2, 8);
    const Fold fold = grid_fold(job, kTofuPairs, "default");
    EXPECT_EQ(fold.logical_sizes, (std::vector<std::int32_t>{8, 6, 16}));
    EXPECT_EQ(job.coordinates(VertexId(fold.node_of_position[1].value)), (Coordinates{1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(job.coordinates(VertexId(fold.node_of_position[7].value)), (Coordinates{0, 0, 0, 1, 0, 0}));
    EXPECT_EQ(job.coordinates(VertexId(fold.node_of_position[8].value)), (Coordinates{0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(job.coordinates(VertexId(fold.node_of_position[48].value)), (Coordinates{0, 0, 1, 0, 0, 0}));
    EXPECT_EQ(fold.node_of_position, fold.node_of_cell);
    EXPECT_EQ(fold.logical_coordinates(fold.node_of_position[8 + 3]), (Coordinates{3, 1, 0}));
}

TEST(TofuFold, partial_units_make_lines_where_a_lane_is_missing) {
    const Grid job(
        {{"X", 3, false}, {"Y", 1, false}, {"Z", 2, false}, {"A", 1, false}, {"B", 2, false}, {"C", 2, false}});
    EXPECT_EQ(grid_fold(job, kTofuPairs, "default").logical_sizes, (std::vector<std::int32_t>{3, 2, 4}));
}

TEST(TofuFold, one_and_two_dimensional_jobs_have_their_logical_sizes) {
    EXPECT_EQ(grid_fold(tofu_job(5, 1, 1), kTofuPairs, "1d").logical_sizes, (std::vector<std::int32_t>{60}));
    EXPECT_EQ(grid_fold(tofu_job(1, 1, 5), kTofuPairs, "1d").logical_sizes, (std::vector<std::int32_t>{60}));
    EXPECT_EQ(grid_fold(tofu_job(3, 2, 1), kTofuPairs, "2d").logical_sizes, (std::vector<std::int32_t>{18, 4}));
    EXPECT_EQ(grid_fold(tofu_job(3, 1, 2), kTofuPairs, "2d").logical_sizes, (std::vector<std::int32_t>{18, 4}));
    EXPECT_EQ(grid_fold(tofu_job(1, 4, 1), kTofuPairs, "2d").logical_sizes, (std::vector<std::int32_t>{6, 8}));
}

TEST(TofuFold, one_dimensional_job_passes_four_times) {
    const Grid job = tofu_job(2, 1, 1);
    const Fold fold = grid_fold(job, kTofuPairs, "1d");
    const auto lane = [&](std::size_t p) {
        const Coordinates at = job.coordinates(VertexId(fold.node_of_position[p].value));
        return std::pair(at[3], at[5]);
    };
    EXPECT_EQ(lane(0), std::pair(0, 0));
    EXPECT_EQ(lane(6), std::pair(0, 1));
    EXPECT_EQ(lane(12), std::pair(1, 1));
    EXPECT_EQ(lane(18), std::pair(1, 0));
}

TEST(GridFold, plain_torus_keeps_its_coordinates_and_ranks_row_major) {
    //  (0,0)=0 (0,1)=1 (0,2)=2
    //  (1,0)=3 (1,1)=4 (1,2)=5
    const Fold fold = grid_fold(Grid({{"X", 2, true}, {"Y", 3, true}}), {}, "default");
    EXPECT_EQ(fold.logical_sizes, (std::vector<std::int32_t>{2, 3}));
    EXPECT_EQ(fold.node_at({1, 2}), NodeId(5));
    EXPECT_EQ(fold.logical_coordinates(NodeId(1)), (Coordinates{0, 1}));
    EXPECT_EQ(fold.node_of_position[1], NodeId(1));
    EXPECT_EQ(fold.node_of_cell[1], NodeId(3));
}

TEST(GridFold, more_than_three_axes_are_one_line) {
    const Fold fold = grid_fold(Grid({{"a", 2, true}, {"b", 2, true}, {"c", 2, true}, {"d", 2, true}}), {}, "default");
    EXPECT_EQ(fold.logical_sizes, (std::vector<std::int32_t>{16}));
    EXPECT_EQ(fold.node_at({5}), NodeId(5));
}

TEST(GridFold, coordinates_outside_have_no_node) {
    const Fold fold = grid_fold(tofu_job(1, 2, 1), kTofuPairs, "default");
    EXPECT_FALSE(fold.node_at({2, 0, 0}).valid());
    EXPECT_FALSE(fold.node_at({0, -1, 0}).valid());
    EXPECT_FALSE(fold.node_at({0, 0}).valid());
    EXPECT_FALSE(fold.node_at({0, 0, 0, 0}).valid());
}

TEST(GridFold, refuses_what_no_ring_is_known_for) {
    const Grid four_lanes({{"X", 4, true}, {"A", 4, true}});
    EXPECT_THROW(grid_fold(four_lanes, {{0, 1}}, "default"), UnsupportedError);
    const Grid open_three({{"Y", 4, true}, {"B", 3, false}});
    EXPECT_THROW(grid_fold(open_three, {{0, 1}}, "default"), UnsupportedError);
    EXPECT_THROW(grid_fold(four_lanes, {}, "mesh"), UnsupportedError);
    EXPECT_THROW(grid_fold(four_lanes, {}, "1d"), UnsupportedError);
    EXPECT_THROW(grid_fold(tofu_job(2, 2, 1), kTofuPairs, "1d"), UnsupportedError);
    EXPECT_THROW(grid_fold(tofu_job(2, 2, 2), kTofuPairs, "2d"), UnsupportedError);
    EXPECT_EQ(grid_fold(four_lanes, {{0, 1}}, "row-major").logical_sizes, (std::vector<std::int32_t>{16}));
    EXPECT_EQ(grid_fold(four_lanes, {{0, 1}}, "mesh").logical_sizes, (std::vector<std::int32_t>{16}));
}

TEST(CoordinateTable, accepts_blanks_commas_parentheses_arrows_and_comments) {
    const Grid line({{"X", 4, false}});
    const auto node_at = [&](const Coordinates& at) { return at[0] < 4 ? NodeId(at[0]) : NodeId{}; };
    const Fold fold =
        table_fold("# logical -> machine\n(0,0) -> (3)\n\n0 1\t2 # second\r\n1,0,1\n  (1, 1) (0)", "t", 4, 1, node_at);
    EXPECT_EQ(fold.logical_sizes, (std::vector<std::int32_t>{2, 2}));
    EXPECT_TRUE(fold.is_coordinate_table);
    EXPECT_EQ(fold.node_at({0, 1}), NodeId(2));
    EXPECT_EQ(fold.node_at({1, 0}), NodeId(1));
    EXPECT_EQ(fold.node_of_position, (std::vector<NodeId>{NodeId(3), NodeId(1), NodeId(2), NodeId(0)}));
    EXPECT_EQ(fold.logical_coordinates(NodeId(0)), (Coordinates{1, 1}));
}

}  // namespace
}  // namespace haichi
