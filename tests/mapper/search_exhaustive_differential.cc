// All searches are compared with exhaustive search on problems small enough to evaluate every placement. The exhaustive
// search is compared with a plain loop over all permutations.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "base/stop_flag.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/exhaustive/exhaustive_search.h"
#include "mapper/tabu/population_search.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;
using testing_problems::real_objectives;

/// The minimum over all placements of the ranks on distinct slots, each by full evaluation.
double smallest_value(const Posed& posed, const BoundObjective& objective) {
    const std::int32_t slots = static_cast<std::int32_t>(posed.allocation->slot_count());
    const std::int32_t ranks = posed.problem->rank_count();
    std::vector<std::int32_t> order(static_cast<std::size_t>(slots));
    std::iota(order.begin(), order.end(), 0);
    double best = 1e300;
    do {
        // Slots after the last rank are idle, so each set of them is visited once.
        if (!std::is_sorted(order.begin() + ranks, order.end())) continue;
        const auto is_open = [&](std::int32_t slot) { return posed.problem->is_open(SlotId(slot)); };
        if (!std::all_of(order.begin(), order.begin() + ranks, is_open)) continue;
        Mapping mapping(ranks, posed.allocation->node_count(), posed.allocation->ranks_per_node);
        for (std::int32_t r = 0; r < ranks; ++r) {
            mapping.place(RankId(r), SlotId(order[static_cast<std::size_t>(r)]));
        }
        best = std::min(best, objective.standing(mapping).value);
    } while (std::ranges::next_permutation(order).found);
    return best;
}

TEST(Exhaustive, finds_what_looking_at_every_permutation_finds) {
    std::vector<Posed> problems;
    problems.push_back(pose("ring of seven on a torus", random_workload(7, 2, 8, false, 1), "torus:7", {}));
    problems.push_back(pose("six on a mesh of eight", random_workload(6, 3, 6, true, 2), "mesh:2x2x2", {}));
    problems.push_back(pose("seven, two a node", random_workload(7, 2, 9, true, 3), "mesh:4", {.ranks_per_node = 2}));
    problems.push_back(pose("tree", random_workload(8, 2, 8, true, 4), "fattree:3x2", {}));
    problems.push_back(pose("nodes with 3, 1 and 2 slots", random_workload(5, 2, 9, true, 5), "mesh:3",
                            {.nodes = std::vector<std::string>{"0:3", "1:1", "2:2"}}));
    for (const Posed& posed : problems) {
        for (const std::string& name : real_objectives()) {
            SCOPED_TRACE(posed.name + ", " + name);
            const auto objective = bind_objective(parse_objective(name), *posed.problem, posed.default_placement);
            const SearchResult found = objective->search_all(VerifyLevel::kOff, {});
            EXPECT_TRUE(found.optimal);
            EXPECT_EQ(found.value, smallest_value(posed, *objective));
            EXPECT_EQ(objective->standing(found.mapping).value, found.value);
            if (found.lower_bound) {
                EXPECT_LE(*found.lower_bound, found.value * (1 + 1e-12));
            }
        }
    }
}

/// Up to eight ranks on nine slots: idle slots, two slots per node, faulty nodes, ranks without messages.
std::vector<Posed> larger_problems() {
    std::vector<Posed> problems;
    problems.push_back(pose("seven on a mesh of nine", random_workload(7, 3, 12, true, 5), "mesh:3x3", {}));
    problems.push_back(
        pose("eight, two a node, on a torus", random_workload(8, 2, 24, true, 6), "torus:4", {.ranks_per_node = 2}));
    problems.push_back(
        pose("seven of nine on the tree's leaves", random_workload(7, 2, 20, false, 7), "fattree:3x2", {}));
    return problems;
}

TEST(Searches, reach_the_exhaustive_optimum_of_every_small_problem) {
    for (const Posed& posed : larger_problems()) {
        for (const std::string& name : real_objectives()) {
            SCOPED_TRACE(posed.name + ", " + name);
            const auto objective = bind_objective(parse_objective(name), *posed.problem, posed.default_placement);
            const SearchResult best = objective->search_all(VerifyLevel::kOff, {});
            SearchOptions options;
            options.evaluations = 20'000;
            const StartOfRestart start = [&](std::int32_t) { return posed.default_placement; };
            EXPECT_EQ(objective->search(start, options, {}).value, best.value);
            if (name != "hop-bytes") continue;
            SearchOptions for_tabu;
            for_tabu.verify = VerifyLevel::kStep;
            EXPECT_EQ(search_by_tabu(*posed.problem, start, for_tabu, {}).value, best.value);
        }
    }
}

TEST(Exhaustive, looks_at_ten_ranks_on_ten_slots) {
    const Posed posed = pose("ten", random_workload(10, 1, 60, true, 8), "mesh:2x5", {});
    const auto objective = bind_objective(parse_objective("hop-bytes"), *posed.problem, posed.default_placement);
    const SearchResult best = objective->search_all(VerifyLevel::kOff, {});
    EXPECT_GE(best.evaluations, kMostPlacements);
    const StartOfRestart start = [&](std::int32_t) { return posed.default_placement; };
    EXPECT_EQ(search_by_tabu(*posed.problem, start, {}, {}).value, best.value);
    EXPECT_EQ(objective->search(start, {}, {}).value, best.value);
}

TEST(Exhaustive, refuses_more_placements) {
    const Posed posed = pose("eleven", random_workload(11, 1, 60, true, 9), "mesh:11", {});
    const auto objective = bind_objective(parse_objective("tac3"), *posed.problem, posed.default_placement);
    EXPECT_THROW((void)objective->search_all(VerifyLevel::kOff, {}), OptionError);
}

TEST(Exhaustive, stops_when_told_and_keeps_the_best_so_far) {
    const Posed posed = pose("ten", random_workload(10, 1, 60, true, 8), "mesh:2x5", {});
    const auto objective = bind_objective(parse_objective("hop-bytes"), *posed.problem, posed.default_placement);
    const StopFlag stop(true);
    SearchControl control;
    control.stop = &stop;
    const SearchResult found = objective->search_all(VerifyLevel::kStep, control);
    EXPECT_TRUE(found.interrupted);
    EXPECT_FALSE(found.optimal);
    EXPECT_LE(found.value, objective->standing(posed.default_placement).value);
}

}  // namespace
}  // namespace haichi
