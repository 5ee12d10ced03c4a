// Ordered objectives are exact: compared with all placements of small problems and with full evaluations.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "mapper/anneal/bound_objective.h"
#include "objectives/ordered.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;
using testing_problems::real_objectives;

ObjectiveSpec in_order(const std::string& first, const std::vector<std::string>& next) {
    ObjectiveSpec spec = parse_objective(first);
    set_next(next, spec);
    return spec;
}

std::vector<Posed> small_problems() {
    std::vector<Posed> problems;
    problems.push_back(pose("ring of seven on a torus", random_workload(7, 2, 8, false, 1), "torus:7", {}));
    problems.push_back(pose("six on a mesh of eight", random_workload(6, 3, 6, true, 2), "mesh:2x2x2", {}));
    problems.push_back(pose("seven, two a node", random_workload(7, 2, 9, true, 3), "mesh:4", {.ranks_per_node = 2}));
    return problems;
}

/// The lexicographically smallest values over all placements.
std::vector<double> smallest_values(const Posed& posed, const std::vector<const BoundObjective*>& levels) {
    const std::int32_t slots = static_cast<std::int32_t>(posed.allocation->slot_count());
    const std::int32_t ranks = posed.problem->rank_count();
    std::vector<std::int32_t> order(static_cast<std::size_t>(slots));
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> best;
    do {
        if (!std::is_sorted(order.begin() + ranks, order.end())) continue;
        Mapping mapping(ranks, posed.allocation->node_count(), posed.allocation->ranks_per_node);
        for (std::int32_t r = 0; r < ranks; ++r) {
            mapping.place(RankId(r), SlotId(order[static_cast<std::size_t>(r)]));
        }
        std::vector<double> values;
        for (const BoundObjective* level : levels) values.push_back(level->standing(mapping).value);
        if (best.empty() || values < best) best = values;
    } while (std::ranges::next_permutation(order).found);
    return best;
}

TEST(Ordered, the_searches_find_the_best_of_all_placements_level_by_level) {
    for (const Posed& posed : small_problems()) {
        for (const auto& [name, next] : std::vector<std::pair<std::string, std::string>>{
                 {"tac3", "hop-bytes"}, {"max-hops", "rmatt"}, {"max-link-load", "tac3-bytes"}}) {
            SCOPED_TRACE(posed.name + ", " + name + " then " + next);
            const auto first = bind_objective(parse_objective(name), *posed.problem, posed.default_placement);
            const auto second = bind_objective(parse_objective(next), *posed.problem, posed.default_placement);
            const auto ordered = bind_objective(in_order(name, {next}), *posed.problem, posed.default_placement);
            const std::vector<double> best = smallest_values(posed, {first.get(), second.get()});
            const auto values = [&](const Mapping& mapping) {
                return std::vector<double>{first->standing(mapping).value, second->standing(mapping).value};
            };
            const SearchResult exhaustive = ordered->search_all(VerifyLevel::kStep, {});
            EXPECT_EQ(values(exhaustive.mapping), best);
            EXPECT_EQ(exhaustive.value, best.front());
            SearchOptions options;
            options.evaluations = 20'000;
            const StartOfRestart start = [&](std::int32_t) { return posed.default_placement; };
            EXPECT_EQ(values(ordered->search(start, options, {}).mapping), best);
        }
    }
}

TEST(Ordered, values_are_those_from_scratch_after_every_move_and_bounds_hold) {
    const Posed posed = pose("nine", random_workload(9, 3, 30, true, 5), "mesh:3x4", {});
    SearchOptions options;
    options.verify = VerifyLevel::kStep;
    options.evaluations = 500;
    options.restarts = 2;
    const StartOfRestart start = [&](std::int32_t) { return posed.default_placement; };
    for (const std::string& first : real_objectives()) {
        for (const ObjectiveRow& row : objectives()) {
            if (row.make_term == nullptr || row.needs_logical_torus || row.name == first) continue;
            SCOPED_TRACE(first + " then " + std::string(row.name));
            const auto ordered = bind_objective(in_order(first, {std::string(row.name)}), *posed.problem,  //
                                                posed.default_placement);
            const SearchResult found = ordered->search(start, options, {});
            EXPECT_EQ(ordered->standing(found.mapping).value, found.value);
        }
    }
}

