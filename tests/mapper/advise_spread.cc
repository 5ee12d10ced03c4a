#include "base/stop_flag.h"
#include "mapper/advise/spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.h"
#include "commlog/workload/patterns.h"
#include "mapper/advise/spread.h"
#include "mapper/report/advice_json.h"

namespace haichi {
namespace {

/// 16 ranks in one cluster compared with `ranks` ranks in two clusters, with given times.
SpreadQuestion question(double in_one, double over_all, std::int32_t ranks = 32) {
    SpreadQuestion asked;
    asked.in_one = {
        {.clusters = {0}, .ranks = 16, .nodes = 16, .by_default = {{in_one * 2, 0}}, .mapped = {{in_one, 0}}},
        {.clusters = {1}, .ranks = 16, .nodes = 16, .by_default = {{in_one * 1.5, 0}}, .mapped = {}}};
    asked.over_all = {.clusters = {0, 1}, .ranks = ranks, .nodes = 32, .by_default = {{over_all, 0}}, .mapped = {}};
    asked.computing_is_known = true;
    return asked;
}

/// Spreading halves the computation time per rank and adds the delay four times.
SpreadTrials trials(double in_one, double computing_over_all) {
    SpreadTrials made;
    made.with_delay = [=](double delay) { return SimulatedTime{computing_over_all + 4 * delay, 0}; };
    made.with_computing = [=](double seconds) {
        return SpreadTrials::Both{{in_one + seconds, 0}, {computing_over_all + seconds / 2, 0}};
    };
    return made;
}

TEST(SpreadAdvice, is_to_spread_what_is_faster_so_and_tells_up_to_which_delay) {
    SpreadQuestion asked = question(2.0, 1.04);
    asked.delay_seconds = 0.01;
    const SpreadAdvice advice = advise_spread(asked, trials(2.0, 1.0));
    EXPECT_EQ(advice.verdict, SpreadVerdict::kSpread);
    EXPECT_EQ(advice.best, 0u);
    EXPECT_NEAR(advice.gain, 2 / 1.04, 1e-12);
    // 1 + 4 x 0.25 = 2
    ASSERT_TRUE(advice.delay_seconds);
    EXPECT_LE(advice.delay_seconds->pays, 0.25);
    EXPECT_GE(advice.delay_seconds->does_not, 0.25);
    EXPECT_NEAR(advice.delay_seconds->middle(), 0.25, 0.0125);
    EXPECT_TRUE(
        advice.sentence.starts_with("Spread the job: 16 ranks take 2 s in cluster 0, 32 ranks 1.04 s over clusters "
                                    "0 and 1, 1.92 times as fast. Spreading saves time up to a delay of about 2"))
        << advice.sentence;
}

TEST(SpreadAdvice, looks_at_delays_up_to_a_second) {
    const SpreadAdvice advice = advise_spread(question(9, 1), trials(9, 1));
    EXPECT_TRUE(advice.pays_at_any_delay);
    EXPECT_FALSE(advice.delay_seconds);
}

TEST(SpreadAdvice, is_to_stay_where_spreading_is_slower_and_tells_whether_the_delay_is_why) {
    SpreadQuestion asked = question(2.0, 5.0);
    asked.delay_seconds = 1;
    const SpreadAdvice held_up = advise_spread(asked, trials(2.0, 1.0));
    EXPECT_EQ(held_up.verdict, SpreadVerdict::kStay);
    EXPECT_TRUE(held_up.pays_without_delay);
    EXPECT_NEAR(held_up.delay_seconds->middle(), 0.25, 0.0125);
    EXPECT_NE(held_up.sentence.find("2.5 times as long"), std::string::npos) << held_up.sentence;
    const SpreadAdvice never = advise_spread(asked, trials(2.0, 3.0));
    EXPECT_EQ(never.verdict, SpreadVerdict::kStay);
    EXPECT_FALSE(never.pays_without_delay || never.delay_seconds);
}

TEST(SpreadAdvice, does_not_decide_within_the_tolerance) {
    SpreadQuestion asked = question(2.0, 1.99);
    asked.over_all.by_default.front().tolerance_seconds = 0.02;
    EXPECT_EQ(advise_spread(asked, {}).verdict, SpreadVerdict::kEqual);
    asked.over_all.by_default.front().tolerance_seconds = 0.002;
    EXPECT_EQ(advise_spread(asked, {}).verdict, SpreadVerdict::kSpread);
}

TEST(SpreadAdvice, is_not_known_where_more_ranks_share_work_that_is_not_stated) {
    SpreadQuestion asked = question(1.0, 1.5);
    asked.computing_is_known = false;
    const SpreadAdvice advice = advise_spread(asked, trials(1.0, 1.5));
    EXPECT_EQ(advice.verdict, SpreadVerdict::kUnknown);
    // 1 + c = 1.5 + c / 2
    EXPECT_NEAR(advice.computing_seconds->middle(), 1.0, 0.05);
    EXPECT_NE(advice.sentence.find("Spreading saves time if a rank in one cluster computes for more than about"),
              std::string::npos);
    // The same number of ranks has the same computation time in any cluster.
    asked.over_all.ranks = 16;
    EXPECT_EQ(advise_spread(asked, {}).verdict, SpreadVerdict::kStay);
    // If spreading is faster without computation, it is faster with computation.
    asked = question(2.0, 1.5);
    asked.computing_is_known = false;
    EXPECT_EQ(advise_spread(asked, {}).verdict, SpreadVerdict::kSpread);
}

TEST(SpreadAdvice, that_is_cut_short_says_so) {
    SpreadTrials none;
    none.with_delay = [](double) { return std::optional<SimulatedTime>(); };
    const SpreadAdvice advice = advise_spread(question(2, 1), none);
    EXPECT_EQ(advice.verdict, SpreadVerdict::kSpread);
    EXPECT_TRUE(advice.interrupted);
    EXPECT_NE(advice.sentence.find("interrupted"), std::string::npos);
}

TEST(Narrowed, ends_also_where_nothing_or_everything_pays) {
    int asked = 0;
    const auto never = [&](double) {
        ++asked;
        return std::optional(false);
    };
    const auto found = narrowed({.pays = 0, .does_not = 1}, 1e-6, never);
    EXPECT_LE(found->does_not, 1e-6);
    EXPECT_LE(asked, 21);
}

// ---- Simulated ------------------------------------------------------------------------------------------------------

Workload computing_stencil(std::vector<std::int32_t> dims, std::int64_t bytes, double compute_seconds = 0) {
    PatternOptions options;
    options.dims = std::move(dims);
    options.message_bytes = bytes;
    options.iterations = 20;
    const Workload pattern = make_pattern("stencil2d", options);
    Workload workload(pattern.rank_count(), pattern.iterations());
    for (std::size_t t = 0; t < pattern.set_count(); ++t) {
        workload.add_set(pattern.set(t).label, t == 0 ? compute_seconds : 0);
        for (const Message& m : pattern.messages(t)) workload.add_message(m.source, m.destination, m.size_bytes);
    }
    return workload;
}

JobSpec on_two_clusters(Workload workload, const std::string& machine = "two-clusters:2,1ms") {
    JobSpec spec;
    spec.machine = machine;
    spec.traffic.source = std::move(workload);
    return spec;
}

// 100 ms of computation and a few milliseconds of messages: half the computation takes nearly half the time.
TEST(AdviseSpread, divides_the_computing_that_is_given_among_the_ranks) {
    SpreadAdviceOptions options{.spread_traffic = Traffic{.source = computing_stencil({4, 8}, 1000)},
                                .compute_seconds = 0.1};
    options.seeds = 1;
    const SpreadAdviceReport report = advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000)), options);
    EXPECT_EQ(report.advice.verdict, SpreadVerdict::kSpread);
    EXPECT_GT(report.advice.gain, 1.8);
    EXPECT_LT(report.advice.gain, 2.0);
    ASSERT_EQ(report.question.in_one.size(), 2u);
    EXPECT_EQ(report.question.over_all.nodes, 32);
    ASSERT_TRUE(report.advice.delay_seconds || report.advice.pays_at_any_delay);
}

