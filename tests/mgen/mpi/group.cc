#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "mgen/mpi/group.h"

namespace haichi::mpi {
namespace {

GroupRef group(const std::vector<int>& ranks) {
    std::vector<RankId> members;
    for (const int rank : ranks) members.emplace_back(rank);
    return Group::of(std::move(members));
}

std::vector<int> members(const GroupRef& of) {
    std::vector<int> ranks;
    for (const RankId rank : of->world_ranks()) ranks.push_back(rank.value);
    return ranks;
}

TEST(Groups, include_and_exclude) {
    const GroupRef world = Group::strided(RankId(0), 1, 8);
    EXPECT_EQ(members(world->include(std::vector{5, 0, 3})), (std::vector{5, 0, 3}));
    EXPECT_EQ(members(world->exclude(std::vector{5, 0, 3})), (std::vector{1, 2, 4, 6, 7}));
    EXPECT_EQ(world->include(std::vector<int>{}), Group::empty());
    EXPECT_THROW(world->include(std::vector{8}), CallError);
    EXPECT_THROW(world->include(std::vector{-1}), CallError);
    EXPECT_THROW(world->include(std::vector{1, 1}), CallError);
}

TEST(Groups, of_ranges) {
    const GroupRef world = Group::strided(RankId(0), 1, 10);
    using Ranges = std::vector<Group::Range>;
    EXPECT_EQ(members(world->include_ranges(Ranges{{6, 7, 1}, {1, 5, 2}, {9, 8, -1}})),
              (std::vector{6, 7, 1, 3, 5, 9, 8}));
    EXPECT_EQ(members(world->exclude_ranges(Ranges{{0, 9, 3}})), (std::vector{1, 2, 4, 5, 7, 8}));
    EXPECT_THROW(world->include_ranges(Ranges{{0, 5, 0}}), CallError);
    EXPECT_THROW(world->include_ranges(Ranges{{0, 5, -1}}), CallError);
    EXPECT_THROW(world->include_ranges(Ranges{{0, 10, 1}}), CallError);
    EXPECT_THROW(world->include_ranges(Ranges{{0, 3, 1}, {3, 4, 1}}), CallError);
}

TEST(Groups, union_intersection_and_difference_keep_the_order) {
    const GroupRef a = group({4, 2, 7, 1});
    const GroupRef b = group({9, 1, 4, 3});
    EXPECT_EQ(members(union_of(a, b)), (std::vector{4, 2, 7, 1, 9, 3}));
    EXPECT_EQ(members(intersection_of(a, b)), (std::vector{4, 1}));
    EXPECT_EQ(members(difference_of(a, b)), (std::vector{2, 7}));
    EXPECT_EQ(union_of(a, Group::empty()), a);
    EXPECT_EQ(difference_of(a, a), Group::empty());
}

TEST(Groups, compare) {
    EXPECT_EQ(compare(*group({1, 2, 3}), *group({1, 2, 3})), GroupComparison::kIdentical);
    EXPECT_EQ(compare(*group({1, 2, 4}), *group({4, 1, 2})), GroupComparison::kSimilar);
    EXPECT_EQ(compare(*group({1, 2, 3}), *group({1, 2, 4})), GroupComparison::kUnequal);
    EXPECT_EQ(compare(*group({1, 2}), *group({1, 2, 3})), GroupComparison::kUnequal);
    EXPECT_EQ(compare(*Group::empty(), *group({})), GroupComparison::kIdentical);
    EXPECT_EQ(compare(*group({5}), *Group::strided(RankId(5), 7, 1)), GroupComparison::kIdentical);
}

TEST(Groups, rows_and_columns_of_a_grid_take_no_memory) {
    const GroupRef world = Group::strided(RankId(0), 1, 65'536);
    std::vector<int> column;
    for (int i = 0; i < 256; ++i) column.push_back(i * 256 + 3);
    const GroupRef of_column = world->include(column);
    EXPECT_EQ(*of_column, *Group::strided(RankId(3), 256, 256));
    EXPECT_EQ(of_column->rank_of(RankId(256 * 255 + 3)), 255);
    EXPECT_EQ(of_column->rank_of(RankId(256 * 256 + 3)), std::nullopt);
    EXPECT_EQ(of_column->rank_of(RankId(4)), std::nullopt);
    EXPECT_EQ(of_column->translate(2, *world), 515);
    const GroupRef backwards = Group::strided(RankId(7), -1, 8);
    EXPECT_EQ(backwards->rank_of(RankId(0)), 7);
    EXPECT_EQ(backwards->rank_of(RankId(8)), std::nullopt);
}

TEST(Groups, find_every_member_and_no_other) {
    EXPECT_TRUE(rc::check([] {
        const auto ranks = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 60));
        const GroupRef some = group(ranks);
        RC_ASSERT(members(some) == ranks);
        for (int world = 0; world < 60; ++world) {
            const auto place = std::ranges::find(ranks, world);
            const std::optional<int> rank = some->rank_of(RankId(world));
            RC_ASSERT(rank.has_value() == (place != ranks.end()));
            if (rank) RC_ASSERT(*rank == place - ranks.begin());
        }
    }));
}

}  // namespace
}  // namespace haichi::mpi
