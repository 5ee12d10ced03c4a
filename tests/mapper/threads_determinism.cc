// The same inputs and seed give byte-identical output for any number of threads.
#include <gtest/gtest.h>

#include "mapper/report/report_json.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_jobs::Asked;
using testing_jobs::found;

Asked cg_on_a_mesh(const std::string& objective) {
    Asked asked = testing_jobs::asked("mesh:4x4x4", testing_jobs::cg(64), objective);
    asked.search.search.evaluations = 20'000;
    asked.search.search.restarts = 5;
    return asked;
}

TEST(Determinism, reports_are_equal_for_1_2_and_8_threads) {
    for (const std::string& objective : testing_problems::quick_objectives()) {
        std::string first;
        for (const int threads : {1, 2, 8}) {
            Asked asked = cg_on_a_mesh(objective);
            asked.search.search.threads = threads;
            const std::string text = report_json(found(asked), false).dump();
            if (first.empty()) first = text;
            EXPECT_EQ(text, first) << objective << ", " << threads << " threads";
        }
    }
}

TEST(Determinism, restarts_that_take_turns_with_two_mixes_of_moves_are_equal_for_any_threads) {
    PatternOptions options;
    options.ranks = 300;
    Asked asked = testing_jobs::asked("torus:7x7x7", make_pattern("random-geometric", options), "hop-bytes");
    asked.search.search.evaluations = 5'000;
    asked.search.search.restarts = 4;
    asked.search.search.threads = 1;
    const std::string first = report_json(found(asked), false).dump();
    asked.search.search.threads = 3;
    EXPECT_EQ(report_json(found(asked), false).dump(), first);
}

TEST(Determinism, threads_that_share_a_large_job_find_what_one_does) {
    PatternOptions pattern;
    pattern.ranks = 1200;
    pattern.shuffle_seed = 1;
    for (const std::int32_t restarts : {1, 2}) {
        std::string first;
        for (const int threads : {1, 3}) {
            Asked asked = testing_jobs::asked("torus:11x11x11", make_pattern("stencil3d", pattern), "hop-bytes");
            asked.search.start = std::string("default");
            asked.search.search.evaluations = 20'000;
            asked.search.search.restarts = restarts;
            asked.search.search.threads = threads;
            const std::string text = report_json(found(asked), false).dump();
            if (first.empty()) first = text;
            EXPECT_EQ(text, first) << restarts << " restarts, " << threads << " threads";
        }
    }
}

TEST(Determinism, restarts_above_the_first_at_the_bound_do_not_count) {
    Asked asked = testing_jobs::asked("fx10-kyushu", testing_jobs::cg(64), "tac3", {1, 2, 4, 2, 3, 2});
    asked.search.search.restarts = 8;
    std::string first;
    for (const int threads : {1, 2, 8}) {
        asked.search.search.threads = threads;
        const Evaluation report = found(asked);
        EXPECT_TRUE(report.asked.optimal);
        const std::string text = report_json(report, false).dump();
        if (first.empty()) first = text;
        EXPECT_EQ(text, first) << threads << " threads";
    }
}

TEST(Determinism, seeds_differ) {
    Asked asked = cg_on_a_mesh("hop-bytes");
    // Different seeds end at different placements.
    asked.job.traffic.source = testing_problems::random_workload(60, 2, 200, true, 1);
    const Evaluation one = found(asked);
    asked.search.search.seed = 2;
    EXPECT_NE(found(asked).placement.mapping(), one.placement.mapping());
}

}  // namespace
}  // namespace haichi
