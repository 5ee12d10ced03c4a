#include "objectives/sliced_collisions.h"

#include <gtest/gtest.h>

#include "mapper/anneal/metropolis.h"
#include "objectives/collisions.h"
#include "tests/unit/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_move;
using testing_problems::random_workload;

/// Rows of one to four blocks; counters of few and of many bits.
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
    problems.push_back(pose("faulty nodes", random_workload(20, 3, 40, false, 6), "fx10:2x1x2",
                            {.faulty = testing_files::written("down", "0 0 0 1 1 0\n1 0 1 0 2 1\n")}));
    return problems;
}

/// What Collisions count for the mapping, message by message.
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
        // Every other change lies as near the limit as doubles go.
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
