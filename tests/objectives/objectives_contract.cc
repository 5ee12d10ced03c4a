// The contract of every registered objective on every kind of machine: incremental values equal full evaluations, a
// rollback leaves no trace, the lower bound holds.
#include "objectives/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mapper/anneal/objective_table.h"
#include "objectives/metrics.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/plain_values.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::Plain;
using testing_problems::plain_values;
using testing_problems::Posed;
using testing_problems::random_move;
using testing_problems::started;
using testing_problems::varied_problems;
using testing_problems::weighted_sum_of_quick_objectives;

template <class List>
struct AsTypes;
template <class... O>
struct AsTypes<ObjectiveList<O...>> {
    using type = testing::Types<O...>;
};

/// Whether the moves have a rank or a slot in common.
bool in_the_way(const Move& one, const Move& other) {
    return std::ranges::any_of(one, [&](const Relocation& a) {
        return std::ranges::any_of(other, [&](const Relocation& b) {
            return a.rank == b.rank || a.to_slot == b.to_slot || a.to_slot == b.from_slot || a.from_slot == b.to_slot;
        });
    });
}

template <class O>
class ObjectiveContract : public testing::Test {
  protected:
    static ObjectiveSpec spec() {
        if (!O::kInfo.needs_terms) return {.name = std::string(O::kInfo.name)};
        return parse_objective(weighted_sum_of_quick_objectives());
    }
};

TYPED_TEST_SUITE(ObjectiveContract, AsTypes<RegisteredObjectives>::type);

TYPED_TEST(ObjectiveContract, random_moves_change_the_value_as_from_scratch) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        TypeParam objective(*posed.problem, this->spec(), posed.default_placement);
        Mapping mapping = posed.default_placement;
        objective.reset(mapping);
        EXPECT_EQ(objective.value(), objective.value_from_scratch(mapping));
        Random random(11);
        int changed = 0;
        for (int step = 0; step < 400; ++step) {
            const Move move = random_move(mapping, posed.allocation->network, random);
            if (move.empty()) continue;
            const auto value = objective.value();
            const auto smoothing = objective.smoothing();
            const Change change = objective.propose(mapping, move);
            EXPECT_EQ(change.value > 0, objective.value() > value);
            EXPECT_EQ(change.value < 0, objective.value() < value);
            if (random.below(2) == 0) {
                objective.rollback();
                ASSERT_EQ(objective.value(), value) << "rollback, step " << step;
                ASSERT_EQ(objective.smoothing(), smoothing) << "rollback, step " << step;
            } else {
                objective.commit();
                mapping.apply(move);
                ++changed;
            }
            ASSERT_EQ(objective.value(), objective.value_from_scratch(mapping)) << "step " << step;
            ASSERT_EQ(objective.smoothing(), objective.smoothing_from_scratch(mapping)) << "step " << step;
        }
        EXPECT_GT(changed, 50);
    }
}

TYPED_TEST(ObjectiveContract, changes_that_threads_are_told_are_those_of_proposals) {
    if constexpr (SplitObjective<TypeParam>) {
        for (const Posed& posed : varied_problems()) {
            SCOPED_TRACE(posed.name);
            TypeParam objective(*posed.problem, this->spec(), posed.default_placement);
            Mapping mapping = posed.default_placement;
            Random random(11);
            int compared = 0;
            for (int step = 0; step < 400; ++step) {
                const Move move = random_move(mapping, posed.allocation->network, random);
                if (move.empty()) continue;
                objective.reset(mapping);
                const auto before = objective.value();
                const Change change = objective.propose(mapping, move);
                EXPECT_EQ(objective.change_by(mapping, move), objective.value() - before);
                EXPECT_EQ(objective.in_messages(objective.value() - before), change.value);
                // The same move while other ranks are elsewhere.
                Mapping other = mapping;
                const Move unseen = random_move(mapping, posed.allocation->network, random);
                if (in_the_way(move, unseen)) continue;
                other.apply(unseen);
                EXPECT_EQ(objective.correction(other, move, [&](RankId rank) { return mapping.node(rank); }),
                          objective.change_by(other, move) - objective.change_by(mapping, move));
                mapping = other;
                ++compared;
            }
            EXPECT_GT(compared, 50);
        }
    }
}

TYPED_TEST(ObjectiveContract, no_mapping_is_below_the_lower_bound) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        const TypeParam objective(*posed.problem, this->spec(), posed.default_placement);
        const auto bound = objective.lower_bound();
        ASSERT_TRUE(bound.has_value());
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const Mapping mapping = started("random", *posed.problem, *posed.allocation, seed);
            EXPECT_FALSE(objective.value_from_scratch(mapping) < *bound);
        }
        EXPECT_FALSE(objective.value_from_scratch(started("greedy", *posed.problem, *posed.allocation)) < *bound);
    }
}

