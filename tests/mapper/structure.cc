#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mapper/start/grid_start.h"
#include "mapper/structure/numbered_grid.h"
#include "mapper/structure/product_grid.h"
#include "objectives/metrics.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::started;

Posed posed_stencil(const std::string& pattern, std::vector<std::int32_t> dims, bool periodic,
                    const std::string& machine, std::int32_t points = 0, AllocationRequest request = {}) {
    PatternOptions options;
    options.dims = std::move(dims);
    options.periodic = periodic;
    options.points = points;
    options.shuffle_seed = 3;
    return pose(pattern, make_pattern(pattern, options), machine, request);
}

std::vector<std::int32_t> sorted(std::vector<std::int32_t> sizes) {
    std::ranges::sort(sizes);
    return sizes;
}

/// Fraction of the flows whose ends differ by one step in one coordinate; steps may wrap around the axis.
double share_of_steps(const RankGrid& grid, const Problem& problem) {
    double flows = 0;
    double steps = 0;
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        for (const Flow& flow : problem.flows(RankId(r))) {
            ++flows;
            if (!grid.has(RankId(r)) || !grid.has(flow.partner)) continue;
            std::int32_t distance = 0;
            for (std::size_t k = 0; k < grid.axis_count(); ++k) {
                const std::int32_t apart = std::abs(grid.of(RankId(r))[k] - grid.of(flow.partner)[k]);
                distance += std::min(apart, grid.sizes[k] - apart);
            }
            if (distance == 1) ++steps;
        }
    }
    return steps / flows;
}

double hops_per_byte(const Posed& posed, const Mapping& mapping) {
    double hops = 0;
    double bytes = 0;
    for (const Message& m : posed.workload->messages()) {
        bytes += static_cast<double>(m.size_bytes);
        hops += static_cast<double>(m.size_bytes) *
                posed.problem->network().hops(mapping.node(m.source), mapping.node(m.destination));
    }
    return hops / bytes;
}

double hops_per_byte_of_grid(const Posed& posed) {
    return hops_per_byte(posed, started("grid", *posed.problem, *posed.allocation));
}

TEST(ProductGrid, finds_the_axes_of_shuffled_stencils) {
    struct Case {
        std::string pattern;
        std::vector<std::int32_t> dims;
        bool periodic;
    };
    const std::vector<Case> cases = {{"stencil3d", {6, 7, 8}, true}, {"stencil3d", {6, 7, 8}, false},
                                     {"stencil3d", {4, 4, 6}, true}, {"stencil3d", {3, 5, 2}, true},
                                     {"stencil2d", {20, 11}, true},  {"stencil2d", {2, 30}, false},
                                     {"stencil2d", {1, 30}, true},   {"stencil3d", {2, 2, 2}, false}};
    for (const Case& each : cases) {
        const Posed posed = posed_stencil(each.pattern, each.dims, each.periodic, "torus:8x8x8");
        SCOPED_TRACE(each.pattern + (each.periodic ? " periodic " : " open ") + std::to_string(each.dims.back()));
        const auto grid = find_product_grid(rank_graph(*posed.problem));
        ASSERT_TRUE(grid.has_value());
        std::vector<std::int32_t> sizes;
        for (const std::int32_t size : each.dims) {
            if (size > 1) sizes.push_back(size);
        }
        // Two axes of size 2 form a ring of four.
        if (each.dims == std::vector<std::int32_t>{2, 2, 2}) sizes = {4, 2};
        EXPECT_EQ(sorted(grid->sizes), sorted(sizes));
        EXPECT_EQ(share_of_steps(*grid, *posed.problem), 1.0);
    }
}

TEST(ProductGrid, finds_rows_and_columns_of_a_transpose) {
    PatternOptions options;
    options.dims = {12, 9};
    options.shuffle_seed = 5;
    const Posed posed = pose("fft", make_pattern("fft", options), "torus:16x8", {});
    const auto grid = find_product_grid(rank_graph(*posed.problem));
    ASSERT_TRUE(grid.has_value());
    EXPECT_EQ(sorted(grid->sizes), (std::vector<std::int32_t>{9, 12}));
    for (std::int32_t r = 0; r < posed.problem->rank_count(); ++r) {
        for (const Flow& flow : posed.problem->flows(RankId(r))) {
            const auto here = grid->of(RankId(r));
            const auto there = grid->of(flow.partner);
            EXPECT_EQ((here[0] != there[0] ? 1 : 0) + (here[1] != there[1] ? 1 : 0), 1);
        }
    }
}

TEST(ProductGrid, finds_the_faces_of_stencils_with_diagonals) {
    for (const bool periodic : {false, true}) {
        for (const int points : {9, 19, 27}) {
            SCOPED_TRACE(std::to_string(points) + (periodic ? " periodic" : " open"));
            const Posed posed = points > 9 ? posed_stencil("stencil3d", {6, 8, 7}, periodic, "torus:8x8x8", points)
                                           : posed_stencil("stencil2d", {12, 15}, periodic, "torus:8x8x8", points);
            const RankGraph graph = rank_graph(*posed.problem);
            EXPECT_FALSE(find_product_grid(graph).has_value());
            const auto grid = find_product_grid(without_looser_edges_of_triangles(graph));
            ASSERT_TRUE(grid.has_value());
            const auto sizes = points > 9 ? std::vector<std::int32_t>{6, 7, 8} : std::vector<std::int32_t>{12, 15};
            EXPECT_EQ(sorted(grid->sizes), sizes);
        }
    }
}

