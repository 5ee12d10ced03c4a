// Same inputs and seed, same bytes, on any number of threads.
#include <gtest/gtest.h>

#include "mapper/job/map_job.h"
#include "mapper/job/report_json.h"
#include "tests/unit/objective_names.h"
#include "tests/unit/problems.h"

namespace haichi {
namespace {

MapRequest cg_request(const std::string& objective) {
    PatternOptions options;
    options.ranks = 64;
    MapRequest request;
    request.machine = "mesh:4x4x4";
    request.workload = make_pattern("cg", options);
    request.objective = objective;
    request.search.evaluations = 20'000;
    request.search.restarts = 5;
    return request;
}

TEST(Determinism, reports_are_equal_for_1_2_and_8_threads) {
    for (const std::string& objective : testing_problems::quick_objectives()) {
        std::string first;
        for (const int threads : {1, 2, 8}) {
            MapRequest request = cg_request(objective);
            request.search.threads = threads;
            const std::string text = report_json(run_map(request), false).dump();
            if (first.empty()) first = text;
            EXPECT_EQ(text, first) << objective << ", " << threads << " threads";
        }
    }
}

TEST(Determinism, restarts_above_the_first_at_the_bound_do_not_count) {
    PatternOptions options;
    options.ranks = 64;
    MapRequest request;
    request.machine = "fx10-kyushu";
    request.allocation.shape = {1, 2, 4, 2, 3, 2};
    request.workload = make_pattern("cg", options);
    request.search.restarts = 8;
    std::string first;
    for (const int threads : {1, 2, 8}) {
        request.search.threads = threads;
        const MapReport report = run_map(request);
        EXPECT_TRUE(report.optimal);
        const std::string text = report_json(report, false).dump();
        if (first.empty()) first = text;
        EXPECT_EQ(text, first) << threads << " threads";
    }
}

TEST(Determinism, seeds_differ) {
    MapRequest request = cg_request("hop-bytes");
    request.workload = testing_problems::random_workload(60, 2, 200, true, 1);  // no two runs end in the same place
    const MapReport one = run_map(request);
    request.search.seed = 2;
    EXPECT_NE(run_map(request).mapping, one.mapping);
}

}  // namespace
}  // namespace haichi
