// Annealing against the exhaustive answer, on problems small enough to try every mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapper/anneal/bound_objective.h"
#include "objectives/registry.h"
#include "tests/unit/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;

/// The smallest value over all placements of the ranks on distinct slots.
template <class O>
double exhaustive_best(const Posed& posed, const ObjectiveSpec& spec) {
    const O objective(*posed.problem, spec, posed.default_placement);
    const std::int32_t slots = static_cast<std::int32_t>(posed.allocation->slot_count());
    const std::int32_t ranks = posed.problem->rank_count();
    std::vector<std::int32_t> order(static_cast<std::size_t>(slots));
    std::iota(order.begin(), order.end(), 0);
    double best = 1e300;
    do {
        // Slots after the last rank are idle: look at each set of them once.
        if (!std::is_sorted(order.begin() + ranks, order.end())) continue;
        Mapping mapping(ranks, posed.allocation->node_count(), posed.allocation->ranks_per_node);
        for (std::int32_t r = 0; r < ranks; ++r) {
            mapping.place(RankId(r), SlotId(order[static_cast<std::size_t>(r)]));
        }
        best = std::min(best, objective.in_unit(objective.value_from_scratch(mapping)));
    } while (std::ranges::next_permutation(order).found);
    return best;
}

TEST(AnnealAgainstExhaustive, finds_the_optimum_of_every_small_problem) {
    std::vector<Posed> problems;
    problems.push_back(pose("ring of seven on a torus", random_workload(7, 2, 8, false, 1), "torus:7", {}));
    problems.push_back(pose("six on a mesh of eight", random_workload(6, 3, 6, true, 2), "mesh:2x2x2", {}));
    problems.push_back(pose("seven, two a node", random_workload(7, 2, 9, true, 3), "mesh:4", {.ranks_per_node = 2}));
    problems.push_back(pose("tree", random_workload(8, 2, 8, true, 4), "fattree:3x2", {}));
    for (const Posed& posed : problems) {
        for (const char* name :
             {"hop-bytes", "rmatt", "max-link-load", "tac3", "tac3-bytes", "weighted(hop-bytes=0.5,tac3=0.5)"}) {
            SCOPED_TRACE(posed.name + ", " + name);
            const ObjectiveSpec spec = parse_objective(name);
            SearchOptions options;
            options.evaluations = 5000;
            const SearchResult found = bind_objective(spec, *posed.problem, posed.default_placement)
                                           ->search([&](std::int32_t) { return posed.default_placement; }, options, {});
            visit_objective(spec, [&](auto tag) {
                const double best = exhaustive_best<typename decltype(tag)::type>(posed, spec);
                EXPECT_NEAR(found.value, best, 1e-12 * best);
                if (found.lower_bound) {
                    EXPECT_LE(*found.lower_bound, best * (1 + 1e-12));
                }
            });
        }
    }
}

}  // namespace
}  // namespace haichi
