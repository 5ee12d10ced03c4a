#include <gtest/gtest.h>

#include <set>

#include "base/errors.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/topology/dragonfly.h"
#include "netmodel/topology/fat_tree.h"
#include "netmodel/topology/grid.h"

namespace haichi {
namespace {

TEST(Grid, size_two_axis_has_one_link_each_way_even_when_it_wraps) {
    // 0 <==> 1
    const Grid grid({{"A", 2, true}});
    EXPECT_EQ(grid.links_per_vertex(), 1);
    EXPECT_EQ(grid.link(VertexId(0), 0, Sign::kPlus), LinkId(0));
    EXPECT_EQ(grid.link(VertexId(1), 0, Sign::kMinus), LinkId(1));
    EXPECT_EQ(grid.link_ends(LinkId(1)).to, VertexId(0));
}

TEST(Grid, mesh_border_links_do_not_exist) {
    // 0 <-> 1 <-> 2
    const Grid grid({{"X", 3, false}});
    EXPECT_FALSE(grid.link_exists(grid.link(VertexId(0), 0, Sign::kMinus)));
    EXPECT_TRUE(grid.link_exists(grid.link(VertexId(0), 0, Sign::kPlus)));
    EXPECT_FALSE(grid.link_exists(grid.link(VertexId(2), 0, Sign::kPlus)));
}

TEST(Grid, refuses_more_vertices_than_ids_can_number) {
    EXPECT_THROW(Grid({{"X", 1 << 14, false}, {"Y", 1 << 14, false}}), OptionError);
    EXPECT_THROW(Grid({{"X", 0, false}}), OptionError);
    EXPECT_THROW(Grid(std::vector<Axis>{}), OptionError);
}

// children 3,2  parents 1,1: the paper's two switches with three nodes each below a third switch.
//
//            [2.0]
//           /     \.
//       [1.0]     [1.1]
//       / | \     / | \.
//      0  1  2   3  4  5
TEST(FatTree, two_level_tree_has_its_switches_above_the_terminals) {
    const FatTree tree({3, 2}, {1, 1});
    EXPECT_EQ(tree.terminal_count(), 6);
    EXPECT_EQ(tree.vertex_count(), 9);
    EXPECT_EQ(tree.link_count(), 16);
    EXPECT_EQ(tree.level(VertexId(5)), 0U);
    EXPECT_EQ(tree.level(VertexId(6)), 1U);
    EXPECT_EQ(tree.level(VertexId(8)), 2U);
    EXPECT_EQ(tree.common_level(VertexId(0), VertexId(0)), 0U);
    EXPECT_EQ(tree.common_level(VertexId(0), VertexId(2)), 1U);
    EXPECT_EQ(tree.common_level(VertexId(2), VertexId(3)), 2U);
    const FatTree::LinkEnds up = tree.link_ends(tree.up_link(0, 4, 0));
    EXPECT_EQ(up.from, VertexId(4));
    EXPECT_EQ(up.to, VertexId(7));
    EXPECT_TRUE(up.up);
    const FatTree::LinkEnds down = tree.link_ends(tree.down_link(1, 1, 0));
    EXPECT_EQ(down.from, VertexId(8));
    EXPECT_EQ(down.to, VertexId(7));
    EXPECT_FALSE(down.up);
    EXPECT_EQ(down.lower_level, 1U);
}

// p = 1, a = 2, h = 1: three groups G of two routers with one terminal each. Port 0 belongs to router 0, port 1 to
// router 1; they lead to the other groups in ascending order.
//
//     G0: (0.0)-(0.1)     (0.0)--(1.0)    0 -> 1 over port 0, 0 -> 2 over port 1
//     G1: (1.0)-(1.1)     (0.1)--(2.0)    1 -> 0 over port 0, 1 -> 2 over port 1
//     G2: (2.0)-(2.1)     (1.1)--(2.1)    2 -> 0 over port 0, 2 -> 1 over port 1
TEST(Dragonfly, groups_are_joined_in_the_absolute_arrangement) {
    const Dragonfly dragonfly(1, 2, 1);
    EXPECT_EQ(dragonfly.group_count(), 3);
    EXPECT_EQ(dragonfly.terminal_count(), 6);
    EXPECT_EQ(dragonfly.vertex_count(), 12);
    EXPECT_EQ(dragonfly.link_count(), 6 + 6 + 6 + 6);  // up, down, local, global
    const auto joined = [&](std::int32_t from, std::int32_t to) {
        const Dragonfly::LinkEnds ends = dragonfly.link_ends(dragonfly.global_link(from, to));
        EXPECT_EQ(ends.kind, Dragonfly::LinkKind::kGlobal);
        return std::pair(ends.from.value - 6, ends.to.value - 6);
    };
    EXPECT_EQ(joined(0, 1), std::pair(0, 2));
    EXPECT_EQ(joined(0, 2), std::pair(1, 4));
    EXPECT_EQ(joined(1, 0), std::pair(2, 0));
    EXPECT_EQ(joined(1, 2), std::pair(3, 5));
    EXPECT_EQ(joined(2, 0), std::pair(4, 1));
    EXPECT_EQ(joined(2, 1), std::pair(5, 3));
    const Dragonfly::LinkEnds local = dragonfly.link_ends(dragonfly.local_link(3, 2));
    EXPECT_EQ(local.from, dragonfly.router_vertex(3));
    EXPECT_EQ(local.to, dragonfly.router_vertex(2));
    EXPECT_EQ(local.kind, Dragonfly::LinkKind::kLocal);
    const Dragonfly::LinkEnds down = dragonfly.link_ends(dragonfly.down_link(VertexId(5)));
    EXPECT_EQ(down.from, dragonfly.router_vertex(5));
    EXPECT_EQ(down.to, VertexId(5));
}

TEST(Dragonfly, every_router_has_its_ports_and_no_more) {
    for (const Dragonfly& dragonfly : {Dragonfly(2, 4, 2), Dragonfly(1, 3, 2, 5), Dragonfly(1, 1, 4),
                                       Dragonfly(3, 5, 1, 1), Dragonfly(1, 5, 0, 1), Dragonfly(2, 3, 3, 2)}) {
        std::vector<std::int32_t> local(static_cast<std::size_t>(dragonfly.vertex_count()));
        std::vector<std::int32_t> global = local;
        std::set<std::pair<VertexId, VertexId>> seen;
        for (std::int32_t l = 0; l < dragonfly.link_count(); ++l) {
            const Dragonfly::LinkEnds ends = dragonfly.link_ends(LinkId(l));
            EXPECT_NE(ends.from, ends.to);
            EXPECT_TRUE(seen.emplace(ends.from, ends.to).second);
            if (ends.kind == Dragonfly::LinkKind::kLocal) ++local[ends.from.index()];
            if (ends.kind == Dragonfly::LinkKind::kGlobal) ++global[ends.from.index()];
        }
        for (const auto& [from, to] : seen) EXPECT_TRUE(seen.contains({to, from}));
        std::int32_t sum = 0;
        for (std::int32_t r = 0; r < dragonfly.router_count(); ++r) {
            EXPECT_EQ(local[dragonfly.router_vertex(r).index()], dragonfly.routers_per_group() - 1);
            EXPECT_LE(global[dragonfly.router_vertex(r).index()], dragonfly.global_links_per_router());
            sum += global[dragonfly.router_vertex(r).index()];
        }
        EXPECT_EQ(sum, dragonfly.group_count() * (dragonfly.group_count() - 1));
    }
}

// The 2-ary 2-tree: full bisection.
//
//      [2.0]   [2.1]
//        | \  / |
//        |  \/  |
//        |  /\  |
//      [1.0]   [1.1]
//      /  \    /  \.
//     0    1  2    3
TEST(FatTree, binary_fat_tree_joins_every_leaf_switch_to_every_spine) {
    const FatTree tree({2, 2}, {1, 2});
    EXPECT_EQ(tree.vertex_count(), 4 + 2 + 2);
    std::set<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t leaf = 0; leaf < 2; ++leaf) {
        for (std::int32_t parent = 0; parent < 2; ++parent) {
            const FatTree::LinkEnds ends = tree.link_ends(tree.up_link(1, leaf, parent));
            edges.emplace(ends.from.value, ends.to.value);
        }
    }
    EXPECT_EQ(edges, (std::set<std::pair<std::int32_t, std::int32_t>>{{4, 6}, {4, 7}, {5, 6}, {5, 7}}));
}

std::int32_t spine_of(const FatTree& tree, FatTreeRouting routing, std::int32_t s, std::int32_t d) {
    std::vector<LinkId> links;
    append_fat_tree_route(tree, routing, VertexId(s), VertexId(d), links);
    return tree.link_ends(links[1]).to.value;
}

TEST(FatTreeRouting, source_fixes_the_spine_with_s_mod_k_and_destination_with_d_mod_k) {
    const FatTree tree({2, 2}, {1, 2});  // as drawn above; spines are 6 and 7
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kSourceModK, 0, 2), 6);
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kSourceModK, 0, 3), 6);
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kSourceModK, 1, 2), 7);
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kDestinationModK, 0, 2), 6);
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kDestinationModK, 0, 3), 7);
    EXPECT_EQ(spine_of(tree, FatTreeRouting::kDestinationModK, 1, 3), 7);
}

