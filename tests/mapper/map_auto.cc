// --objective auto: which objectives it tries, how it chooses, what it reports.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.h"
#include "mapper/choose/auto_budget.h"
#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"
#include "mapper/judge/simulate.h"
#include "mapper/report/verdict.h"
#include "mapper/solve/robust.h"
#include "mapper/start/start.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

Workload cg_of_large_messages(std::int32_t ranks) {
    PatternOptions options;
    options.ranks = ranks;
    options.message_bytes = 64 << 10;
    return make_pattern("cg", options);
}

testing_jobs::Asked asked_auto(const std::string& machine, const Workload& workload) {
    testing_jobs::Asked asked = testing_jobs::asked(machine, workload, "auto");
    asked.search.search.evaluations = 5'000;
    return asked;
}

TEST(Auto, simulates_a_placement_of_each_objective_and_seed_and_takes_the_fastest_of_the_best_mean) {
    const testing_jobs::Asked asked = asked_auto("fx10:2x2x2", cg_of_large_messages(16));
    const Job job(asked.job);
    const Placement found = map(job, asked.search);
    ASSERT_NE(found.search(), nullptr);
    ASSERT_TRUE(found.search()->trials.has_value());
    const ObjectiveTrials& trials = *found.search()->trials;
    EXPECT_EQ(trials.judge, "simulated");
    EXPECT_FALSE(trials.of_calls);
    ASSERT_EQ(trials.trials.size(), 3U);
    EXPECT_EQ(trials.trials[0].objective, "tac3");
    EXPECT_EQ(trials.trials[0].next, std::vector<std::string>{"hop-bytes"});
    const auto chosen = std::ranges::find(trials.trials, true, &ObjectiveTrial::is_chosen);
    ASSERT_NE(chosen, trials.trials.end());
    for (const ObjectiveTrial& trial : trials.trials) {
        EXPECT_EQ(trial.seconds.size(), 3U);
        EXPECT_LE(mean_seconds(*chosen), mean_seconds(trial));
    }
    const double seconds = simulate(found, {}).runs.front().result.seconds_per_iteration;
    EXPECT_EQ(seconds, std::min(std::ranges::min(chosen->seconds), trials.default_seconds));
    EXPECT_EQ(trials.default_seconds, simulate(Placement(job), {}).runs.front().result.seconds_per_iteration);
    const Evaluation told = evaluate(found, {.objective = {"auto"}, .all_objectives = false});
    EXPECT_EQ(told.asked.objective, chosen->objective);
}

std::vector<std::string> objectives_tried(const Workload& workload) {
    const testing_jobs::Asked asked = asked_auto("fx10:2x2x2", workload);
    std::vector<std::string> names;
    const Placement found = map(Job(asked.job), asked.search);
    for (const ObjectiveTrial& trial : found.search()->trials->trials) names.push_back(trial.objective);
    return names;
}

TEST(Auto, a_matrix_is_searched_by_tac3_only_if_its_messages_are_equal) {
    const auto matrix_of = [](std::int64_t more_bytes_of_next) {
        Workload matrix(8, 1);
        matrix.add_set("all");
        for (std::int32_t r = 0; r < 8; ++r) {
            matrix.add_message(RankId(r), RankId((r + 3) % 8), (1 << 16) + r * more_bytes_of_next);
        }
        return matrix;
    };
    EXPECT_EQ(objectives_tried(matrix_of(8)),
              (std::vector<std::string>{"hop-bytes", "max-link-load", "predicted-time"}));
    EXPECT_EQ(objectives_tried(matrix_of(0)), (std::vector<std::string>{"hop-bytes", "tac3", "predicted-time"}));
}

