#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/stop_flag.h"

#include <cmath>

#include "base/deterministic_math.h"
#include "mapper/anneal/annealer.h"
#include "mapper/anneal/bound_objective.h"
#include "objectives/registry.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::started;

Posed cg_on_shape(const std::vector<std::int32_t>& shape) {
    PatternOptions options;
    options.ranks = 64;
    return pose("cg", make_pattern("cg", options), "fx10-kyushu", {.shape = shape});
}

SearchResult search_default(const Posed& posed, const std::string& objective, const SearchOptions& options,
                            const SearchControl& control = {}) {
    return bind_objective(parse_objective(objective), *posed.problem, posed.default_placement)
        ->search(
            [&](std::int32_t restart) {
                return restart == 0 ? posed.default_placement
                                    : started("random", *posed.problem, *posed.allocation,
                                              options.seed + static_cast<std::uint64_t>(restart));
            },
            options, control);
}

TEST(Cooling, the_papers_schedule_is_197_temperatures_of_2500) {
    Cooling cooling = Cooling::paper(0);
    EXPECT_EQ(cooling.evaluations(), 492'500);
    EXPECT_DOUBLE_EQ(cooling.temperature(), 10);
    for (int level = 1; level < 197; ++level) {
        EXPECT_EQ(cooling.next_step(), 2500 * level);
        cooling.advance(cooling.next_step(), 0);
        EXPECT_NEAR(cooling.temperature(), 10 * std::pow(0.9, level), 1e-12);
    }
}

/// An energy with a phase transition at temperature 1: low below it, high above it.
double melting_energy(double temperature, double low) {
    const double fourth = temperature * temperature * temperature * temperature;
    return low + 100 * fourth / (1 + fourth);
}

TEST(Cooling, a_poor_start_is_cooled_from_where_it_melts) {
    Cooling cooling = Cooling::automatic(4, 100'000);
    double last = 0;
    for (std::int64_t made = 0; made < 100'000; made += 50) {
        cooling.advance(made, melting_energy(cooling.temperature(), -50));
        if (made <= 10'000) {
            EXPECT_FALSE(cooling.take_return_to_start());
            last = 1e9;
            continue;
        }
        EXPECT_LE(cooling.temperature(), last) << made;
        EXPECT_LT(cooling.temperature(), 2) << "the window lies around 1";
        EXPECT_GT(cooling.temperature(), 0.05);
        last = cooling.temperature();
    }
}

TEST(Cooling, a_good_start_is_asked_back_and_only_loosened) {
    Cooling poor = Cooling::automatic(4, 100'000);
    Cooling good = poor;
    for (std::int64_t made = 0; made < 10'001; made += 50) {
        poor.advance(made, melting_energy(poor.temperature(), -50));
        good.advance(made, melting_energy(good.temperature(), -1));
    }
    EXPECT_TRUE(good.take_return_to_start());
    EXPECT_FALSE(good.take_return_to_start()) << "only once";
    EXPECT_LT(good.temperature(), poor.temperature());
}

TEST(Cooling, a_half_melted_start_begins_hotter_than_a_loosened_one_and_ends_as_cold) {
    constexpr std::int64_t kAll = 100'000;
    Cooling loosened = Cooling::automatic(4, kAll);
    Cooling half_melted = Cooling::automatic(4, kAll, 10);
    for (std::int64_t made = 0; made < kAll; made += 50) {
        loosened.advance(made, melting_energy(loosened.temperature(), -1));
        half_melted.advance(made, melting_energy(half_melted.temperature(), -1));
        EXPECT_EQ(half_melted.take_return_to_start(), loosened.take_return_to_start());
    }
    EXPECT_GT(half_melted.window()->first, 1.5 * loosened.window()->first);
    EXPECT_LE(half_melted.window()->last, loosened.window()->last);
}

TEST(Cooling, the_fewer_evaluations_a_rank_has_the_less_of_a_good_start_is_melted) {
    constexpr std::int64_t kAll = 100'000;
    const auto first_temperature = [](std::int64_t stepping_ranks) {
        Cooling cooling = Cooling::automatic(4, kAll, stepping_ranks);
        for (std::int64_t made = 0; made <= kAll / 2; made += 50) {
            cooling.advance(made, melting_energy(cooling.temperature(), -1));
        }
        return cooling.window()->first;
    };
    EXPECT_GT(first_temperature(10), first_temperature(100));
    EXPECT_GT(first_temperature(100), first_temperature(1'000));
}

TEST(Cooling, a_run_limited_by_time_melts_as_much_as_one_of_as_many_evaluations) {
    constexpr std::int64_t kAll = 100'000;
    constexpr std::int64_t kRanks = 500;
    Cooling counted = Cooling::automatic(4, kAll, kRanks);
    // The number of evaluations is not known until the time limit ends, but the number in a tenth of the time is known.
    Cooling timed = Cooling::automatic(4, 100 * kAll, kRanks);
    for (std::int64_t made = 0; made <= kAll / 2; made += 50) {
        counted.advance(made, melting_energy(counted.temperature(), -1));
        timed.advance_to(static_cast<double>(made) / static_cast<double>(kAll), made,
                         melting_energy(timed.temperature(), -1));
    }
    EXPECT_DOUBLE_EQ(timed.window()->first, counted.window()->first);
}

TEST(Cooling, runs_too_short_for_a_pilot_cool_from_the_first_evaluation) {
    Cooling cooling = Cooling::automatic(4, 2'000);
    double last = cooling.temperature();
    EXPECT_LT(last, 1);
    for (std::int64_t made = 1; made <= 2'000; ++made) {
        cooling.advance(made, 0);
        EXPECT_LE(cooling.temperature(), last);
        last = cooling.temperature();
    }
    EXPECT_FALSE(cooling.take_return_to_start());
}

TEST(Anneal, a_resumed_run_equals_an_uninterrupted_one) {
    const Posed posed = cg_on_shape({1, 2, 4, 2, 3, 2});
    const Proposer proposer(*posed.problem, {});
    const Cooling cooling = Cooling::automatic(3, 40'000);
    Tac3 objective(*posed.problem, {}, posed.default_placement);
    for (const std::int64_t interruption : {1, 777, 4'000, 9'999}) {
        Annealer<Tac3> whole(*posed.problem, objective, proposer, 0.1, VerifyLevel::kOff,
                             AnnealState(posed.default_placement, Random(5), cooling));
        whole.run_until(10'000);
        Tac3 first_objective(*posed.problem, {}, posed.default_placement);
        Annealer<Tac3> first(*posed.problem, first_objective, proposer, 0.1, VerifyLevel::kOff,
                             AnnealState(posed.default_placement, Random(5), cooling));
        first.run_until(interruption);
        const AnnealState stored = first.state();
        Tac3 second_objective(*posed.problem, {}, posed.default_placement);
        Annealer<Tac3> second(*posed.problem, second_objective, proposer, 0.1, VerifyLevel::kOff, stored);
        second.run_until(10'000);
        EXPECT_EQ(second.state().mapping, whole.state().mapping) << interruption;
        EXPECT_EQ(second.state().random, whole.state().random);
        EXPECT_EQ(second.state().accepted, whole.state().accepted);
        EXPECT_EQ(second.state().cooling, whole.state().cooling);
        EXPECT_EQ(second.best_value(), whole.best_value());
        EXPECT_EQ(second.best(), whole.best());
    }
}

TEST(Anneal, the_best_mapping_has_the_best_value) {
    const Posed posed = cg_on_shape({2, 2, 2, 2, 3, 2});
    const Proposer proposer(*posed.problem, {});
    HopBytes objective(*posed.problem, {}, posed.default_placement);
    Annealer<HopBytes> annealer(*posed.problem, objective, proposer, 0, VerifyLevel::kOff,
                                AnnealState(posed.default_placement, Random(9), Cooling::automatic(3, 20'000)));
    std::int64_t best = objective.value_from_scratch(posed.default_placement);
    for (std::int64_t made = 100; made <= 20'000; made += 100) {
        annealer.run_until(made);
        ASSERT_EQ(objective.value_from_scratch(annealer.best()), annealer.best_value());
        ASSERT_LE(annealer.best_value(), best);
        best = annealer.best_value();
    }
}

TEST(Anneal, every_objective_passes_verification_at_every_step) {
    for (const Posed& posed : testing_problems::varied_problems()) {
        SCOPED_TRACE(posed.name);
        for (const std::string& objective : testing_problems::quick_objectives()) {
            SearchOptions options;
            options.evaluations = 300;
            options.restarts = 2;
            options.verify = VerifyLevel::kStep;
            const SearchResult result = search_default(posed, objective, options);
            EXPECT_LE(result.value, 1e300);
        }
    }
}

TEST(Anneal, the_paper_schedule_makes_every_evaluation) {
    const Posed posed = cg_on_shape({4, 2, 1, 2, 3, 2});
    SearchOptions options;
    options.schedule = ScheduleKind::kPaper;
    const SearchResult result = search_default(posed, "tac3", options);
    EXPECT_EQ(result.evaluations, 492'500);
    EXPECT_TRUE(result.optimal);
}

TEST(Anneal, the_rmatt_schedule_ends_when_a_window_changes_little) {
    const Posed posed = cg_on_shape({4, 2, 1, 2, 3, 2});
    SearchOptions options;
    options.schedule = ScheduleKind::kRmatt;
    options.evaluations = 20'000;
    const SearchResult result = search_default(posed, "rmatt", options);
    EXPECT_EQ(result.evaluations % 20'000, 0);
    EXPECT_GE(result.evaluations, 20'000);
    EXPECT_EQ(search_default(posed, "rmatt", options).value, result.value);
    options.time_limit_seconds = 1;
    EXPECT_THROW(check_options(options), OptionError);
}

TEST(Anneal, default_settings_reach_the_bound_on_every_shape_of_the_paper) {
    for (const auto& shape :
         std::vector<std::vector<std::int32_t>>{{1, 2, 4, 2, 3, 2}, {2, 2, 2, 2, 3, 2}, {4, 2, 1, 2, 3, 2}}) {
        const Posed posed = cg_on_shape(shape);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SearchOptions options;
            options.seed = seed;
            EXPECT_TRUE(search_default(posed, "tac3", options).optimal) << sizes_text(shape) << " seed " << seed;
        }
    }
}

TEST(Anneal, a_few_thousand_evaluations_reach_the_bound_too) {
    const Posed posed = cg_on_shape({1, 2, 4, 2, 3, 2});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SearchOptions options;
        options.seed = seed;
        options.evaluations = 5'000;
        options.restarts = 2;
        EXPECT_TRUE(search_default(posed, "tac3", options).optimal) << "seed " << seed;
    }
}

TEST(Anneal, a_stopped_search_gives_the_best_so_far) {
    const Posed posed = cg_on_shape({1, 2, 4, 2, 3, 2});
    StopFlag stop(true);
    SearchControl control;
    control.stop = &stop;
    SearchOptions options;
    options.evaluations = 1'000'000'000;
    const SearchResult result = search_default(posed, "hop-bytes", options, control);
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.mapping.rank_count(), 64);
}

TEST(Anneal, problems_without_moves_end_at_once) {
    Workload silent(3);
    silent.add_set("nothing");
    const Posed no_messages = pose("silent", silent, "mesh:4", {});
    const Posed one_node =
        pose("one node", testing_problems::random_workload(4, 2, 6, false, 1), "mesh:1", {.ranks_per_node = 4});
    for (const Posed* posed : {&no_messages, &one_node}) {
        for (const std::string& objective : testing_problems::real_objectives()) {
            const SearchResult result = search_default(*posed, objective, {});
            EXPECT_EQ(result.evaluations, 0);
            EXPECT_EQ(result.value, 0);
            EXPECT_FALSE(result.interrupted);
        }
    }
}

TEST(Proposer, a_step_is_one_hop_towards_a_partner_or_else_beside_it) {
    PatternOptions options;
    options.ranks = 60;
    const Posed posed = pose("graph", make_pattern("random-geometric", options), "torus:4x4x4", {});
    const Proposer proposer(*posed.problem, std::vector<MoveKind>{MoveKind::kStep});
    const HopDistance& hops = posed.problem->hop_distance();
    Random random(2);
    int moves = 0;
    int steps = 0;
    for (int draw = 0; draw < 500; ++draw) {
        const Move move = proposer.propose(posed.default_placement, proposer.all_ranks({}), random);
        if (move.empty()) continue;
        ++moves;
        const bool is_step = hops(move[0].from_node, move[0].to_node) == 1;
        if (is_step) ++steps;
        EXPECT_TRUE(std::ranges::any_of(posed.problem->flows(move[0].rank), [&](const Flow& flow) {
            const NodeId partner = posed.default_placement.node(flow.partner);
            const std::int32_t to_partner = hops(move[0].to_node, partner);
            return is_step ? to_partner < hops(move[0].from_node, partner) : to_partner == 1;
        }));
    }
    EXPECT_GT(moves, 100);
    EXPECT_GT(steps, 0.9 * moves);
}

TEST(Proposer, steps_on_large_problems_with_coordinates_when_every_hop_counts) {
    const auto steps = [](std::int32_t ranks, const char* machine, MovesOfLarge of_large, std::int32_t restart) {
        PatternOptions options;
        options.ranks = ranks;
        const Posed posed = pose("ring", make_pattern("ring", options), machine, {});
        return Proposer(*posed.problem, {}, of_large, restart).steps_to_partners();
    };
    EXPECT_FALSE(steps(256, "torus:16x16", MovesOfLarge::kSteps, 0));
    EXPECT_TRUE(steps(257, "torus:17x16", MovesOfLarge::kSteps, 0));
    EXPECT_FALSE(steps(257, "torus:17x16", MovesOfLarge::kSteps, 1)) << "restarts take turns";
    EXPECT_TRUE(steps(1025, "torus:33x32", MovesOfLarge::kSteps, 1));
    EXPECT_FALSE(steps(1025, "torus:33x32", MovesOfLarge::kMixed, 0));
    EXPECT_FALSE(steps(1025, "switch:1025", MovesOfLarge::kSteps, 0));
}

TEST(Proposer, every_move_changes_a_node_and_keeps_slots_distinct) {
    for (const Posed& posed : testing_problems::varied_problems()) {
        SCOPED_TRACE(posed.name);
        for (const MoveKind kind :
             {MoveKind::kUniform, MoveKind::kEmpty, MoveKind::kNeighbour, MoveKind::kStep, MoveKind::kFocused}) {
            const Proposer proposer(*posed.problem, std::vector<MoveKind>{kind});
            Mapping mapping = posed.default_placement;
            Random random(2);
            const std::vector<RankId> hot(posed.problem->communicating_ranks().begin(),
                                          posed.problem->communicating_ranks().begin() + 3);
            for (int draw = 0; draw < 2000; ++draw) {
                const Move move = proposer.propose(mapping, proposer.all_ranks(hot), random);
                for (const Relocation& r : move) {
                    ASSERT_NE(r.from_node, r.to_node);
                    ASSERT_EQ(mapping.slot(r.rank), r.from_slot);
                    ASSERT_EQ(mapping.node_of_slot(r.to_slot), r.to_node);
                    ASSERT_TRUE(posed.allocation->network.is_usable(r.to_node));
                }
                mapping.apply(move);
            }
            std::vector<int> taken(static_cast<std::size_t>(mapping.slot_count()), 0);
            for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
                ASSERT_EQ(mapping.rank(mapping.slot(RankId(r))), RankId(r));
                ASSERT_EQ(++taken[mapping.slot(RankId(r)).index()], 1);
            }
        }
    }
}

}  // namespace
}  // namespace haichi