TEST(FatTreeRouting, shift_by_one_leaf_is_free_of_contention_on_full_bisection) {
    // The 4-ary 2-tree: every terminal of leaf i sends to its partner under leaf i + 1.
    const FatTree tree({4, 4}, {1, 4});
    for (const FatTreeRouting routing : {FatTreeRouting::kSourceModK, FatTreeRouting::kDestinationModK}) {
        std::vector<std::int32_t> load(static_cast<std::size_t>(tree.link_count()));
        for (std::int32_t s = 0; s < 16; ++s) {
            std::vector<LinkId> links;
            append_fat_tree_route(tree, routing, VertexId(s), VertexId((s + 4) % 16), links);
            for (const LinkId link : links) EXPECT_EQ(++load[link.index()], 1);
        }
    }
}

TEST(FatTree, refuses_lists_that_make_no_tree) {
    EXPECT_THROW(FatTree({}, {}), OptionError);
    EXPECT_THROW(FatTree({2, 2}, {1}), OptionError);
    EXPECT_THROW(FatTree({2, 0}, {1, 1}), OptionError);
    EXPECT_THROW(FatTree({2, 2}, {1, -1}), OptionError);
    EXPECT_THROW(FatTree(std::vector<std::int32_t>(33, 1), std::vector<std::int32_t>(33, 1)), OptionError);
    EXPECT_THROW(FatTree({1 << 20, 1 << 20}, {1, 1}), OptionError);
    EXPECT_THROW(FatTree({1 << 12, 1 << 12}, {1 << 12, 1 << 12}), OptionError);
}