TEST(ProductGrid, missing_messages_and_a_few_long_ones_do_no_harm) {
    PatternOptions options;
    options.dims = {10, 11, 12};
    options.periodic = true;
    const Workload whole = make_pattern("stencil3d", options);
    Random random(7);
    Workload damaged(whole.rank_count(), 1);
    damaged.add_set("all");
    for (const Message& m : whole.messages()) {
        const bool is_lost = (m.source.value * 31 + m.destination.value * 31) % 97 == 0;
        if (!is_lost) damaged.add_message(m.source, m.destination, m.size_bytes);
    }
    for (int i = 0; i < 2; ++i) {
        damaged.add_message(RankId(static_cast<std::int32_t>(random.below(1320))),
                            RankId(static_cast<std::int32_t>(random.below(1320))), 1 << 20);
    }
    const Posed posed = pose("damaged", std::move(damaged), "torus:12x12x12", {});
    const auto grid = find_product_grid(rank_graph(*posed.problem));
    ASSERT_TRUE(grid.has_value());
    EXPECT_EQ(sorted(grid->sizes), (std::vector<std::int32_t>{10, 11, 12}));
    EXPECT_GT(share_of_steps(*grid, *posed.problem), 0.99);
}

TEST(ProductGrid, finds_none_in_random_messages) {
    const Posed sparse = pose("sparse", testing_problems::random_workload(300, 1, 900, true, 1), "torus:8x8x8", {});
    EXPECT_FALSE(find_product_grid(rank_graph(*sparse.problem)).has_value());
    const Posed dense = pose("dense", testing_problems::random_workload(60, 1, 900, true, 1), "torus:4x4x4", {});
    EXPECT_FALSE(find_product_grid(rank_graph(*dense.problem)).has_value());
}

TEST(NumberedGrids, the_first_is_the_one_the_program_numbers_its_ranks_by) {
    PatternOptions options;
    options.dims = {6, 10, 4};
    const Posed posed = pose("stencil", make_pattern("stencil3d", options), "torus:8x8x8", {});
    const std::vector<RankGrid> grids = numbered_grids(*posed.problem, 3);
    ASSERT_EQ(grids.size(), 3U);
    EXPECT_EQ(grids.front().sizes, (std::vector<std::int32_t>{6, 10, 4}));
    EXPECT_EQ(grids.back().sizes, (std::vector<std::int32_t>{240}));
}

TEST(GridStart, lays_a_shuffled_stencil_on_its_own_torus) {
    const Posed posed = posed_stencil("stencil3d", {16, 16, 16}, true, "torus:16x16x16");
    EXPECT_EQ(hops_per_byte_of_grid(posed), 1.0);
}

TEST(GridStart, cuts_and_folds_axes) {
    // A ring of 24 fits on 12 x 2, a ring of 9 on 3 x 3: neighbours stay adjacent.
    EXPECT_EQ(hops_per_byte_of_grid(posed_stencil("stencil2d", {24, 9}, true, "torus:12x3x2x3")), 1.0);
    // Two long axes share the machine's third axis. One axis forms a ring inside a slab of four layers, the other
    // crosses from slab to slab four times.
    EXPECT_EQ(hops_per_byte_of_grid(posed_stencil("stencil2d", {64, 64}, true, "torus:16x16x16")), 1 + 6.0 / 64);
    // A path on a mesh with idle nodes.
    EXPECT_EQ(hops_per_byte_of_grid(posed_stencil("stencil2d", {60, 16}, false, "mesh:16x16x16")), 1.0);
}

TEST(GridStart, lays_blocks_of_ranks_on_nodes) {
    // Two thirds of the messages of a 2 x 2 x 1 block leave it, with 1, 1/2 and 1/2 hops along the axes.
    EXPECT_DOUBLE_EQ(
        hops_per_byte_of_grid(posed_stencil("stencil3d", {16, 16, 16}, true, "torus:16x8x8", 0, {.ranks_per_node = 4})),
        2.0 / 3);
}

TEST(GridStart, uses_the_axes_of_a_tofu_unit) {
    const Posed posed = posed_stencil("stencil3d", {8, 9, 6}, false, "k", 0, {.shape = {4, 3, 3, 2, 3, 2}});
    EXPECT_EQ(hops_per_byte_of_grid(posed), 1.0);
}

TEST(GridStart, passes_over_faulty_nodes) {
    const std::string down = testing_files::written("down_of_k", "0 0 0 1 1 0\n2 1 2 0 2 1\n");
    const Posed posed =
        posed_stencil("stencil3d", {8, 9, 5}, false, "k", 0, {.shape = {4, 3, 3, 2, 3, 2}, .faulty = down});
    EXPECT_LT(hops_per_byte_of_grid(posed), 1.1);
}

TEST(GridStart, has_few_messages_per_link_if_those_count) {
    // One axis of 8 is divided among both grid axes. One of them makes steps of 2 hops, or of 4 with fewer in all.
    const Posed posed = posed_stencil("stencil2d", {16, 4}, true, "mesh:8x8");
    const auto contention = [&](const Mapping& mapping) {
        const std::vector<std::int64_t> of_sets = measure(*posed.problem, mapping).set_contention;
        return std::accumulate(of_sets.begin(), of_sets.end(), 0.0);
    };
    const auto placed = grid_placement_by(
        *posed.problem, *posed.allocation, [&](const Mapping& mapping) { return std::vector{contention(mapping)}; },
        [] { return true; });
    EXPECT_EQ(contention(placed.value()), 6);
    EXPECT_GT(contention(started("grid", *posed.problem, *posed.allocation)), 6);
}

TEST(GridStart, gives_up_when_told_to) {
    const Posed posed = posed_stencil("stencil2d", {24, 32}, false, "fx10-kyushu");
    EXPECT_FALSE(find_start("grid")->place(*posed.problem, *posed.allocation, 1, [] { return false; }).has_value());
}

}  // namespace
}  // namespace haichi
