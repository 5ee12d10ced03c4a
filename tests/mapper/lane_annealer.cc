#include "mapper/anneal/lane_annealer.h"

#include <gtest/gtest.h>

#include "mapper/anneal/annealer.h"
#include "objectives/registry.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;

Posed shuffled_stencil(std::vector<std::int32_t> sizes, const std::string& machine) {
    PatternOptions options;
    options.dims = std::move(sizes);
    options.shuffle_seed = 3;
    return pose("stencil", make_pattern("stencil3d", options), machine, {});
}

AnnealState from_default(const Posed& posed, std::int64_t evaluations) {
    return {posed.default_placement, Random(9), Cooling::automatic(3, evaluations)};
}

/// 2 x 2 ranks in a row of nodes 0 1 2 3 4, where node 4 is free.
struct Row {
    Posed posed = pose("row", testing_problems::random_workload(4, 1, 12, true, 2), "mesh:5x1", {});
    HopBytes objective{*posed.problem, {}, posed.default_placement};
    LaneMapping<HopBytes> copy;

    Row() { copy.reset(posed.default_placement); }
    [[nodiscard]] LaneMove<HopBytes> to_slot(const Mapping& mapping, std::int32_t rank, std::int32_t slot) const {
        const Move move = move_to_slot(mapping, RankId(rank), SlotId(slot));
        return {move, objective.change_by(mapping, move)};
    }
};

TEST(LaneMapping, a_move_that_finds_its_rank_gone_is_left_out) {
    Row row;
    std::vector<Lane<HopBytes>> lanes(2);
    lanes[0].accepted = {row.to_slot(row.posed.default_placement, 0, 1)};
    lanes[1].accepted = {row.to_slot(row.posed.default_placement, 0, 4)};
    (void)row.copy.follow(lanes, row.objective, 0, 1);
    EXPECT_EQ(row.copy.made().size(), 1U);
    EXPECT_EQ(row.copy.mapping().node(RankId(0)), NodeId(1));
}

TEST(LaneMapping, a_move_that_finds_its_slot_taken_is_left_out) {
    Row row;
    std::vector<Lane<HopBytes>> lanes(2);
    lanes[0].accepted = {row.to_slot(row.posed.default_placement, 0, 4)};
    lanes[1].accepted = {row.to_slot(row.posed.default_placement, 1, 4)};
    (void)row.copy.follow(lanes, row.objective, 0, 1);
    EXPECT_EQ(row.copy.mapping().node(RankId(0)), NodeId(4));
    EXPECT_EQ(row.copy.mapping().node(RankId(1)), NodeId(1));
}

TEST(LaneMapping, shares_of_moves_add_up_to_the_change_whatever_lanes_did_not_see) {
    // Ranks 0 and 1 are swapped; another lane, which does not see this, swaps 2 and 3 and also moves 0.
    Row row;
    Mapping seen = row.posed.default_placement;
    std::vector<Lane<HopBytes>> lanes(2);
    lanes[0].accepted = {row.to_slot(seen, 0, 1)};
    const auto act = [&](std::int32_t rank, std::int32_t slot) {
        lanes[1].accepted.push_back(row.to_slot(seen, rank, slot));
        seen.apply(lanes[1].accepted.back().move);
    };
    act(2, 3);
    act(0, 4);
    act(3, 0);
    act(3, 2);
    for (const std::size_t shares : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        HopBytes::Value sum = 0;
        LaneMapping<HopBytes> copy;
        for (std::size_t share = 0; share < shares; ++share) {
            copy.reset(row.posed.default_placement);
            sum += copy.follow(lanes, row.objective, share, shares);
        }
        EXPECT_EQ(sum, row.objective.value_from_scratch(copy.mapping()) -
                           row.objective.value_from_scratch(row.posed.default_placement));
    }
}

