#include "mapper/advise/advice_runs.h"
#include "base/stop_flag.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/errors.h"
#include "commlog/workload/patterns.h"
#include "mapper/advise/barrier.h"
#include "mapper/advise/shape.h"
#include "mapper/judge/simulation_budget.h"
#include "mapper/report/advice_json.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

TEST(RunsSideBySide, are_all_made_and_the_first_failure_is_told) {
    std::atomic<int> made = 0;
    run_side_by_side(100, 4, [&](std::int64_t) { ++made; });
    EXPECT_EQ(made, 100);
    for (const std::int32_t threads : {0, 1, 4}) {
        try {
            run_side_by_side(50, threads, [](std::int64_t i) {
                if (i >= 7) throw OptionError("number " + std::to_string(i));
            });
            FAIL();
        } catch (const OptionError& error) {
            EXPECT_STREQ(error.what(), "number 7");
        }
    }
}

TEST(AffordableIterations, follow_from_the_budget) {
    EXPECT_EQ(affordable_iterations(1e6, 1000, 10, 1e9)->count, 100);
    EXPECT_EQ(affordable_iterations(0, 1000, 10, 1e9)->count, 1000);
    // At least two iterations are needed, which may exceed the budget up to a limit. A workload of one iteration needs
    // only one.
    EXPECT_EQ(affordable_iterations(1e8, 1000, 10, 1e9)->count, 2);
    EXPECT_FALSE(affordable_iterations(1e8, 1000, 10, 1e9, 0.5));
    EXPECT_FALSE(affordable_iterations(3e8, 1000, 10, 1e9));
    EXPECT_EQ(affordable_iterations(3e8, 1, 10, 1e9)->count, 1);
    EXPECT_EQ(affordable_runs(1e6, 1000, 1e9), 100);
    EXPECT_EQ(affordable_runs(1e6, 2, 1e9), 500);
}

TEST(Imbalance, is_a_share_or_a_time) {
    EXPECT_DOUBLE_EQ(parse_imbalance("5%", "imbalance").share, 0.05);
    EXPECT_DOUBLE_EQ(parse_imbalance("0.125%", "imbalance").share, 0.00125);
    EXPECT_EQ(parse_imbalance("20us", "imbalance").share, 0);
    EXPECT_EQ(parse_imbalance("20us", "imbalance").most_ps, 20'000'000);
    for (const char* text : {"", "%", "5", "101%", "-5%", "1e1%", "0.0001%", ".%", "5%%", "-1us", "20us/1ms"}) {
        EXPECT_THROW(parse_imbalance(text, "imbalance"), Error) << text;
    }
}

TEST(ComputeSpread, is_an_imbalance_that_varies_or_interruptions) {
    const ComputeImbalance spread = parse_compute_spread("5%");
    EXPECT_TRUE(spread.varies);
    EXPECT_DOUBLE_EQ(spread.share, 0.05);
    EXPECT_EQ(parse_compute_spread("20us").interval_ps, 0);
    const ComputeImbalance interruptions = parse_compute_spread("50us/200ms");
    EXPECT_EQ(interruptions.most_ps, 50'000'000);
    EXPECT_EQ(interruptions.interval_ps, 200'000'000'000);
    for (const char* text :
         {"", "/", "50us/", "/200ms", "5%/200ms", "200ms/50us", "0us/0us", "1us/2us/3us", "1us/30d"}) {
        EXPECT_THROW(parse_compute_spread(text), Error) << text;
    }
}

/// CG on 16 ranks.
JobSpec cg16_job(const std::string& machine, std::vector<std::int32_t> shape = {}) {
    JobSpec spec;
    spec.machine = machine;
    spec.traffic.source = testing_jobs::cg(16);
    spec.allocation.shape = std::move(shape);
    return spec;
}

std::string text_of(const nlohmann::ordered_json& json) { return json.dump(); }

TEST(Advice, does_not_depend_on_the_number_of_threads) {
    JobSpec spec = cg16_job("fx10-kyushu", {1, 2, 1, 2, 3, 2});
    spec.traffic.message_size_bytes = 40'000;
    const Placement placement{Job(spec)};
    ShapeAdviceOptions shape{.node_count = 24, .seeds = 2};
    BarrierAdviceOptions barrier;
    barrier.imbalance.most_ps = 20'000'000;
    barrier.draws = 2;
    shape.threads = barrier.threads = 1;
    const std::string shapes = text_of(advice_json(advise_shape(spec, shape)));
    const std::string barriers = text_of(advice_json(advise_barrier(placement, barrier)));
    shape.threads = barrier.threads = 3;
    EXPECT_EQ(text_of(advice_json(advise_shape(spec, shape))), shapes);
    EXPECT_EQ(text_of(advice_json(advise_barrier(placement, barrier))), barriers);
}

TEST(Advice, that_is_stopped_says_so) {
    const StopFlag stop(true);
    const ShapeAdviceReport shapes = advise_shape(cg16_job("fx10-kyushu"), {}, {{}, &stop});
    EXPECT_TRUE(shapes.interrupted);
    EXPECT_EQ(shapes.advice.verdict, ShapeVerdict::kUnknown);
    const BarrierAdviceReport barriers = advise_barrier(Placement(Job(cg16_job("torus:4x4"))), {}, {{}, &stop});
    EXPECT_TRUE(barriers.interrupted);
    EXPECT_NE(barriers.sentence.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace haichi