// The simulated times are equal at the break-even delay.
TEST(AdviseSpread, its_break_even_delay_is_where_the_times_are_equal) {
    const auto gain_at = [&](const std::string& delay) {
        SpreadAdviceOptions options{.spread_traffic = Traffic{.source = computing_stencil({4, 8}, 1000, 0.005)}};
        options.seeds = 1;
        return advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000, 0.01), "two-clusters:2," + delay),
                             options);
    };
    const SpreadAdviceReport report = gain_at("1ms");
    ASSERT_EQ(report.advice.verdict, SpreadVerdict::kSpread);
    ASSERT_TRUE(report.advice.delay_seconds);
    const BreakEven delay = *report.advice.delay_seconds;
    const auto text = [](double seconds) { return std::to_string(std::llround(seconds * 1e9)) + "ns"; };
    EXPECT_GT(gain_at(text(delay.pays * 0.97)).advice.gain, 1);
    EXPECT_LT(gain_at(text(delay.does_not * 1.03)).advice.gain, 1);
}

TEST(AdviseSpread, puts_as_few_ranks_on_a_node_as_fit) {
    JobSpec spec = on_two_clusters(computing_stencil({4, 8}, 100'000));
    EXPECT_THROW((void)advise_spread(spec, {}), OptionError);
    spec.allocation.ranks_per_node = 4;
    const SpreadAdviceReport report = advise_spread(spec, {.seeds = 1});
    EXPECT_EQ(report.question.in_one.front().ranks_per_node, 2);
    EXPECT_EQ(report.question.over_all.ranks_per_node, 1);
    EXPECT_NE(report.advice.verdict, SpreadVerdict::kUnknown);
}

TEST(AdviseSpread, shares_nodes_out_where_there_are_more_than_ranks) {
    const SpreadAdviceReport report = advise_spread(on_two_clusters(computing_stencil({2, 4}, 1000)), {.seeds = 1});
    EXPECT_EQ(report.question.over_all.nodes, 8);
    EXPECT_EQ(report.question.over_all.clusters, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(report.advice.verdict, SpreadVerdict::kStay);
}

TEST(AdviseSpread, takes_listed_nodes_and_leaves_faulty_ones_out) {
    JobSpec spec = on_two_clusters(computing_stencil({2, 2}, 1000));
    spec.allocation.nodes = std::vector<std::int32_t>{0, 1, 2, 3, 20, 21};
    spec.allocation.faulty = std::vector<std::int32_t>{1};
    spec.allocation.ranks_per_node = 2;
    const SpreadAdviceReport report = advise_spread(spec, {.seeds = 1});
    ASSERT_EQ(report.question.in_one.size(), 2u);
    EXPECT_EQ(report.question.in_one[0].nodes, 3);
    EXPECT_EQ(report.question.in_one[1].nodes, 2);
    spec.allocation.nodes = std::vector<std::int32_t>{0, 1, 2, 3};
    EXPECT_THROW((void)advise_spread(spec, {}), OptionError);
}

TEST(AdviseSpread, of_what_cannot_be_spread_is_refused) {
    EXPECT_THROW((void)advise_spread(on_two_clusters(computing_stencil({2, 2}, 1000), "torus:4x4"), {}),
                 UnsupportedError);
    SpreadAdviceOptions fewer{.spread_traffic = Traffic{.source = computing_stencil({2, 2}, 1000)}};
    EXPECT_THROW((void)advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000)), fewer), OptionError);
    SpreadAdviceOptions twice{.compute_seconds = 1};
    EXPECT_THROW((void)advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000, 0.1)), twice), OptionError);
}

TEST(AdviseSpread, does_not_depend_on_threads_and_says_when_it_is_stopped) {
    SpreadAdviceOptions options{.spread_traffic = Traffic{.source = computing_stencil({4, 8}, 1000)}, .seeds = 2};
    options.threads = 1;
    const std::string one =
        advice_json(advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000)), options)).dump();
    options.threads = 8;
    EXPECT_EQ(advice_json(advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000)), options)).dump(), one);
    const StopFlag stop(true);
    const SpreadAdviceReport stopped =
        advise_spread(on_two_clusters(computing_stencil({4, 4}, 1000)), options, {{}, &stop});
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_EQ(stopped.advice.verdict, SpreadVerdict::kUnknown);
}

}  // namespace
}  // namespace haichi
