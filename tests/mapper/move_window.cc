#include "mapper/anneal/move_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;

Posed posed_ring(std::int32_t ranks, const std::string& machine, const AllocationRequest& request = {}) {
    PatternOptions options;
    options.ranks = ranks;
    return pose("ring", make_pattern("ring", options), machine, request);
}

TEST(MoveWindow, a_job_of_its_size_has_one_window_of_all_ranks) {
    const Posed posed = posed_ring(8192, "torus:32x16x16");
    MoveWindow window(*posed.problem, posed.default_placement);
    EXPECT_EQ(window.windows(), 1U);
    for (std::int64_t evaluations = 0; evaluations < 1'000'000; evaluations += 10'000) {
        EXPECT_EQ(window.ranks().size(), 8192U);
        window.advance(evaluations, *posed.problem, posed.default_placement);
    }
}

TEST(MoveWindow, holds_ranks_on_slots_beside_each_other) {
    const Posed posed = posed_ring(20'000, "torus:32x32x24");
    const MoveWindow window(*posed.problem, posed.default_placement);
    std::set<SlotId> slots;
    for (const RankId rank : window.ranks()) slots.insert(posed.default_placement.slot(rank));
    ASSERT_EQ(slots.size(), MoveWindow::kRanks);
    EXPECT_EQ(std::ranges::count_if(posed.problem->communicating_ranks(),
                                    [&](RankId rank) {
                                        const SlotId slot = posed.default_placement.slot(rank);
                                        return *slots.begin() <= slot && slot <= *slots.rbegin();
                                    }),
              static_cast<std::ptrdiff_t>(MoveWindow::kRanks));
}

TEST(MoveWindow, all_ranks_get_equally_many_evaluations) {
    const Posed posed = posed_ring(20'000, "torus:8x8x8", {.ranks_per_node = 48});
    MoveWindow window(*posed.problem, posed.default_placement);
    std::vector<int> windows_of(20'000, 0);
    constexpr std::int64_t kTurn = 10;
    const RankId* last = nullptr;
    for (std::int64_t evaluations = 0; evaluations < 4'000'000; evaluations += kTurn) {
        window.advance(evaluations, *posed.problem, posed.default_placement);
        if (window.ranks().data() == last) continue;
        last = window.ranks().data();
        for (const RankId rank : window.ranks()) ++windows_of[rank.index()];
    }
    const auto [least, most] = std::ranges::minmax(windows_of);
    EXPECT_GT(least, 90) << "4,000,000 evaluations, 16,384 per window of 8,192 of 20,000 ranks";
    EXPECT_LE(most - least, 2);
}

TEST(MoveWindow, ranks_without_messages_are_in_none) {
    Workload workload(30'000, 1);
    workload.add_set("every third is silent");
    for (std::int32_t r = 0; r + 1 < 30'000; r += 3) workload.add_message(RankId(r), RankId(r + 1), 8);
    const Posed posed = pose("pairs", std::move(workload), "torus:32x32x32", {});
    MoveWindow window(*posed.problem, posed.default_placement);
    for (int shift = 0; shift < 7; ++shift) {
        EXPECT_EQ(window.ranks().size(), MoveWindow::kRanks);
        EXPECT_TRUE(std::ranges::none_of(window.ranks(), [](RankId rank) { return rank.value % 3 == 2; }));
        window.shift(0, *posed.problem, posed.default_placement);
    }
}

}  // namespace
}  // namespace haichi
