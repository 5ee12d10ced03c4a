#include "mapper/job/plugin_library.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/job/map_job.h"
#include "mapper/job/map_shapes.h"
#include "objectives/function_objective.h"
#include "tests/unit/problems.h"

namespace haichi {
namespace {

const std::string kLibrary = HAICHI_TEST_PLUGIN;

MapRequest cg_request() {
    PatternOptions options;
    options.ranks = 32;
    MapRequest request;
    request.machine = "fx10-kyushu";
    request.workload = make_pattern("cg", options);
    request.allocation.shape = {1, 2, 2, 2, 3, 2};
    request.search.evaluations = 20'000;
    request.search.restarts = 2;
    return request;
}

TEST(PluginLibrary, an_objective_of_a_shared_library_is_annealed_and_verified_as_any) {
    MapRequest request = cg_request();
    request.objective = kLibrary + ":set-diameter";
    request.search.evaluations = 2'000;
    request.search.verify = VerifyLevel::kStep;
    const MapReport report = run_map(request);
    EXPECT_EQ(report.unit, "hops");
    EXPECT_LT(report.value, report.default_value);
    EXPECT_EQ(report.lower_bound, 4);
    // By the definition: the longest route of each set.
    double sum = 0;
    for (std::size_t t = 0; t < report.workload->set_count(); ++t) {
        std::int32_t longest = 0;
        for (const Message& m : report.workload->messages(t)) {
            longest = std::max(longest, report.allocation->network.hops(report.mapping.node(m.source),
                                                                        report.mapping.node(m.destination)));
        }
        sum += longest;
    }
    EXPECT_EQ(report.value, sum);
    EXPECT_EQ(run_map(request).mapping, report.mapping);
}

TEST(PluginLibrary, an_objective_of_one_problem_is_not_made_robust) {
    ShapesRequest request;
    request.job = cg_request();
    request.job.objective = kLibrary + ":set-diameter";
    request.shapes = {{1, 2, 2, 2, 3, 2}};
    request.robust = RobustMeasure::kMax;
    EXPECT_THROW(run_map_shapes(request), UnsupportedError);
}

TEST(PluginLibrary, evaluate_tells_its_value_beside_the_others) {
    const MapReport placed = run_map(cg_request());
    EvaluateRequest request;
    request.machine = "fx10-kyushu";
    request.workload = *placed.workload;
    request.allocation.shape = {1, 2, 2, 2, 3, 2};
    request.objective = kLibrary + ":set-diameter";
    request.map = std::vector<NodeId>(placed.mapping.node_of_rank().begin(), placed.mapping.node_of_rank().end());
    const MapReport report = run_evaluate(request);
    EXPECT_EQ(report.objectives.front().objective, request.objective);
    EXPECT_EQ(report.objectives.front().value, report.value);
}

TEST(PluginLibrary, what_cannot_be_loaded_is_said_with_its_file) {
    MapRequest request = cg_request();
    request.objective = "/nowhere/libnothing.so:x";
    EXPECT_THROW(run_map(request), InputError);
    request.objective = kLibrary + ":set-diametre";
    try {
        run_map(request);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.hint(), "did you mean 'set-diameter'?");
    }
    EXPECT_THROW(parse_plugin_name("./libx.so"), OptionError);
    EXPECT_THROW(parse_plugin_name("./libx.so:"), OptionError);
    EXPECT_FALSE(parse_plugin_name("tac3").has_value());
    EXPECT_FALSE(parse_plugin_name("weighted(tac3=1)").has_value());
}

TEST(FunctionObjective, any_function_of_the_placement_is_annealed) {
    MapRequest request = cg_request();
    // Rank r wants node r: known to be reachable, and zero there only.
    request.objective = "far from home";
    request.objective_function = [](std::span<const NodeId> nodes) {
        double sum = 0;
        for (std::size_t r = 0; r < nodes.size(); ++r) {
            sum += std::abs(static_cast<double>(nodes[r].value) - static_cast<double>(r));
        }
        return sum;
    };
    request.start = "random";
    request.search.verify = VerifyLevel::kEnd;
    const MapReport report = run_map(request);
    EXPECT_EQ(report.objective, "far from home");
    EXPECT_LT(report.value, 40);
    EXPECT_FALSE(report.lower_bound.has_value());
    request.objective_function = [](std::span<const NodeId>) { return std::nan(""); };
    EXPECT_THROW(run_map(request), InputError);
}

}  // namespace
}  // namespace haichi
