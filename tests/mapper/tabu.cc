#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/stop_flag.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/tabu/population_search.h"
#include "objectives/hop_bytes.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;
using testing_problems::varied_problems;

StartOfRestart starts_of(const Posed& posed) {
    return [&posed](std::int32_t i) {
        if (i == 0) return posed.default_placement;
        return testing_problems::started("random", *posed.problem, *posed.allocation, static_cast<std::uint64_t>(i));
    };
}

TEST(Tabu, agrees_with_the_objective_in_every_step_on_every_kind_of_machine) {
    int searched = 0;
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        if (why_not_tabu(*posed.problem)) continue;
        SearchOptions options;
        options.verify = VerifyLevel::kStep;
        options.evaluations = 3'000'000;
        const SearchResult found = search_by_tabu(*posed.problem, starts_of(posed), options, {});
        const HopBytes objective(*posed.problem, {}, posed.default_placement);
        EXPECT_EQ(static_cast<double>(objective.value_from_scratch(found.mapping)), found.value);
        EXPECT_LT(objective.value_from_scratch(found.mapping), objective.value_from_scratch(posed.default_placement));
        for (const ObjectiveRow& row : objectives()) {
            if (!row.is_quadratic_assignment) continue;
            const auto claimed = row.bind({std::string(row.name)}, *posed.problem, posed.default_placement);
            EXPECT_EQ(claimed->standing(found.mapping).value, found.value) << row.name;
        }
        for (std::int32_t r = 0; r < found.mapping.rank_count(); ++r) {
            EXPECT_TRUE(posed.allocation->network.is_usable(found.mapping.node(RankId(r))));
        }
        ++searched;
    }
    EXPECT_GE(searched, 6);
}

TEST(Tabu, finds_the_same_on_any_number_of_threads) {
    const Posed posed = pose("36 on 42", random_workload(36, 1, 900, true, 1), "mesh:6x7", {});
    SearchOptions options;
    options.evaluations = 6'000'000;
    std::optional<SearchResult> first;
    for (const int threads : {1, 2, 8, 64}) {
        options.threads = threads;
        const SearchResult found = search_by_tabu(*posed.problem, starts_of(posed), options, {});
        if (!first) first = found;
        EXPECT_EQ(found.mapping, first->mapping) << threads;
        EXPECT_EQ(found.evaluations, first->evaluations) << threads;
    }
    options.seed = 2;
    EXPECT_NE(search_by_tabu(*posed.problem, starts_of(posed), options, {}).mapping, first->mapping);
}

TEST(Tabu, several_restarts_are_never_worse_than_the_first) {
    const Posed posed = pose("30 on 30", random_workload(30, 1, 500, true, 2), "mesh:5x6", {});
    SearchOptions options;
    options.evaluations = 300'000;
    const double one = search_by_tabu(*posed.problem, starts_of(posed), options, {}).value;
    options.restarts = 4;
    const SearchResult four = search_by_tabu(*posed.problem, starts_of(posed), options, {});
    EXPECT_LE(four.value, one);
    EXPECT_GE(four.evaluations, 4 * options.evaluations);
}

TEST(Tabu, keeps_the_best_so_far_when_it_is_stopped) {
    const Posed posed = pose("36 on 42", random_workload(36, 1, 900, true, 1), "mesh:6x7", {});
    const StopFlag stop(true);
    SearchControl control;
    control.stop = &stop;
    const SearchResult found = search_by_tabu(*posed.problem, starts_of(posed), {}, control);
    EXPECT_TRUE(found.interrupted);
    const HopBytes objective(*posed.problem, {}, posed.default_placement);
    EXPECT_LE(found.value, static_cast<double>(objective.value_from_scratch(posed.default_placement)));
}

TEST(Tabu, ends_at_the_time_limit_or_at_the_bound) {
    const Posed posed = pose("36 on 42", random_workload(36, 1, 900, true, 1), "mesh:6x7", {});
    SearchOptions options;
    options.time_limit_seconds = 0.1;
    EXPECT_FALSE(search_by_tabu(*posed.problem, starts_of(posed), options, {}).interrupted);

    Workload pairs(8, 1);
    pairs.add_set("pairs");
    for (std::int32_t r = 0; r < 8; r += 2) pairs.add_message(RankId(r), RankId(r + 1), 100);
    const Posed easy = pose("pairs", std::move(pairs), "mesh:3x3", {});
    const SearchResult found = search_by_tabu(*easy.problem, starts_of(easy), {}, {});
    EXPECT_TRUE(found.optimal);
    EXPECT_EQ(found.value, 400);
}