/// The placement of CG 64 on the first shape of the TAC3 study.
Evaluation placed_cg(std::uint64_t seed, std::int32_t threads) {
    testing_jobs::Asked asked = testing_jobs::asked("fx10-kyushu", testing_jobs::cg(64), "tac3", {1, 2, 4, 2, 3, 2});
    asked.search.search.seed = seed;
    asked.search.search.threads = threads;
    asked.search.search.evaluations = 50'000;
    return testing_jobs::found(asked);
}

TEST(Ordered, restarts_improve_the_best_placement_once_the_first_value_is_proven) {
    double hops_per_byte = 0;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        const Evaluation found = placed_cg(seed, 1);
        EXPECT_TRUE(found.asked.optimal);
        hops_per_byte += found.next.front().value / static_cast<double>(found.placement.job().workload().total_bytes());
    }
    EXPECT_LT(hops_per_byte / 5, 1.26) << "independent restarts reach 1.31";
}

TEST(Ordered, restarts_after_a_proven_value_do_not_depend_on_threads) {
    EXPECT_EQ(placed_cg(3, 1).placement.mapping(), placed_cg(3, 5).placement.mapping());
}

TEST(Ordered, the_next_objective_is_searched_once_the_first_is_at_its_bound) {
    PatternOptions cg;
    cg.ranks = 32;
    const Posed posed = pose("cg", make_pattern("cg", cg), "fx10-kyushu", {.shape = {1, 2, 2, 2, 3, 2}});
    const auto tac3 = bind_objective(parse_objective("tac3"), *posed.problem, posed.default_placement);
    const auto hops = bind_objective(parse_objective("hop-bytes"), *posed.problem, posed.default_placement);
    const auto ordered = bind_objective(in_order("tac3", {"hop-bytes"}), *posed.problem, posed.default_placement);
    const StartOfRestart start = [&](std::int32_t) { return posed.default_placement; };
    const SearchResult alone = tac3->search(start, {}, {});
    const SearchResult both = ordered->search(start, {}, {});
    EXPECT_TRUE(alone.optimal);
    EXPECT_EQ(both.value, alone.value);
    EXPECT_LT(hops->standing(both.mapping).value, hops->standing(alone.mapping).value);
    // 120 messages of 1 MiB: contention 1 everywhere, and only four messages need two hops.
    EXPECT_LE(hops->standing(both.mapping).value, 124.0 * 1024 * 1024);
}

TEST(Ordered, exact_values_keep_the_order_of_numbers) {
    const std::vector<double> doubles = {-1e300, -2, -1e-300, 0, 1e-300, 1, 2, 1e300};
    for (std::size_t k = 1; k < doubles.size(); ++k) {
        EXPECT_LT(exact_value_of(doubles[k - 1]), exact_value_of(doubles[k]));
    }
    EXPECT_EQ(exact_value_of(-0.0), exact_value_of(0.0));
    const std::int64_t large = std::int64_t{1} << 60;
    EXPECT_LT(exact_value_of(large), exact_value_of(large + 1));  // equal as doubles
}

TEST(Ordered, what_cannot_decide_between_ties_is_refused) {
    const auto refused = [](const std::string& first, const std::vector<std::string>& next) {
        try {
            (void)in_order(first, next);
        } catch (const OptionError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(refused("tac3", {"weighted"}).find("§then: weighted"), std::string::npos);
    EXPECT_NE(refused("tac3", {"simulated-time"}).find("§then: simulated-time"), std::string::npos);
    EXPECT_NE(refused("tac3", {"hop-bytes", "hop-bytes"}).find("duplicate objective hop-bytes"), std::string::npos);
    EXPECT_NE(refused("tac3", {"tac3"}).find("duplicate objective tac3"), std::string::npos);
    EXPECT_NE(refused("tac3", {"hop-byte"}).find("hop-byte"), std::string::npos);
    EXPECT_NE(refused("tac3", {"hop-bytes", "max-hops", "rmatt", "tac3-bytes"}).find("4 objectives (at most 3)"),
              std::string::npos);
    EXPECT_EQ(refused("tac3", {"hop-bytes", "max-hops", "rmatt"}), "accepted");
}

}  // namespace
}  // namespace haichi
