#include "objectives/sliced_collisions.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "mapper/anneal/metropolis.h"
#include "objectives/collisions.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_move;
using testing_problems::random_workload;

/// Messages in both directions; some pairs occur twice, some once more in one direction.
Workload exchanges(std::int32_t ranks, int sets, int pairs, std::uint64_t seed) {
    Random random(seed);
    Workload workload(ranks, 1);
    const auto any = [&] { return RankId(static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(ranks)))); };
    for (int t = 0; t < sets; ++t) {
        workload.add_set("set " + std::to_string(t));
        for (int k = 0; k < pairs; ++k) {
            const RankId a = any();
            const RankId b = any();
            const std::uint32_t times = 1 + random.below(2);
            for (std::uint32_t i = 0; i < times; ++i) {
                workload.add_message(a, b, 1000);
                workload.add_message(b, a, 1000);
            }
            if (random.below(4) == 0) workload.add_message(a, b, 1000);
        }
    }
    return workload;
}

/// Problems with rows of one to four blocks, and with counters of few and of many bits.
std::vector<Posed> sliced_problems() {
    std::vector<Posed> problems;
    problems.push_back(pose("one block", random_workload(16, 3, 20, false, 1), "mesh:4x4", {}));
    problems.push_back(pose("two blocks, idle nodes", random_workload(60, 5, 60, false, 2), "fx10-kyushu",
                            {.shape = {1, 2, 4, 2, 3, 2}}));
    problems.push_back(pose("three blocks", random_workload(128, 2, 300, false, 3), "torus:4x4x8", {}));
    problems.push_back(pose("four blocks, channels counted", random_workload(200, 2, 100, false, 4), "mesh:15x16",
                            {.count_nic = true}));
    problems.push_back(pose("counts of many bits, two ranks a node", random_workload(50, 1, 3000, false, 5),
                            "torus:5x5", {.ranks_per_node = 2}));
    problems.push_back(
        pose("exchanges on a Tofu", exchanges(90, 4, 40, 7), "fx10-kyushu", {.shape = {1, 2, 4, 2, 3, 2}}));
    problems.push_back(
        pose("exchanges, two ranks a node", exchanges(40, 3, 60, 8), "torus:4x6", {.ranks_per_node = 2}));
    problems.push_back(pose("faulty nodes", random_workload(20, 3, 40, false, 6), "fx10:2x1x2",
                            {.faulty = testing_files::written("down", "0 0 0 1 1 0\n1 0 1 0 2 1\n")}));
    return problems;
}

/// The value that Collisions must count for the mapping, computed message by message.
void expect_as_counted_one_by_one(const Posed& posed, const SlicedCollisions& sliced, const Mapping& mapping) {
    const Problem& problem = *posed.problem;
    Collisions plain(problem);
    plain.clear();
    std::vector<LinkId> scratch;
    std::int64_t value = 0;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        for (const Message& m : problem.workload().messages(t)) {
            if (!m.crosses_network()) continue;
            plain.add(t, problem.route(mapping.node(m.source), mapping.node(m.destination), scratch));
        }
        value += plain.largest_scaled(t) * problem.set_largest_bytes(t);
        ASSERT_EQ(sliced.largest(t), plain.largest_scaled(t));
    }
    ASSERT_EQ(sliced.value(), value);
    ASSERT_EQ(sliced.excess(), plain.excess());
    const std::size_t last = problem.set_count() - 1;
    for (std::int32_t link = 0; link < problem.network().link_count(); ++link) {
        if (!problem.network().link_exists(LinkId(link))) continue;
        ASSERT_EQ(sliced.count(last, LinkId(link)), plain.count(last, LinkId(link)));
    }
}

TEST(SlicedCollisions, every_kernel_counts_as_one_does_message_by_message) {
    for (const Posed& posed : sliced_problems()) {
        ASSERT_TRUE(SlicedCollisions::suits(*posed.problem, Counted::kPerSet)) << posed.name;
        for (std::size_t k = 0; k < slice_kernels().count; ++k) {
            SCOPED_TRACE(posed.name + ", kernel " + std::to_string(k));
            posed.problem->set_slice_kernel(slice_kernels().kernel[k]);
            SlicedCollisions sliced(*posed.problem, Counted::kPerSet);
            Mapping mapping = posed.default_placement;
            sliced.reset(mapping);
            expect_as_counted_one_by_one(posed, sliced, mapping);
            Random random(7);
            for (int step = 0; step < 300; ++step) {
                const Move move = random_move(mapping, posed.allocation->network, random);
                if (move.empty()) continue;
                const std::int64_t value = sliced.value();
                const std::int64_t excess = sliced.excess();
                sliced.propose(mapping, move);
                if (random.below(2) == 0) {
                    sliced.rollback();
                    ASSERT_EQ(sliced.value(), value);
                    ASSERT_EQ(sliced.excess(), excess);
                } else {
                    sliced.commit();
                    mapping.apply(move);
                }
                if (step % 10 == 0) expect_as_counted_one_by_one(posed, sliced, mapping);
            }
        }
    }
}