TEST(LaneAnnealer, values_are_exact_at_every_step_on_every_kind_of_problem) {
    ThreadTeam team(2);
    for (const Posed& posed : testing_problems::varied_problems()) {
        SCOPED_TRACE(posed.name);
        const Proposer proposer(*posed.problem, {});
        HopBytes objective(*posed.problem, {}, posed.default_placement);
        // Rounds are far longer than in searches, so that lanes conflict.
        LaneAnnealer<HopBytes> annealer(*posed.problem, objective, proposer, VerifyLevel::kStep,
                                        from_default(posed, 50'000), team);
        for (std::int64_t made = 60; made <= 1'200; made += 60) {
            annealer.run_until(made);
            EXPECT_EQ(annealer.state().evaluations, made);
            ASSERT_EQ(objective.value_from_scratch(annealer.best()), annealer.best_value());
        }
        EXPECT_GT(annealer.state().accepted, 0);
    }
}

TEST(LaneAnnealer, a_run_does_not_depend_on_the_number_of_threads) {
    const Posed posed = shuffled_stencil({11, 10, 10}, "torus:11x11x11");
    const Proposer proposer(*posed.problem, {});
    HopBytes objective(*posed.problem, {}, posed.default_placement);
    std::optional<Mapping> first;
    for (const int threads : {1, 5}) {
        ThreadTeam team(threads);
        LaneAnnealer<HopBytes> annealer(*posed.problem, objective, proposer, VerifyLevel::kEnd,
                                        from_default(posed, 200'000), team);
        annealer.run_until(200'000);
        annealer.verify();
        if (!first) first = annealer.state().mapping;
        EXPECT_EQ(annealer.state().mapping, *first) << threads;
        EXPECT_LT(2 * annealer.best_value(), objective.value_from_scratch(posed.default_placement));
    }
}

TEST(LaneAnnealer, a_run_resumed_between_rounds_equals_an_uninterrupted_one) {
    const Posed posed = shuffled_stencil({8, 8, 8}, "torus:8x8x8");
    const Proposer proposer(*posed.problem, {});
    HopBytes objective(*posed.problem, {}, posed.default_placement);
    ThreadTeam team(2);
    const auto make = [&](AnnealState state) {
        return LaneAnnealer<HopBytes>(*posed.problem, objective, proposer, VerifyLevel::kOff, std::move(state), team);
    };
    auto whole = make(from_default(posed, 50'000));
    const std::int64_t round = whole.round_size();
    whole.run_until(60 * round);
    auto begun = make(from_default(posed, 50'000));
    begun.run_until(25 * round);
    auto resumed = make(begun.state());
    resumed.run_until(60 * round);
    EXPECT_EQ(resumed.state().mapping, whole.state().mapping);
    EXPECT_EQ(resumed.state().lanes, whole.state().lanes);
    EXPECT_EQ(resumed.best_value(), whole.best_value());
    EXPECT_EQ(resumed.best(), whole.best());
}

TEST(LaneAnnealer, equal_evaluations_find_as_much_as_one_lane_does) {
    const Posed posed = shuffled_stencil({10, 10, 10}, "torus:11x11x11");
    const Proposer proposer(*posed.problem, {});
    HopBytes objective(*posed.problem, {}, posed.default_placement);
    constexpr std::int64_t kEvaluations = 400'000;
    Annealer<HopBytes> alone(*posed.problem, objective, proposer, 0, VerifyLevel::kOff,
                             from_default(posed, kEvaluations));
    alone.run_until(kEvaluations);
    ThreadTeam team(1);
    LaneAnnealer<HopBytes> lanes(*posed.problem, objective, proposer, VerifyLevel::kOff,
                                 from_default(posed, kEvaluations), team);
    lanes.run_until(kEvaluations);
    EXPECT_LT(static_cast<double>(lanes.best_value()), 1.1 * static_cast<double>(alone.best_value()));
}

TEST(LaneAnnealer, ends_when_no_move_changes_anything) {
    // The only communicating rank has its partner on its own node, and no other node is available.
    Workload workload(2, 1);
    workload.add_set("one");
    workload.add_message(RankId(0), RankId(1), 1);
    const Posed posed = pose("one node", std::move(workload), "mesh:1x1", {.ranks_per_node = 2});
    const Proposer proposer(*posed.problem, {});
    HopBytes objective(*posed.problem, {}, posed.default_placement);
    ThreadTeam team(1);
    LaneAnnealer<HopBytes> annealer(*posed.problem, objective, proposer, VerifyLevel::kOff, from_default(posed, 1'000),
                                    team);
    annealer.run_until(1'000);
    EXPECT_TRUE(annealer.finished());
    EXPECT_EQ(annealer.state().evaluations, 0);
}

}  // namespace
}  // namespace haichi