TEST(Auto, the_fastest_placement_of_a_large_job_is_searched_further) {
    PatternOptions geometric;
    geometric.ranks = 1280;
    const Workload workload = make_pattern("random-geometric", geometric);
    testing_jobs::Asked asked = asked_auto("torus:8x16x10", workload);
    asked.search.search.evaluations = 20'000;
    const Placement found = map(Job(asked.job), asked.search);
    const ObjectiveTrials& trials = *found.search()->trials;
    ASSERT_EQ(trials.trials.size(), 2U);
    for (const ObjectiveTrial& trial : trials.trials) EXPECT_EQ(trial.seconds.size(), 1U) << trial.objective;
    // The evaluations of the first searches, and of at least one search that continues.
    EXPECT_GE(found.search()->evaluations, 3 * 20'000);
}

TEST(Auto, what_takes_too_long_to_simulate_is_judged_by_the_prediction_and_says_so) {
    PatternOptions large;
    large.ranks = 16;
    large.message_bytes = std::int64_t{1} << 33;
    const testing_jobs::Asked asked = asked_auto("fx10:2x2x2", make_pattern("cg", large));
    const Placement found = map(Job(asked.job), asked.search);
    const ObjectiveTrials& trials = *found.search()->trials;
    EXPECT_EQ(trials.judge, "predicted");
    EXPECT_NE(trials.reason.find("too many packets to simulate all placements"), std::string::npos) << trials.reason;
    EXPECT_GT(trials.default_seconds, 0);
}

TEST(Auto, without_a_gain_the_times_under_load_show_what_overheads_hide) {
    PatternOptions small;
    small.ranks = 64;
    small.message_bytes = 8;
    small.shuffle_seed = 1;
    const Workload pattern = make_pattern("stencil3d", small);
    Workload computing(pattern.rank_count());
    for (std::size_t t = 0; t < pattern.set_count(); ++t) {
        computing.add_set("", 1e-3);
        for (const Message& m : pattern.messages(t)) computing.add_message(m.source, m.destination, m.size_bytes);
    }
    const testing_jobs::Asked asked = asked_auto("torus:4x4x4", computing);
    const Job job(asked.job);
    const Placement found = map(job, asked.search);
    const ObjectiveTrials& trials = *found.search()->trials;
    EXPECT_LT(trials.default_seconds, 1.02 * std::ranges::min(trials.trials.front().seconds));
    ASSERT_TRUE(trials.loaded.has_value());
    EXPECT_TRUE(trials.loaded->is_simulated);
    EXPECT_GT(trials.loaded->mean_message_bytes, 1024);
    EXPECT_TRUE(trials.keeps_default);
    EXPECT_TRUE(found.mapping() == job.default_placement());
    EXPECT_LT(trials.loaded->seconds, 0.9 * trials.loaded->default_seconds);
    // As reported: sets one after the other, with messages of this size.
    const Job loaded = job.with_workload(pattern.with_message_size(trials.loaded->mean_message_bytes));
    SimulationOptions one_by_one;
    one_by_one.barriers = {.without = false, .with = true};
    const auto seconds = [&](const Mapping& mapping) {
        return simulate({loaded, mapping}, one_by_one).runs.front().result.seconds_per_iteration;
    };
    EXPECT_NEAR(seconds(job.default_placement()), trials.loaded->default_seconds,
                1e-3 * trials.loaded->default_seconds);
}

TEST(Auto, a_job_without_a_gain_keeps_the_default_placement_after_the_first_seed) {
    PatternOptions ring;
    ring.ranks = 16;
    ring.message_bytes = 64 << 10;
    const testing_jobs::Asked asked = asked_auto("fattree:2x4", make_pattern("ring", ring));
    const Job job(asked.job);
    const Placement found = map(job, asked.search);
    const ObjectiveTrials& trials = *found.search()->trials;
    EXPECT_TRUE(found.mapping() == job.default_placement());
    for (const ObjectiveTrial& trial : trials.trials) EXPECT_EQ(trial.seconds.size(), 1U) << trial.objective;
    const Verdict verdict = verdict_of(trials);
    EXPECT_FALSE(verdict.helps);
    EXPECT_EQ(verdict.text.find("no significant gain; keep the default placement ("), 0U) << verdict.text;
}

TEST(Auto, a_gain_is_larger_than_the_spread_and_at_least_one_per_cent) {
    const auto is_one = [](std::vector<double> seconds) {
        return is_gain({.objective = "tac3", .seconds = std::move(seconds)}, 100);
    };
    EXPECT_TRUE(is_one({80, 82, 81}));
    EXPECT_FALSE(is_one({84, 92, 100}));  // 8 +- 8 %
    EXPECT_TRUE(is_one({98.5}));
    EXPECT_FALSE(is_one({99.5}));
    EXPECT_FALSE(is_one({101, 101}));
    EXPECT_FALSE(is_one({}));
}

TEST(Auto, the_verdict_has_the_time_of_the_placement_and_the_spread_of_its_searches) {
    ObjectiveTrials trials{.judge = "simulated",
                           .default_seconds = 100,
                           .seconds = 80,
                           .trials = {{.objective = "tac3", .seconds = {80, 82, 84}, .is_chosen = true}}};
    EXPECT_EQ(verdict_of(trials).text, "20.0 ± 2.0 % less communication time than the default placement, simulated");
    trials.trials.front().seconds = {84, 92, 100};
    trials.keeps_default = true;
    EXPECT_EQ(verdict_of(trials).text,
              "no significant gain; keep the default placement (the best search: 8.0 ± 8.0 % "
              "less communication time, simulated)");
}

TEST(Auto, large_messages_without_computing_are_judged_once) {
    const testing_jobs::Asked asked = asked_auto("fx10:2x2x2", cg_of_large_messages(16));
    EXPECT_FALSE(map(Job(asked.job), asked.search).search()->trials->loaded.has_value());
}

TEST(Auto, is_never_slower_than_the_default_placement) {
    PatternOptions ring;
    ring.ranks = 16;
    ring.message_bytes = 64 << 10;
    const testing_jobs::Asked asked = asked_auto("fx10:2x2x4", make_pattern("ring", ring));
    const Job job(asked.job);
    const Placement found = map(job, asked.search);
    EXPECT_LE(simulate(found, {}).runs.front().result.seconds_per_iteration,
              simulate(Placement(job), {}).runs.front().result.seconds_per_iteration);
}

TEST(Auto, a_search_with_an_objective_of_its_own_has_that_and_others_have_the_first_that_suits) {
    testing_jobs::Asked asked = asked_auto("fx10:2x2x2", cg_of_large_messages(16));
    const Job job(asked.job);
    const auto objective_by = [&](const char* strategy) {
        MapOptions options = asked.search;
        options.strategy = strategy;
        if (find_start(strategy) != nullptr) options.search = {};
        return map(job, options).search()->objective;
    };
    EXPECT_EQ(objective_by("tabu"), "hop-bytes");
    EXPECT_EQ(objective_by("greedy"), "tac3");
    asked.search.search.schedule = ScheduleKind::kPaper;
    const Placement found = map(job, asked.search);
    EXPECT_EQ(found.search()->objective, "tac3");
    EXPECT_FALSE(found.search()->trials.has_value());
    EXPECT_NO_THROW(check_robust_options({.objective = {"auto"}}));
}

TEST(Auto, restarts_that_are_asked_for_are_shared_by_the_searches) {
    testing_jobs::Asked asked = asked_auto("fx10:2x2x2", cg_of_large_messages(16));
    asked.search.search.restarts = 18;  // two for each of nine searches
    asked.search.search.evaluations = 100;
    const std::int64_t two_each = map(Job(asked.job), asked.search).search()->evaluations;
    EXPECT_LE(two_each, 18 * 100);
    EXPECT_GT(two_each, 0);
}

TEST(Auto, its_budget_is_ten_seconds_for_few_ranks_and_a_minute_for_four_thousand) {
    const auto seconds = [](const std::string& machine, std::int32_t ranks) {
        const testing_jobs::Asked asked = asked_auto(machine, cg_of_large_messages(ranks));
        const auto held = Job(asked.job).problem();
        EXPECT_EQ(AutoBudget(held->problem, 3, 2.0).seconds(), 2);
        return AutoBudget(held->problem, 3).seconds();
    };
    EXPECT_EQ(seconds("fx10:2x2x2", 16), 10);
    EXPECT_EQ(seconds("torus:16x16x16", 4096), 60);
}

TEST(Auto, costly_searches_are_shortened) {
    PatternOptions dense;
    dense.ranks = 64;
    const testing_jobs::Asked asked = asked_auto("torus:4x4x4", make_pattern("alltoall-pairwise", dense));
    const auto held = Job(asked.job).problem();
    const AutoBudget budget(held->problem, 3);
    const SearchOptions cheap = budget.effort("hop-bytes", {}, 1);
    const SearchOptions costly = budget.effort("predicted-time", {}, 1);
    EXPECT_GE(cheap.restarts, 2);
    EXPECT_EQ(cheap.evaluations, 200'000);
    EXPECT_GT(budget.effort("predicted-time", {}, 4).evaluations, 2 * costly.evaluations);
    EXPECT_EQ(costly.restarts, 1);
    EXPECT_LT(costly.evaluations, 50'000);
    SearchOptions asked_for;
    asked_for.evaluations = 7'000;
    EXPECT_EQ(budget.effort("predicted-time", asked_for, 1).evaluations, 7'000);
}

TEST(Auto, what_decides_between_ties_is_left_out_where_it_comes_first) {
    testing_jobs::Asked asked = asked_auto("fx10:2x2x2", cg_of_large_messages(16));
    asked.search.objective.then = std::vector<std::string>{"max-hops", "hop-bytes"};
    const Placement found = map(Job(asked.job), asked.search);
    for (const ObjectiveTrial& trial : found.search()->trials->trials) {
        EXPECT_EQ(trial.next.size(), trial.objective == "hop-bytes" ? 1U : 2U) << trial.objective;
    }
}

}  // namespace
}  // namespace haichi