TEST(SlicedCollisions, bounds_hold_for_sets_that_are_not_yet_counted) {
    for (const Posed& posed : sliced_problems()) {
        SCOPED_TRACE(posed.name);
        SlicedCollisions sliced(*posed.problem, Counted::kPerSet);
        Mapping mapping = posed.default_placement;
        sliced.reset(mapping);
        Random random(11);
        for (int step = 0; step < 300; ++step) {
            const Move move = random_move(mapping, posed.allocation->network, random);
            if (move.empty()) continue;
            const std::pair before{sliced.value(), sliced.excess()};
            sliced.propose(mapping, move);
            const std::pair after{sliced.value(), sliced.excess()};
            sliced.rollback();
            int bounds = 0;
            const auto holds = [&](std::int64_t value, std::int64_t excess) {
                ++bounds;
                EXPECT_LE(value, after.first);
                EXPECT_LE(excess, after.second);
                return false;
            };
            ASSERT_TRUE(sliced.propose_within(mapping, move, holds));
            ASSERT_EQ(std::pair(sliced.value(), sliced.excess()), after);
            sliced.rollback();
            if (bounds > 0) {
                const auto excludes_last = [&](std::int64_t, std::int64_t) { return --bounds == 0; };
                ASSERT_FALSE(sliced.propose_within(mapping, move, excludes_last));
                ASSERT_EQ(std::pair(sliced.value(), sliced.excess()), before);
            }
            sliced.propose(mapping, move);
            sliced.commit();
            mapping.apply(move);
        }
    }
}

TEST(SlicedCollisions, sizes_or_links_that_differ_do_not_suit) {
    const Posed sizes = pose("", random_workload(16, 3, 20, true, 1), "mesh:4x4", {});
    EXPECT_FALSE(SlicedCollisions::suits(*sizes.problem, Counted::kPerSet));
    const Posed sets_of_other_sizes = pose("", random_workload(16, 3, 20, false, 1), "mesh:4x4", {});
    EXPECT_TRUE(SlicedCollisions::suits(*sets_of_other_sizes.problem, Counted::kPerSet));
    EXPECT_FALSE(SlicedCollisions::suits(*sets_of_other_sizes.problem, Counted::kAllSetsTogether));
    sets_of_other_sizes.problem->set_slice_kernel(nullptr);
    EXPECT_FALSE(SlicedCollisions::suits(*sets_of_other_sizes.problem, Counted::kPerSet));
    const Posed large = pose("", random_workload(16, 3, 20, false, 1), "torus:12x12x12", {});
    EXPECT_FALSE(SlicedCollisions::suits(*large.problem, Counted::kPerSet));
}

TEST(RouteRows, an_exchange_has_the_links_of_both_ways) {
    for (const Posed& posed : sliced_problems()) {
        const Network& network = posed.allocation->network;
        const RouteRows rows(network);
        ASSERT_TRUE(rows.has_exchanges()) << posed.name;
        for (std::int32_t a = 0; a < network.node_count(); ++a) {
            for (std::int32_t b = 0; b < network.node_count(); b += 3) {
                for (std::size_t k = 0; k < rows.blocks(); ++k) {
                    for (std::size_t w = 0; w < BitBlock::kWords; ++w) {
                        ASSERT_EQ(
                            rows.exchange(NodeId(a), NodeId(b))[k].words[w],
                            rows.row(NodeId(a), NodeId(b))[k].words[w] | rows.row(NodeId(b), NodeId(a))[k].words[w]);
                    }
                }
            }
        }
    }
}

