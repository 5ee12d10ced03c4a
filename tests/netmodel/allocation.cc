#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

using testing_files::written;

const Grid& grid_of(const Allocation& job) { return *job.network.coordinates(); }

TEST(Allocation, axis_wraps_only_when_covered_whole) {
    const Machine machine = load_machine("fx10-kyushu");
    const Allocation shape1 = allocate(machine, {.shape = {1, 2, 4, 2, 3, 2}});
    EXPECT_FALSE(grid_of(shape1).axis(2).wraps);  // 4 of 8
    EXPECT_FALSE(grid_of(shape1).axis(1).wraps);  // the machine's Y is a mesh
    EXPECT_TRUE(grid_of(shape1).axis(4).wraps);
    const Allocation shape3 = allocate(machine, {.shape = {4, 2, 1, 2, 3, 2}});
    EXPECT_TRUE(grid_of(shape3).axis(0).wraps);
    EXPECT_EQ(shape3.node_count(), 96);
    EXPECT_EQ(shape3.nics_per_node, 4);
    EXPECT_EQ(shape3.fold.logical_sizes, (std::vector<std::int32_t>{8, 6, 2}));
    EXPECT_EQ(shape3.network.routing_name(), "dor:XYZACB,tie=+");
}

TEST(Allocation, whole_machine_is_the_default) {
    const Allocation job = allocate(load_machine("fx10-kyushu"), {.ranks_per_node = 4});
    EXPECT_EQ(job.shape, (std::vector<std::int32_t>{4, 2, 8, 2, 3, 2}));
    EXPECT_EQ(job.slot_count(), 768 * 4);
    EXPECT_TRUE(grid_of(job).axis(2).wraps);
}

TEST(Allocation, cuboid_may_cross_the_boundary_of_a_wrapped_axis) {
    // X of 4 wraps: positions 3, 0 from origin 3
    const Allocation job =
        allocate(load_machine("fx10-kyushu"), {.shape = {2, 1, 1, 2, 3, 2}, .origin = {3, 1, 2, 0, 0, 0}});
    EXPECT_EQ(job.machine_coordinates(NodeId(0)), (Coordinates{3, 1, 2, 0, 0, 0}));
    EXPECT_EQ(job.machine_coordinates(NodeId(12)), (Coordinates{0, 1, 2, 0, 0, 0}));
    EXPECT_EQ(job.node_at_machine_coordinates({0, 1, 2, 0, 0, 1}), NodeId(13));
    EXPECT_FALSE(job.node_at_machine_coordinates({1, 1, 2, 0, 0, 0}).valid());
    EXPECT_FALSE(job.node_at_machine_coordinates({4, 1, 2, 0, 0, 0}).valid());
    EXPECT_FALSE(job.node_at_machine_coordinates({0, 1}).valid());
    EXPECT_EQ(job.network.hops(NodeId(0), NodeId(12)), 1);
}

TEST(Allocation, size_of_an_open_machine_comes_from_the_shape) {
    const Allocation job = allocate(load_machine("fx10"), {.shape = {10, 1, 1, 2, 3, 2}});
    EXPECT_FALSE(grid_of(job).axis(0).wraps);
    EXPECT_TRUE(grid_of(job).axis(4).wraps);
    EXPECT_EQ(job.node_count(), 120);
    EXPECT_EQ(job.node_at_machine_coordinates({9, 0, 0, 1, 2, 1}), NodeId(119));
}

TEST(Allocation, node_list_takes_numbers_and_coordinates_in_slot_order) {
    const Allocation job =
        allocate(load_machine("torus:4x4"),
                 {.nodes = written("list", "# two spellings\n5\n(3,3)\n\n 0 1 # third\r\n"), .count_nic = true});
    EXPECT_TRUE(job.is_node_list);
    EXPECT_EQ(job.shape, std::vector<std::int32_t>{3});
    EXPECT_EQ(job.machine_coordinates(NodeId(1)), (Coordinates{3, 3}));
    EXPECT_EQ(job.node_at_machine_coordinates({0, 1}), NodeId(2));
    EXPECT_FALSE(job.node_at_machine_coordinates({0, 0}).valid());
    EXPECT_EQ(job.network.hops(NodeId(1), NodeId(2)), 1 + 2 + 2);  // uses the machine's wraps and crosses two channels
    EXPECT_EQ(job.fold.logical_sizes, std::vector<std::int32_t>{3});
}

TEST(Allocation, tree_takes_all_terminals_or_a_list) {
    const Machine machine = load_machine("fattree:2x3");
    const Allocation all = allocate(machine, {.shape = {9}, .routing = "s-mod-k"});
    EXPECT_EQ(all.node_count(), 9);
    EXPECT_EQ(all.network.routing_name(), "s-mod-k");
    EXPECT_EQ(all.machine_coordinates(NodeId(7)), Coordinates{7});
    const Allocation some = allocate(machine, {.nodes = written("tree", "8\n0\n")});
    EXPECT_EQ(some.node_at_machine_coordinates({8}), NodeId(0));
    EXPECT_EQ(some.network.hops(NodeId(0), NodeId(1)), 4);
}

TEST(Allocation, injection_channel_has_the_rate_of_one_nic) {
    const Allocation job = allocate(load_machine("fx10-kyushu"), {.shape = {1, 1, 1, 2, 3, 2}, .count_nic = true});
    EXPECT_EQ(job.network.bandwidth_bytes_per_s(job.network.injection_link(NodeId(0))), 5'000'000'000);
}

TEST(Allocation, coordinate_table_is_relative_to_the_job) {
    const Machine machine = load_machine("mesh:4x4");
    //  job 2x1 at (2,3): logical 0 is its second node
    const Allocation job =
        allocate(machine, {.shape = {2, 1}, .origin = {2, 3}, .fold = written("t", "0 1 0\n1 0 0\n")});
    EXPECT_TRUE(job.fold.is_coordinate_table);
    EXPECT_EQ(job.fold.node_of_position, (std::vector<NodeId>{NodeId(1), NodeId(0)}));
    const Allocation list =
        allocate(machine, {.nodes = written("l", "0 0\n3 3\n"), .fold = written("u", "0 3 3\n1 0 0\n")});
    EXPECT_EQ(list.fold.node_of_position, (std::vector<NodeId>{NodeId(1), NodeId(0)}));
}

TEST(Allocation, extended_order_of_tofu_is_accepted) {
    const Allocation job = allocate(load_machine("fx10-kyushu"),
                                    {.shape = {2, 1, 1, 2, 3, 2}, .routing = "dor:BCAXYZACB,tie=+,column=1.0.0"});
    EXPECT_EQ(job.network.routing_name(), "dor:BCAXYZACB,tie=+,column=1.0.0");
    EXPECT_EQ(job.network.hops(NodeId(0), NodeId(12)), 3);  // B 0 to 1, X, B back
}

TEST(Sizes, text_reads_back) {
    EXPECT_EQ(parse_sizes("1x2x4x2x3x2", "shape"), (std::vector<std::int32_t>{1, 2, 4, 2, 3, 2}));
    EXPECT_EQ(sizes_text(parse_sizes("0x12", "origin")), "0x12");
}

}  // namespace
}  // namespace haichi
