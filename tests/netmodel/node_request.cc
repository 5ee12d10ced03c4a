#include "netmodel/machine/node_request.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace haichi {
namespace {

using Sizes = std::vector<std::int32_t>;

struct Converted {
    const char* machine;
    Sizes request;
    const char* fold;
    Sizes shape;
    const char* folded;  ///< the fold of the job
};

TEST(NodeRequest, is_converted_to_the_machine_s_axes) {
    for (const auto& [machine, request, fold, shape, folded] : std::vector<Converted>{
             {"fugaku", {4, 6, 4}, "default", {2, 2, 2, 2, 3, 2}, "default"},
             {"fugaku", {48, 6, 48}, "default", {24, 2, 24, 2, 3, 2}, "default"},
             {"fugaku", {4, 6, 16}, "mesh", {2, 2, 8, 2, 3, 2}, "mesh"},
             {"k", {12, 27, 16}, "default", {6, 9, 8, 2, 3, 2}, "default"},
             {"fx10", {4, 6, 4}, "default", {2, 2, 2, 2, 3, 2}, "default"},  // open sizes
             {"fx10-kyushu", {8, 6, 16}, "default", {4, 2, 8, 2, 3, 2}, "default"},
             {"fugaku", {96}, "default", {8, 1, 1, 2, 3, 2}, "1d"},
             {"fx10-kyushu", {96}, "default", {1, 1, 8, 2, 3, 2}, "1d"},  // X has 4 units
             {"fx10-kyushu", {12}, "row-major", {1, 1, 1, 2, 3, 2}, "row-major"},
             {"fugaku", {12, 4}, "default", {2, 2, 1, 2, 3, 2}, "2d"},
             {"fx10-kyushu", {12, 16}, "default", {2, 1, 8, 2, 3, 2}, "2d"},  // Y has 2 units
             {"fx10-kyushu", {6, 16}, "default", {1, 1, 8, 2, 3, 2}, "2d"},
             {"fugaku", {1, 2, 4, 2, 3, 2}, "default", {1, 2, 4, 2, 3, 2}, "default"},
             {"torus:4x4", {4, 4}, "default", {4, 4}, "default"},
         }) {
        const Allocation job = allocate(load_machine(machine), {.shape = request, .fold = fold});
        EXPECT_EQ(job.shape, shape) << machine << " " << sizes_text(request);
        EXPECT_EQ(job.fold.name, folded);
        if (request.size() >= 4 || job.fold.name == "row-major") continue;
        EXPECT_EQ(job.fold.logical_sizes, request);
    }
}

struct Refused {
    const char* machine;
    Sizes request;
    const char* message;
    const char* hint;
};

TEST(NodeRequest, that_the_machine_cannot_hold_is_refused_with_the_nearest_that_it_can) {
    for (const auto& [machine, request, message, hint] : std::vector<Refused>{
             {"fugaku", {5, 6, 4}, "5 is not a multiple of 2", "§shape 4x6x4 (96 nodes) or 6x6x4 (144 nodes)"},
             {"fugaku", {4, 4, 8}, "4 is not a multiple of 3", "§shape 4x3x8 (96 nodes) or 4x6x8 (192 nodes)"},
             {"fugaku", {5, 4, 3}, "whole units of 2x3x2", "§shape 4x3x4 (48 nodes) or 6x3x4 (72 nodes)"},
             {"fugaku", {1, 1, 1}, "whole units of 2x3x2", "§shape 2x3x2 (12 nodes)"},
             {"fugaku", {4, 4, 6}, "4 is not a multiple of 3", "§shape 4x6x4, the same sizes in another order"},
             {"fx10-kyushu", {16, 6, 8}, "logical shape is 8x6x16", "§shape 8x6x16, the same sizes in another order"},
             {"fx10-kyushu", {10, 6, 20}, "logical shape is 8x6x16", "§shape 8x6x16 (768 nodes)"},
             {"fugaku", {0, 6, 4}, "has a size of 0", ""},
             {"fugaku", {100}, "whole units of 12 nodes", "§shape 96 or 108"},
             {"fugaku", {7}, "whole units of 12 nodes", "§shape 12"},
             {"fugaku", {384}, "exceeds a line of units", "§shape 8x6x8 (384 nodes)"},
             {"fugaku", {8, 6}, "whole units of 6x2", "§shape 6x6 (36 nodes) or 12x6 (72 nodes)"},
             {"fx10-kyushu", {36, 2}, "exceeds a plane of units", "3D request"},
         }) {
        try {
            (void)allocate(load_machine(machine), {.shape = request});
            ADD_FAILURE() << sizes_text(request);
        } catch (const OptionError& error) {
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
            EXPECT_NE(error.hint().find(hint), std::string::npos) << sizes_text(request) << ": " << error.hint();
        }
    }
    EXPECT_THROW((void)allocate(load_machine("fugaku"), {.shape = {24}, .fold = "mesh"}), UnsupportedError);
}

TEST(NodeRequest, of_some_nodes_is_compact_and_has_few_idle_nodes) {
    const auto compact = [](const char* machine, std::int64_t nodes) {
        return compact_request(load_machine(machine), nodes);
    };
    EXPECT_EQ(compact("fugaku", 96), (Sizes{4, 6, 4}));
    EXPECT_EQ(compact("fugaku", 384), (Sizes{8, 6, 8}));
    EXPECT_EQ(compact("fugaku", 1), (Sizes{2, 3, 2}));
    EXPECT_EQ(compact("fx10-kyushu", 768), (Sizes{8, 6, 16}));
    EXPECT_EQ(compact("fx10-kyushu", 769), Sizes{});
    EXPECT_EQ(compact("torus:4x4", 4), Sizes{});
}

TEST(NodeRequest, may_be_rotated_where_whole_units_stay_whole) {
    const auto shapes = [](const Sizes& request) {
        std::vector<Sizes> found;
        for (const RotatedRequest& rotated : rotated_requests(load_machine("fugaku"), request)) {
            found.push_back(rotated.shape);
        }
        return found;
    };
    EXPECT_EQ(shapes({4, 6, 8}), (std::vector<Sizes>{{4, 2, 2, 2, 3, 2}}));
    EXPECT_EQ(shapes({12, 6, 4}).size(), 3U) << "6 or 12 lies on Y and B";
    EXPECT_EQ(shapes({96}), std::vector<Sizes>{});
}

TEST(ScatteredJobs, have_the_coordinates_of_the_request_and_no_distances) {
    const Allocation job = allocate(load_machine("fugaku"), {.shape = {5, 7}, .ranks_per_node = 4, .fold = "noncont"});
    EXPECT_TRUE(job.is_scattered);
    EXPECT_EQ(job.node_count(), 35);
    EXPECT_EQ(job.fold.logical_sizes, (Sizes{5, 7}));
    EXPECT_EQ(job.fold.logical_coordinates(NodeId(6)), (Coordinates{1, 1}));
    EXPECT_EQ(job.network.hops(NodeId(0), NodeId(1)), job.network.hops(NodeId(3), NodeId(34)));
    const Machine machine = load_machine("fugaku");
    EXPECT_THROW((void)allocate(machine, {.fold = "noncont"}), OptionError);
    EXPECT_THROW((void)allocate(machine, {.nodes = std::vector<std::int32_t>{1}, .fold = "noncont"}), OptionError);
    EXPECT_THROW((void)allocate(load_machine("torus:4x4"), {.shape = {4}, .fold = "noncont"}), UnsupportedError);
}

TEST(RankOrder, follows_the_axes_of_the_scheduler) {
    const Allocation job =
        allocate(load_machine("fugaku"), {.shape = {2, 3, 2}, .rank_order = {.by_node = true, .axes = "ZYX"}});
    EXPECT_TRUE(job.fills_by_node);
    EXPECT_EQ(job.fold.logical_coordinates(job.fold.node_of_position[1]), (Coordinates{0, 0, 1}));
    EXPECT_EQ(job.fold.logical_coordinates(job.fold.node_of_position[2]), (Coordinates{0, 1, 0}));
    EXPECT_THROW((void)allocate(load_machine("fugaku"), {.shape = {2, 3, 2}, .rank_order = {.axes = "XY"}}),
                 OptionError);
}

}  // namespace
}  // namespace haichi