std::string hint_for_fat_tree_routing(const std::string& name) {
    try {
        (void)parse_fat_tree_routing(name);
    } catch (const OptionError& error) {
        return error.hint();
    }
    return "no error";
}

TEST(FatTreeRouting, name_reads_back_and_unknown_name_gets_a_suggestion) {
    EXPECT_EQ(parse_fat_tree_routing("s-mod-k"), FatTreeRouting::kSourceModK);
    EXPECT_EQ(parse_fat_tree_routing(to_string(FatTreeRouting::kDestinationModK)), FatTreeRouting::kDestinationModK);
    EXPECT_EQ(parse_fat_tree_routing("d-mod-k"), FatTreeRouting::kDestinationModK);
    EXPECT_EQ(hint_for_fat_tree_routing("dmod-k"), "did you mean 'd-mod-k'?");
    EXPECT_EQ(hint_for_fat_tree_routing("minimal"), "routings of trees are s-mod-k, d-mod-k");
}

TEST(FatTreeRouting, refuses_former_names_with_the_present_ones) {
    EXPECT_EQ(hint_for_fat_tree_routing("up-straight"), "use its present name 's-mod-k'");
    EXPECT_EQ(hint_for_fat_tree_routing("down-straight"), "use its present name 'd-mod-k'");
}

}  // namespace
}  // namespace haichi
