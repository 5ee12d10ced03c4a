#include <gtest/gtest.h>

#include <vector>

#include "mgen/mpi/topology.h"

namespace haichi::mpi {
namespace {

using Ints = std::vector<int>;

Ints filled(int nodes, Ints dims) {
    fill_dimensions(nodes, dims);
    return dims;
}

TEST(DimsCreate, is_balanced) {
    EXPECT_EQ(filled(6, {0, 0}), (Ints{3, 2}));
    EXPECT_EQ(filled(7, {0, 0}), (Ints{7, 1}));
    EXPECT_EQ(filled(72, {0, 0}), (Ints{9, 8}));
    EXPECT_EQ(filled(1, {0, 0, 0}), (Ints{1, 1, 1}));
    EXPECT_EQ(filled(4096, {0, 0, 0}), (Ints{16, 16, 16}));
    EXPECT_EQ(filled(1'000'000'000, {0, 0, 0}), (Ints{1000, 1000, 1000}));
    EXPECT_EQ(filled(2 * 3 * 5 * 7 * 11, {0, 0}), (Ints{55, 42}));
    EXPECT_EQ(filled(2'147'483'647, {0, 0}), (Ints{2'147'483'647, 1}));
    EXPECT_EQ(filled(735'134'400, Ints(17, 0)).front(), 17);
}

// Several factorizations have the same difference between largest and smallest: the smallest factor decides, then the
// next.
TEST(DimsCreate, of_equal_differences_takes_the_larger_small_ones) {
    EXPECT_EQ(filled(5040, {0, 0, 0}), (Ints{21, 16, 15}));
    EXPECT_EQ(filled(98784, {0, 0, 0, 0, 0}), (Ints{14, 14, 9, 8, 7}));
    EXPECT_EQ(filled(13104, {0, 0, 0, 0}), (Ints{14, 13, 9, 8}));
    EXPECT_EQ(filled(50000, Ints(8, 0)), (Ints{5, 5, 5, 5, 5, 4, 2, 2}));
}

TEST(DimsCreate, keeps_what_is_given) {
    EXPECT_EQ(filled(6, {0, 3, 0}), (Ints{2, 3, 1}));
    EXPECT_EQ(filled(24, {2, 0, 0}), (Ints{2, 4, 3}));
    EXPECT_EQ(filled(12, {3, 4}), (Ints{3, 4}));
    EXPECT_THROW(filled(7, {0, 3, 0}), CallError);
    EXPECT_THROW(filled(12, {3, 3}), CallError);
    EXPECT_THROW(filled(12, {-1, 0}), CallError);
    EXPECT_THROW(filled(0, {0, 0}), CallError);
}

TEST(Grids, are_row_major) {
    const CartTopology grid({2, 3, 4}, {false, true, false});
    EXPECT_EQ(grid.size(), 24);
    EXPECT_EQ(grid.rank(Ints{1, 2, 3}), 23);
    EXPECT_EQ(grid.rank(Ints{0, 1, 0}), 4);
    for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(grid.rank(grid.coordinates(rank)), rank);
    EXPECT_EQ(grid.rank(Ints{0, -1, 0}), 8);
    EXPECT_EQ(grid.rank(Ints{0, 7, 0}), 4);
    EXPECT_THROW(static_cast<void>(grid.rank(Ints{2, 0, 0})), CallError);
    EXPECT_THROW(static_cast<void>(grid.coordinates(24)), CallError);
}

TEST(Grids, have_neighbours_but_beyond_an_end) {
    const CartTopology grid({2, 3}, {false, true});
    EXPECT_EQ(grid.neighbor(0, 0, 1), 3);
    EXPECT_EQ(grid.neighbor(0, 0, -1), std::nullopt);
    EXPECT_EQ(grid.neighbor(0, 1, -1), 2);
    EXPECT_EQ(grid.neighbor(5, 1, 4), 3);
    EXPECT_EQ(grid.neighbor(4, 0, 0), 4);
    EXPECT_THROW(static_cast<void>(grid.neighbor(0, 2, 1)), CallError);
}

TEST(Grids, fall_into_parts) {
    const CartTopology grid({2, 3, 4}, {false, true, false});
    // The planes spanned by the first and the last dimension.
    const CartTopology::Part part = grid.part(Ints{1, 0, 1}, grid.rank(Ints{1, 2, 3}));
    EXPECT_EQ(part.topology, CartTopology({2, 4}, {false, false}));
    EXPECT_EQ(part.color, 2);
    EXPECT_EQ(part.key, 7);
    EXPECT_EQ(part.topology.coordinates(part.key), (Ints{1, 3}));
    // No dimension is kept: each rank is alone.
    const CartTopology::Part alone = grid.part(Ints{0, 0, 0}, 17);
    EXPECT_EQ(alone.topology.dimensions(), 0);
    EXPECT_EQ(alone.topology.size(), 1);
    EXPECT_EQ(alone.color, 17);
    EXPECT_EQ(alone.key, 0);
    EXPECT_EQ(alone.topology.rank(Ints{}), 0);
}

TEST(Grids, are_refused) {
    EXPECT_THROW(CartTopology({2, 0}, {false, false}), CallError);
    EXPECT_THROW(CartTopology({65536, 65536}, {false, false}), CallError);
}

// The standard's example: 0-1, 0-3, 2-3.
TEST(Graphs, know_all_neighbours) {
    const GraphTopology graph({2, 3, 4, 6}, {1, 3, 0, 3, 0, 2});
    EXPECT_EQ(Ints(graph.neighbors(0).begin(), graph.neighbors(0).end()), (Ints{1, 3}));
    EXPECT_EQ(Ints(graph.neighbors(3).begin(), graph.neighbors(3).end()), (Ints{0, 2}));
    EXPECT_THROW(GraphTopology({2, 1}, {0, 0}), CallError);
    EXPECT_THROW(GraphTopology({1, 2}, {1, 2}), CallError);
    EXPECT_THROW(GraphTopology({1, 3}, {1, 0}), CallError);
}

TEST(DistributedGraphs, collect_the_edges_that_any_rank_gave) {
    const std::vector<DistGraphEdges> given = {
        {{0, 1}, {2, 1}, {1, 2, 2}, {5, 6, 7}},
        {},
        {{2}, {1}, {1}, {8}},
    };
    for (const DistGraphEdges& edges : given) check_edges(edges, 3);
    const DistGraphTopology one = edges_by_rank(given)[1];
    EXPECT_EQ(one.sources, (Ints{0, 2}));
    EXPECT_EQ(one.source_weights, (Ints{5, 8}));
    EXPECT_EQ(one.destinations, (Ints{2}));
    EXPECT_EQ(one.destination_weights, (Ints{7}));
    EXPECT_TRUE(one.is_weighted);
    EXPECT_THROW(check_edges({{0}, {2}, {1}, {}}, 3), CallError);
    EXPECT_THROW(check_edges({{0}, {1}, {3}, {}}, 3), CallError);
}

}  // namespace
}  // namespace haichi::mpi
