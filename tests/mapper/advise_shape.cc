#include "mapper/advise/allowed_shapes.h"
#include "mapper/advise/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/errors.h"

namespace haichi {
namespace {

using Shape = std::vector<std::int32_t>;

std::set<Shape> shapes_of(const AllowedShapes& allowed) {
    std::set<Shape> shapes;
    for (const AllowedShape& shape : allowed.shapes) shapes.insert(shape.shape);
    return shapes;
}

TEST(AllowedShapes, of_a_tofu_are_whole_units_and_fit_the_machine) {
    const AllowedShapes allowed = allowed_shapes(load_machine("fx10-kyushu"), 96);
    EXPECT_EQ(allowed.node_count, 96);
    EXPECT_EQ(shapes_of(allowed), (std::set<Shape>{{1, 1, 8, 2, 3, 2},
                                                   {1, 2, 4, 2, 3, 2},
                                                   {2, 1, 4, 2, 3, 2},
                                                   {2, 2, 2, 2, 3, 2},
                                                   {4, 1, 2, 2, 3, 2},
                                                   {4, 2, 1, 2, 3, 2}}));
}

TEST(AllowedShapes, whose_logical_axes_can_be_turned_into_each_other_are_one_request) {
    const AllowedShapes allowed = allowed_shapes(load_machine("fx10-kyushu"), 96);
    const auto request = [&](const Shape& shape) {
        return std::ranges::find(allowed.shapes, shape, &AllowedShape::shape)->request;
    };
    // The pairs have the logical shapes 2x6x8 and 8x6x2, and 4x3x8 and 8x3x4.
    EXPECT_EQ(request({1, 2, 4, 2, 3, 2}), request({4, 2, 1, 2, 3, 2}));
    EXPECT_EQ(request({2, 1, 4, 2, 3, 2}), request({4, 1, 2, 2, 3, 2}));
    EXPECT_EQ(request({2, 2, 2, 2, 3, 2}), (Shape{4, 6, 4}));
    std::set<Shape> requests;
    for (const AllowedShape& shape : allowed.shapes) requests.insert(shape.request);
    EXPECT_EQ(requests.size(), 4U);
}

TEST(AllowedShapes, have_the_next_larger_number_of_nodes_where_none_has_exactly_as_many) {
    const Machine machine = load_machine("fx10-kyushu");
    EXPECT_EQ(allowed_shapes(machine, 97).node_count, 108);
    EXPECT_EQ(allowed_shapes(machine, 1).node_count, 12);
    EXPECT_EQ(allowed_shapes(machine, 768).shapes.size(), 1U);
    EXPECT_THROW(allowed_shapes(machine, 769), OptionError);
    EXPECT_EQ(allowed_shapes(load_machine("torus:4x4"), 5).node_count, 6);
}

TEST(AllowedShapes, of_a_plain_grid_stand_for_those_that_exchange_equal_axes) {
    EXPECT_EQ(shapes_of(allowed_shapes(load_machine("torus:8x8x8"), 64)),
              (std::set<Shape>{{8, 8, 1}, {8, 4, 2}, {4, 4, 4}}));
    EXPECT_EQ(shapes_of(allowed_shapes(load_machine("mesh:8x4"), 8)), (std::set<Shape>{{8, 1}, {4, 2}, {2, 4}}));
    // A whole axis of a torus wraps, so it differs from a part of a longer axis.
    const AllowedShapes allowed = allowed_shapes(load_machine("torus:8x4"), 16);
    EXPECT_EQ(shapes_of(allowed), (std::set<Shape>{{8, 2}, {4, 4}}));
    for (const AllowedShape& shape : allowed.shapes) EXPECT_EQ(shape.request, shape.shape);
}

TEST(AllowedShapes, of_a_machine_of_unknown_size_are_all_factorisations_into_units) {
    const AllowedShapes allowed = allowed_shapes(load_machine("fx10"), 48);
    EXPECT_EQ(shapes_of(allowed), (std::set<Shape>{{1, 1, 4, 2, 3, 2},
                                                   {1, 4, 1, 2, 3, 2},
                                                   {4, 1, 1, 2, 3, 2},
                                                   {1, 2, 2, 2, 3, 2},
                                                   {2, 1, 2, 2, 3, 2},
                                                   {2, 2, 1, 2, 3, 2}}));
}

TEST(AllowedShapes, are_those_that_the_machine_file_lists) {
    Machine machine = load_machine("fx10-kyushu");
    machine.allocations = {{1, 2, 4, 2, 3, 2}, {1, 1, 1, 2, 3, 2}, {4, 2, 1, 2, 3, 2}, {4, 2, 8, 2, 3, 2}};
    const AllowedShapes allowed = allowed_shapes(machine, 90);
    EXPECT_TRUE(allowed.is_listed);
    EXPECT_EQ(allowed.node_count, 96);
    EXPECT_EQ(shapes_of(allowed), (std::set<Shape>{{1, 2, 4, 2, 3, 2}, {4, 2, 1, 2, 3, 2}}));
    EXPECT_EQ(allowed_shapes(machine, 97).node_count, 768);
}

TEST(AllowedShapes, come_the_most_compact_first) {
    const AllowedShapes allowed = allowed_shapes(load_machine("mesh:64x64"), 64);
    EXPECT_EQ(allowed.shapes.front().shape, (Shape{8, 8}));
    EXPECT_EQ(allowed.shapes.back().shape, (Shape{64, 1}));
    EXPECT_DOUBLE_EQ(allowed.shapes.front().mean_distance, 2 * 63.0 / 24);
}

TEST(AllowedShapes, there_are_none_of_trees_and_graphs) {
    EXPECT_THROW(allowed_shapes(load_machine("fattree:3x4"), 8), UnsupportedError);
}

ShapeTimes timed(const Shape& shape, const Shape& request, const std::vector<double>& seconds,
                 const std::vector<double>& with_barriers) {
    ShapeTimes times{
        .shape = shape, .request = request, .search_value = 1, .without_barriers = {}, .with_barriers = {}};
    for (const double time : seconds) times.without_barriers.push_back({time, 0.001});
    for (const double time : with_barriers) times.with_barriers.push_back({time, 0.001});
    return times;
}

TEST(ShapeAdvisor, names_the_request_that_wins_beyond_the_spread) {
    const std::vector<ShapeTimes> shapes = {timed({8, 1}, {8, 1}, {2.0, 2.1, 2.2}, {1.5, 1.5, 1.5}),
                                            timed({4, 2}, {4, 2}, {1.0, 1.02, 1.01}, {1.1, 1.1, 1.1})};
    const ShapeAdvice advice = advise_shapes(shapes, {});
    EXPECT_EQ(advice.verdict, ShapeVerdict::kOne);
    EXPECT_EQ(advice.requests, (std::vector<Shape>{{4, 2}}));
    // Barriers help the other request: 1.5 against 1.01.
    EXPECT_NEAR(advice.gain, (1.5 - 1.01) / 1.5, 1e-12);
    EXPECT_NEAR(advice.spread, (0.01 + 0.001 + 0.001) / 1.5, 1e-12);
    EXPECT_EQ(advice.sentence, "Request 4x2: 1.01 s, faster than 8x1 by 32.7 %, spread 0.8 %.");
}

TEST(ShapeAdvisor, judges_a_request_by_its_slowest_shape) {
    const std::vector<ShapeTimes> shapes = {timed({1, 4}, {2, 8}, {1.0}, {1.0}), timed({4, 1}, {2, 8}, {2.0}, {2.0}),
                                            timed({2, 2}, {4, 4}, {1.5}, {1.6})};
    const ShapeAdvice advice = advise_shapes(shapes, {});
    EXPECT_EQ(advice.verdict, ShapeVerdict::kOne);
    EXPECT_EQ(advice.requests, (std::vector<Shape>{{4, 4}}));
}

TEST(ShapeAdvisor, sends_to_the_queue_where_nothing_is_beyond_the_spread) {
    std::vector<ShapeTimes> shapes = {timed({8, 1}, {8, 1}, {1.0, 1.2}, {1.3, 1.3}),
                                      timed({4, 2}, {4, 2}, {1.15, 1.2}, {1.3, 1.3})};
    EXPECT_EQ(advise_shapes(shapes, {}).verdict, ShapeVerdict::kAny);
    shapes.push_back(timed({2, 4}, {2, 4}, {1.9, 2.0}, {1.9, 2.0}));
    const ShapeAdvice advice = advise_shapes(shapes, {});
    EXPECT_EQ(advice.verdict, ShapeVerdict::kSeveral);
    EXPECT_EQ(advice.requests.size(), 2U);
    EXPECT_NE(advice.sentence.find("use the one that the queue starts first"), std::string::npos);
}

TEST(ShapeAdvisor, does_not_know_without_simulated_times) {
    const std::vector<ShapeTimes> shapes = {timed({8, 1}, {8, 1}, {}, {})};
    const ShapeAdvice advice =
        advise_shapes(shapes, {.why_unknown = "machine m does not state packet.payload", .interrupted = false});
    EXPECT_EQ(advice.verdict, ShapeVerdict::kUnknown);
    EXPECT_EQ(advice.sentence,
              "Not known: machine m does not state packet.payload; by the search alone, 8x1 is at least as good as the "
              "others.");
    EXPECT_NE(advise_shapes(shapes, {.interrupted = true}).sentence.find("interrupted"), std::string::npos);
    EXPECT_EQ(advise_shapes({}, {}).verdict, ShapeVerdict::kUnknown);
}

TEST(MissingTimes, are_told_by_the_keys_of_the_machine_file) {
    for (const char* preset : {"fx10-kyushu", "fugaku", "torus:4x4", "fattree:2x4", "switch"}) {
        EXPECT_EQ(why_times_mean_nothing(load_machine(preset)), "") << preset;
    }
    Machine machine = load_machine("torus:4x4");
    machine.name = "m";
    machine.packet_payload_bytes.reset();
    machine.node.mpi_call_overhead_ps.reset();
    EXPECT_EQ(why_times_mean_nothing(machine),
              "machine m does not state packet.payload and node.mpi_call_overhead, without which simulated times are "
              "meaningless");
}

}  // namespace
}  // namespace haichi
