#include "mapper/job/plugin_library.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/choose/map_shapes.h"
#include "objectives/function_objective.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

const std::string kLibrary = HAICHI_TEST_PLUGIN;

using testing_jobs::Asked;
using testing_jobs::found;

Asked cg_job(const std::string& objective = "tac3") {
    Asked asked = testing_jobs::asked("fx10-kyushu", testing_jobs::cg(32), objective, {1, 2, 2, 2, 3, 2});
    asked.search.search.evaluations = 20'000;
    asked.search.search.restarts = 2;
    return asked;
}

TEST(PluginLibrary, an_objective_of_a_shared_library_is_annealed_and_verified_as_any) {
    Asked asked = cg_job(kLibrary + ":set-diameter");
    asked.search.search.evaluations = 2'000;
    asked.search.search.verify = VerifyLevel::kStep;
    const Evaluation report = found(asked);
    EXPECT_EQ(report.asked.unit, "hops");
    EXPECT_LT(report.asked.value, report.usual.value);
    EXPECT_EQ(report.asked.lower_bound, 4);
    // Computed from the definition: the longest route of each set.
    const Job& job = report.placement.job();
    const Mapping& mapping = report.placement.mapping();
    double sum = 0;
    for (std::size_t t = 0; t < job.workload().set_count(); ++t) {
        std::int32_t longest = 0;
        for (const Message& m : job.workload().messages(t)) {
            longest =
                std::max(longest, job.allocation().network.hops(mapping.node(m.source), mapping.node(m.destination)));
        }
        sum += longest;
    }
    EXPECT_EQ(report.asked.value, sum);
    EXPECT_EQ(found(asked).placement.mapping(), mapping);
}

TEST(PluginLibrary, an_objective_of_one_problem_is_not_made_robust) {
    const Asked asked = cg_job(kLibrary + ":set-diameter");
    const std::vector<Job> jobs = {Job(asked.job)};
    EXPECT_THROW(map_robust(jobs, {}, asked.search), UnsupportedError);
}

TEST(PluginLibrary, evaluate_tells_its_value_beside_the_others) {
    const Asked asked = cg_job();
    const Placement placed = map(Job(asked.job), asked.search);
    EvaluateOptions options;
    options.objective.name = kLibrary + ":set-diameter";
    const Evaluation report = evaluate(placed, options);
    EXPECT_EQ(report.objectives.front().objective, options.objective.name);
    EXPECT_EQ(report.objectives.front().value, report.asked.value);
}

TEST(PluginLibrary, what_cannot_be_loaded_is_said_with_its_file) {
    EXPECT_THROW(found(cg_job("/nowhere/libnothing.so:x")), InputError);
    try {
        found(cg_job(kLibrary + ":set-diametre"));
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
    Asked asked = cg_job("far from home");
    // Rank r prefers node r: the minimum is known to be reachable, and only this placement has the value zero.
    asked.search.objective.function = [](std::span<const NodeId> nodes) {
        double sum = 0;
        for (std::size_t r = 0; r < nodes.size(); ++r) {
            sum += std::abs(static_cast<double>(nodes[r].value) - static_cast<double>(r));
        }
        return sum;
    };
    asked.search.start = std::string("random");
    asked.search.search.verify = VerifyLevel::kEnd;
    const ObjectiveValue value = found(asked).asked;
    EXPECT_EQ(value.objective, "far from home");
    EXPECT_LT(value.value, 40);
    EXPECT_FALSE(value.lower_bound.has_value());
    asked.search.objective.function = [](std::span<const NodeId>) { return std::nan(""); };
    EXPECT_THROW(found(asked), InputError);
}

}  // namespace
}  // namespace haichi