TEST(Tabu, copes_with_jobs_in_which_nothing_can_be_gained) {
    Workload silent(3, 1);
    silent.add_set("nothing");
    silent.add_message(RankId(1), RankId(1), 100);
    for (const char* machine : {"mesh:3", "mesh:5"}) {
        const Posed posed = pose("silent", silent, machine, {});
        EXPECT_EQ(search_by_tabu(*posed.problem, starts_of(posed), {}, {}).value, 0);
    }
    const Posed one_node = pose("one node", random_workload(4, 1, 20, true, 1), "mesh:1", {.ranks_per_node = 4});
    EXPECT_EQ(search_by_tabu(*one_node.problem, starts_of(one_node), {}, {}).value, 0);
}

using testing_jobs::Asked;
using testing_jobs::cg;
using testing_jobs::found;

Asked asked_for_hop_bytes(const std::string& machine, const Workload& workload) {
    Asked asked = testing_jobs::asked(machine, workload, "hop-bytes");
    asked.search.search.evaluations = 20'000;
    return asked;
}

std::string strategy_of(const Asked& asked) { return map(Job(asked.job), asked.search).search()->strategy; }

TEST(StrategyAuto, is_tabu_for_hop_bytes_on_few_slots_that_are_in_use) {
    const Workload dense = random_workload(30, 1, 600, true, 1);
    EXPECT_EQ(strategy_of(asked_for_hop_bytes("mesh:5x6", dense)), "tabu");
    EXPECT_EQ(strategy_of(asked_for_hop_bytes("mesh:8x8", cg(64))), "tabu") << "sparse communication";
    EXPECT_EQ(strategy_of(asked_for_hop_bytes("mesh:8x8", dense)), "anneal") << "half of the slots are idle";
    EXPECT_EQ(strategy_of(asked_for_hop_bytes("mesh:17x16", random_workload(272, 1, 600, true, 1))), "anneal")
        << "too many slots";
    Asked other = asked_for_hop_bytes("mesh:5x6", dense);
    other.search.objective.name = "tac3";
    EXPECT_EQ(strategy_of(other), "anneal") << "another objective";
    other = asked_for_hop_bytes("mesh:5x6", dense);
    other.search.search.moves = {MoveKind::kUniform};
    EXPECT_EQ(strategy_of(other), "anneal") << "an option of the annealing";
}

TEST(StrategyTabu, is_refused_where_it_does_not_suit) {
    const Workload dense = random_workload(30, 1, 600, true, 1);
    Asked wrong = asked_for_hop_bytes("mesh:5x6", dense);
    wrong.search.strategy = "tabu";
    wrong.search.objective.name = "tac3";
    EXPECT_THROW(found(wrong), OptionError);
    wrong = asked_for_hop_bytes("mesh:40x40", dense);
    wrong.search.strategy = "tabu";
    EXPECT_THROW(found(wrong), OptionError);
    wrong = asked_for_hop_bytes("mesh:5x6", dense);
    wrong.search.strategy = "tabu";
    wrong.search.search.schedule = ScheduleKind::kPaper;
    EXPECT_THROW(found(wrong), OptionError);
}

TEST(StrategyExhaustive, proves_optima_that_the_bound_does_not_reach) {
    Asked small = asked_for_hop_bytes("mesh:3x3", random_workload(8, 2, 20, true, 3));
    small.search.search.evaluations = 0;
    small.search.strategy = "exhaustive";
    const ObjectiveValue best = found(small).asked;
    EXPECT_TRUE(best.optimal);
    EXPECT_LT(*best.lower_bound, best.value);
    small.search.strategy = "auto";
    EXPECT_EQ(found(small).asked.value, best.value);

    small.search.objective.name = "rmatt-3d";
    small.search.strategy = "exhaustive";
    EXPECT_FALSE(found(small).asked.optimal) << "the best on the logical torus is not the best";
    small.search.search.time_limit_seconds = 1;
    EXPECT_THROW(found(small), OptionError) << "nothing to limit";
}

}  // namespace
}  // namespace haichi