TEST(RouteLegs, messages_of_both_ways_are_one_leg_at_either_end) {
    Workload workload(3, 1);
    workload.add_set("exchange and one more");
    workload.add_message(RankId(0), RankId(1), 5);
    workload.add_message(RankId(0), RankId(1), 5);
    workload.add_message(RankId(1), RankId(0), 5);
    workload.add_message(RankId(2), RankId(2), 5);
    const Posed posed = pose("", std::move(workload), "torus:4x4", {});
    const RouteLegs& legs = posed.problem->route_legs();
    for (const auto& [rank, partner, way] : {std::tuple(0, 1, RouteLeg::kTo), std::tuple(1, 0, RouteLeg::kFrom)}) {
        const RouteLeg* leg = legs.of(RankId(rank));
        EXPECT_EQ(leg[0].way(), RouteLeg::kBothWays);
        EXPECT_EQ(leg[0].partner, RankId(partner));
        EXPECT_EQ(leg[1].way(), way);
        EXPECT_EQ(leg[2].set(), RouteLeg::kNoSet);
    }
    EXPECT_EQ(legs.of(RankId(2))->set(), RouteLeg::kNoSet);
}

TEST(LinkCounts, counts_beyond_a_byte_and_beyond_the_budget_are_the_same) {
    constexpr std::size_t kSets = 3;
    constexpr std::size_t kLinks = 5;
    LinkCounts in_bytes(kSets, kLinks);
    LinkCounts in_use(kSets, kLinks, 0);
    std::vector<std::uint32_t> plain(kSets * kLinks);
    Random random(5);
    for (int step = 0; step < 100'000; ++step) {
        const std::size_t set = random.below(kSets);
        const std::size_t link = random.below(kLinks);
        std::uint32_t& count = plain[set * kLinks + link];
        // Counts rise to about 600 and fall again, so that they cross the maximum of a byte in both directions.
        const bool up = random.below(100) < (step / 10'000 % 2 == 0 ? 90U : 10U);
        const std::size_t place = link * kSets + set;
        for (LinkCounts* counts : {&in_bytes, &in_use}) {
            counts->with_counters([&](auto counters) {
                if (up) {
                    ASSERT_EQ(counters.increment(place), count + 1);
                } else if (count > 0) {
                    ASSERT_EQ(counters.decrement(place), count);
                }
            });
        }
        if (up) {
            ++count;
        } else if (count > 0) {
            --count;
        }
        ASSERT_EQ(in_bytes.get(set, link), count);
        ASSERT_EQ(in_use.get(set, link), count);
    }
}

TEST(RouteRows, hold_the_links_of_every_route) {
    for (const Posed& posed : sliced_problems()) {
        const Network& network = posed.allocation->network;
        const RouteRows rows(network);
        ASSERT_TRUE(rows.is_stored());
        std::vector<LinkId> route;
        for (std::int32_t s = 0; s < network.node_count(); s += 3) {
            for (std::int32_t d = 0; d < network.node_count(); ++d) {
                if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
                route.clear();
                network.append_route(NodeId(s), NodeId(d), route);
                std::vector<BitBlock> expected(rows.blocks());
                for (const LinkId link : route) {
                    expected[rows.bit(link) / BitBlock::kBits].set(rows.bit(link) % BitBlock::kBits);
                }
                for (std::size_t bit = 0; bit < rows.blocks() * BitBlock::kBits; ++bit) {
                    const BitBlock& block = rows.row(NodeId(s), NodeId(d))[bit / BitBlock::kBits];
                    ASSERT_EQ(block.test(bit % BitBlock::kBits),
                              expected[bit / BitBlock::kBits].test(bit % BitBlock::kBits));
                }
            }
        }
    }
}

TEST(MetropolisAcceptor, decides_as_the_logarithm_does) {
    Random random(3);
    int accepted = 0;
    constexpr int kDraws = 200'000;
    for (int draw = 0; draw < kDraws; ++draw) {
        const double temperature = 1e-3 + random.unit();
        double change = 6 * random.unit() * temperature;
        Random exact = random;
        const double w = 1 - exact.unit();
        // Every second change is as close to the limit as doubles allow.
        if (draw % 2 == 0) change = -temperature * deterministic_log(w) * (1 + (random.below(3) - 1.0) * 1e-15);
        exact = random;
        const bool expected = change <= -temperature * deterministic_log(1 - exact.unit());
        const bool got = MetropolisAcceptor(temperature).accepts(change, random);
        ASSERT_EQ(got, change <= 0 || (change < 40 * temperature && expected));
        accepted += got ? 1 : 0;
    }
    EXPECT_GT(accepted, kDraws / 20);
}

}  // namespace
}  // namespace haichi