TYPED_TEST(ObjectiveContract, hot_ranks_are_ranks_that_communicate) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        TypeParam objective(*posed.problem, this->spec(), posed.default_placement);
        objective.reset(posed.default_placement);
        std::vector<RankId> ranks;
        std::as_const(objective).append_hot_ranks(posed.default_placement, ranks);
        for (const RankId rank : ranks) EXPECT_FALSE(posed.problem->incident(rank).empty());
    }
}

TEST(Metrics, agree_with_the_plain_definitions) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Mapping mapping = started("random", *posed.problem, *posed.allocation, seed);
            const Metrics metrics = measure(*posed.problem, mapping);
            const Plain plain = plain_values(posed, mapping);
            EXPECT_EQ(metrics.hop_bytes, plain.hop_bytes);
            EXPECT_EQ(metrics.max_link_bytes, plain.max_link_bytes);
            EXPECT_EQ(metrics.set_contention, plain.contention);
            EXPECT_NEAR(metrics.tac3_seconds, plain.tac3_seconds, 1e-12 * plain.tac3_seconds);
            EXPECT_NEAR(metrics.tac3_bytes_seconds, plain.tac3_bytes_seconds, 1e-12 * plain.tac3_bytes_seconds);
        }
    }
}

TEST(Collisions, sparse_counters_equal_dense_ones) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        Collisions dense(*posed.problem);
        Collisions sparse(*posed.problem, 0);
        dense.clear();
        sparse.clear();
        Random random(17);
        std::vector<std::pair<std::size_t, std::vector<LinkId>>> routed;
        const auto node = [&] {
            NodeId drawn;
            do {
                drawn = NodeId(static_cast<std::int32_t>(
                    random.below(static_cast<std::uint32_t>(posed.allocation->node_count()))));
            } while (!posed.allocation->network.is_usable(drawn));
            return drawn;
        };
        for (std::size_t t = 0; t < posed.problem->set_count(); ++t) {
            for (std::int64_t m = 0; m < posed.problem->set_message_count(t); ++m) {
                std::vector<LinkId> route;
                posed.allocation->network.append_route(node(), node(), route);
                dense.add(t, route);
                sparse.add(t, route);
                routed.emplace_back(t, route);
            }
        }
        Collisions rest(*posed.problem);
        rest.clear();
        for (std::size_t i = 1; i < routed.size(); i += 2) rest.add(routed[i].first, routed[i].second);
        const auto values_of = [&](const Collisions& collisions) {
            std::vector<std::int64_t> values{collisions.excess()};
            for (std::size_t t = 0; t < posed.problem->set_count(); ++t) {
                values.push_back(collisions.largest_scaled(t));
            }
            return values;
        };
        const auto change_every_second = [&](Collisions& collisions, auto change) {
            for (std::size_t t = 0; t < posed.problem->set_count(); ++t) collisions.begin(t);
            for (std::size_t i = 0; i < routed.size(); i += 2) {
                (collisions.*change)(routed[i].first, routed[i].second);
            }
        };
        const std::vector<std::int64_t> all = values_of(dense);
        for (Collisions* each : {&dense, &sparse}) {
            EXPECT_EQ(values_of(*each), all);
            change_every_second(*each, &Collisions::take);
            EXPECT_EQ(values_of(*each), values_of(rest));
            each->drop();
            EXPECT_EQ(values_of(*each), all);
            change_every_second(*each, &Collisions::take);
            each->keep();
            EXPECT_EQ(values_of(*each), values_of(rest));
            change_every_second(*each, &Collisions::bring);
            each->keep();
            EXPECT_EQ(values_of(*each), all);
        }
    }
}

TEST(SetLoads, sparse_equals_dense) {
    SetLoads dense(3, 200);
    SetLoads sparse(3, 200, 0);
    Random random(23);
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> loads;
    for (int step = 0; step < 20'000; ++step) {
        const std::size_t set = random.below(3);
        const std::size_t link = random.below(200);
        std::int64_t& load = loads[{set, link}];
        const std::int64_t change = random.below(2) == 0 ? static_cast<std::int64_t>(random.below(50)) : -load;
        load += change;
        dense.add(set, link, change);
        sparse.add(set, link, change);
        if (step % 7 != 0) continue;
        ASSERT_EQ(dense.largest(set), sparse.largest(set));
        std::int64_t largest = 0;
        for (const auto& [key, value] : loads) {
            if (key.first == set) largest = std::max(largest, value);
        }
        ASSERT_EQ(dense.largest(set), largest);
    }
}

}  // namespace
}  // namespace haichi
