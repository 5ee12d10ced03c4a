// Faulty nodes hold no ranks, and routes avoid them.

#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

using testing_files::written;

Allocation job(const std::string& machine, AllocationRequest request, const std::string& name,
               const std::string& faulty) {
    request.faulty = written("faulty_" + name, faulty);
    return allocate(load_machine(machine), request);
}

NodeId node(const Allocation& allocation, const Coordinates& at) { return allocation.node_at_machine_coordinates(at); }

std::vector<std::string> route(const Allocation& allocation, const Coordinates& from, const Coordinates& to) {
    std::vector<LinkId> links;
    allocation.network.append_route(node(allocation, from), node(allocation, to), links);
    std::vector<std::string> names;
    for (const LinkId link : links) names.push_back(allocation.network.link_name(link).substr(0, 2));
    return names;
}

TEST(FaultyNodes, on_a_tofu_are_passed_in_the_nearest_column) {
    const Allocation usual = allocate(load_machine("fx10:4x2x2"), {});
    EXPECT_EQ(route(usual, {0, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}), (std::vector<std::string>{"X+", "X+"}));
    // (1,0,0,0,0,0) is down: the route steps to another column, makes two steps along X and steps back. The columns one
    // step away are A = 1, B = 1, B = 2 and C = 1; the first in (A, B, C) order is C = 1.
    const Allocation passed = job("fx10:4x2x2", {}, "one", "1 0 0 0 0 0\n");
    EXPECT_EQ(route(passed, {0, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}),
              (std::vector<std::string>{"C+", "X+", "X+", "C-"}));
    EXPECT_EQ(passed.network.hops(node(passed, {0, 0, 0, 0, 0, 0}), node(passed, {2, 0, 0, 0, 0, 0})), 4);
    EXPECT_FALSE(passed.network.routes_are_shortest());
    EXPECT_FALSE(passed.network.hops_are_symmetric());
    // The detour passes a destination in another column on its way, so the route is not longer.
    EXPECT_EQ(route(passed, {0, 0, 0, 0, 0, 0}, {2, 0, 0, 1, 0, 0}), (std::vector<std::string>{"A+", "X+", "X+"}));
}

TEST(FaultyNodes, keep_their_number_and_take_no_ranks) {
    const Allocation passed = job("fx10:4x2x2", {.shape = {2, 1, 1, 2, 3, 2}, .origin = {1, 0, 0, 0, 0, 0}}, "kept",
                                  "2 0 0 0 0 1\n0 0 0 0 0 0  # not the job's\n");
    EXPECT_EQ(passed.node_count(), 24);
    EXPECT_EQ(passed.network.usable_node_count(), 23);
    EXPECT_FALSE(passed.network.is_usable(NodeId(13)));
    EXPECT_EQ(node(passed, {2, 0, 0, 0, 0, 1}), NodeId(13));
    for (const NodeId near : passed.network.near_nodes(NodeId(12))) EXPECT_NE(near, NodeId(13));
}

TEST(FaultyNodes, outside_of_a_cuboid_do_not_touch_it_but_those_between_listed_nodes_do) {
    const Allocation cuboid = job("fx10:4x2x2", {.shape = {1, 1, 2, 2, 3, 2}}, "outside", "1 0 0 0 0 0\n");
    EXPECT_TRUE(cuboid.network.options().faulty.empty());
    const std::string nodes = written("nodes_around", "0 0 0 0 0 0\n2 0 0 0 0 0\n");
    const Allocation list = job("fx10:4x2x2", {.nodes = nodes}, "between", "1 0 0 0 0 0\n");
    EXPECT_EQ(list.network.usable_node_count(), 2);
    EXPECT_EQ(list.network.hops(NodeId(0), NodeId(1)), 4);
}

TEST(FaultyNodes, on_a_plain_torus_end_the_job_with_the_nodes_named) {
    try {
        (void)job("torus:4x4", {.shape = {3, 4}, .origin = {1, 0}}, "torus", "2 1\n");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(), "node (2,1) is faulty, and is on the route from node (3,1) to node (1,0)");
        EXPECT_NE(error.hint().find("only the routing of Tofu"), std::string::npos);
    }
    // no route passes through the end of a line
    EXPECT_THROW((void)job("mesh:3", {}, "middle", "1\n"), OptionError);
    EXPECT_NO_THROW((void)job("mesh:3", {}, "end", "2\n"));
}

TEST(FaultyNodes, of_a_tree_only_take_no_ranks) {
    const Allocation tree = job("fattree:2x3", {}, "tree", "4\n");
    EXPECT_EQ(tree.network.usable_node_count(), 8);
    EXPECT_EQ(tree.network.hops(NodeId(3), NodeId(5)), 2);
    const auto near = tree.network.near_nodes(NodeId(3));
    EXPECT_EQ(std::vector<NodeId>(near.begin(), near.end()), std::vector<NodeId>{NodeId(5)});
    EXPECT_TRUE(tree.network.near_nodes(NodeId(4)).empty());
}

TEST(FaultyNodes, of_the_machine_and_of_the_list_add_up) {
    Machine machine = load_machine("fx10:2x2x2");
    machine.faulty = {VertexId(5), VertexId(30)};
    const Allocation both = allocate(machine, {.faulty = written("faulty_both", "30\n55\n")});
    EXPECT_EQ(both.network.options().faulty, (std::vector{VertexId(5), VertexId(30), VertexId(55)}));
}

TEST(FaultyNodes, need_a_machine_of_known_size_and_a_node_that_is_left) {
    EXPECT_THROW((void)job("fx10", {.shape = {1, 1, 1, 2, 3, 2}}, "open", "0\n"), OptionError);
    EXPECT_THROW((void)job("mesh:2", {}, "all", "0\n1\n"), OptionError);
}

TEST(NodeLists, with_gaps_and_several_ranks_per_node_work_on_tofu_and_mesh) {
    for (const std::string machine : {"fx10-kyushu", "mesh:8x8x12"}) {
        const std::string list = written("gaps", "700\n3\n5\n100\n");
        const Allocation gaps = allocate(load_machine(machine), {.nodes = list, .ranks_per_node = 2});
        EXPECT_EQ(gaps.node_count(), 4);
        EXPECT_EQ(gaps.slot_count(), 8);
        EXPECT_EQ(gaps.network.vertex(NodeId(0)), VertexId(700));
        EXPECT_EQ(gaps.network.node_at(VertexId(100)), NodeId(3));
        std::vector<LinkId> links;
        gaps.network.append_route(NodeId(0), NodeId(1), links);
        EXPECT_EQ(static_cast<std::int32_t>(links.size()), gaps.network.hops(NodeId(0), NodeId(1)));
    }
}

}  // namespace
}  // namespace haichi
