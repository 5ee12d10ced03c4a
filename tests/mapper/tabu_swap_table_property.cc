// Compares the swap table with the definition of the cost, for every kernel that this processor supports.
#include "mapper/tabu/swap_table.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "objectives/metrics.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::random_workload;

/// Full and half-empty jobs, sizes around multiples of a vector, several ranks per node, faulty nodes, huge messages.
std::vector<Posed> problems() {
    std::vector<Posed> problems;
    problems.push_back(pose("17 on 17", random_workload(17, 1, 150, true, 1), "mesh:17", {}));
    problems.push_back(pose("32 on 32", random_workload(32, 2, 300, true, 2), "torus:4x8", {}));
    problems.push_back(pose("5 on 33", random_workload(5, 1, 20, true, 3), "mesh:3x11", {}));
    problems.push_back(pose("20, three a node", random_workload(20, 1, 90, true, 4), "torus:7", {.ranks_per_node = 3}));
    problems.push_back(pose("tree", random_workload(27, 3, 60, true, 5), "fattree:3x3", {}));
    problems.push_back(pose("Tofu with faulty nodes", random_workload(20, 1, 80, true, 6), "fx10-kyushu",
                            {.shape = {1, 1, 2, 2, 3, 2}, .faulty = testing_files::written("two", "0 0 0 1 1 0\n")}));
    Workload huge(12, 1);
    huge.add_set("huge");
    Random random(7);
    for (int i = 0; i < 60; ++i) {
        const auto source = static_cast<std::int32_t>(random.below(12));
        const auto destination = static_cast<std::int32_t>(random.below(12));
        huge.add_message(RankId(source), RankId(destination), static_cast<std::int64_t>(random.next() >> 20));
    }
    problems.push_back(pose("messages of terabytes", std::move(huge), "mesh:3x5", {}));
    return problems;
}

Assignment random_assignment(std::int32_t size, Random& random) {
    Assignment assignment(static_cast<std::size_t>(size));
    for (std::int32_t i = 0; i < size; ++i) assignment[static_cast<std::size_t>(i)] = i;
    random.shuffle(std::span(assignment));
    return assignment;
}

template <class Cell>
void check_kernel(const QuadraticAssignment& problem, const SwapKernel<Cell>& kernel) {
    Random random(3);
    SwapTable<Cell> table(problem, kernel);
    table.reset(random_assignment(problem.size(), random));
    std::vector<std::int32_t> allowed_from(table.active() * table.stride(), kNeverAllowed);
    std::vector<Cell> row_best(table.active());
    for (int round = 0; round < 25; ++round) {
        // Some swaps are allowed now, some later, some never; improvements above a limit are always allowed.
        for (std::size_t a = 0; a < table.active(); ++a) {
            for (std::size_t b = a + 1; b < table.size(); ++b) {
                allowed_from[a * table.stride() + b] =
                    random.below(9) == 0 ? kNeverAllowed : static_cast<std::int32_t>(random.below(20));
            }
        }
        const Cell aspiration = -static_cast<Cell>(random.below(1000));
        table.scan(allowed_from.data(), 10, aspiration, row_best.data());
        const std::int64_t cost = problem.cost(table.assignment());
        for (std::size_t a = 0; a < table.active(); ++a) {
            Cell expected = std::numeric_limits<Cell>::max();
            for (std::size_t b = a + 1; b < table.size(); ++b) {
                Assignment swapped = table.assignment();
                std::swap(swapped[a], swapped[b]);
                const Cell change = table.changes(a)[b];
                ASSERT_EQ(change, problem.cost(swapped) - cost) << "swap " << a << ", " << b << ", round " << round;
                const std::int32_t from = allowed_from[a * table.stride() + b];
                if (from <= 10 || (from != kNeverAllowed && change < aspiration)) expected = std::min(expected, change);
            }
            ASSERT_EQ(row_best[a], expected) << "row " << a << ", round " << round;
        }
        const auto u = random.below(static_cast<std::uint32_t>(table.active()));
        const auto further = random.below(static_cast<std::uint32_t>(table.size() - 1));
        table.swap(u, further < u ? further : further + 1);
    }
}

template <class Cell>
void check_kernels(const QuadraticAssignment& problem) {
    const SwapKernels<Cell> kernels = swap_kernels<Cell>();
    for (std::size_t k = 0; k < kernels.count; ++k) {
        SCOPED_TRACE("kernel " + std::to_string(k) + ", cells of " + std::to_string(sizeof(Cell)) + " bytes");
        check_kernel(problem, kernels.kernel[k]);
    }
}

TEST(SwapTable, holds_the_change_of_every_swap_after_any_swaps) {
    for (const Posed& posed : problems()) {
        SCOPED_TRACE(posed.name);
        const QuadraticAssignment problem(*posed.problem);
        check_kernels<std::int64_t>(problem);
        if (problem.fits_32_bits()) check_kernels<std::int32_t>(problem);
    }
}

TEST(QuadraticAssignment, of_huge_messages_needs_64_bits) {
    const std::vector<Posed> all = problems();
    EXPECT_TRUE(QuadraticAssignment(*all.front().problem).fits_32_bits());
    EXPECT_FALSE(QuadraticAssignment(*all.back().problem).fits_32_bits());
}

TEST(QuadraticAssignment, cost_is_hop_bytes_and_mappings_come_back) {
    for (const Posed& posed : problems()) {
        SCOPED_TRACE(posed.name);
        const QuadraticAssignment problem(*posed.problem);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Mapping mapping = testing_problems::started("random", *posed.problem, *posed.allocation, seed);
            const Assignment assignment = problem.assignment(mapping);
            EXPECT_EQ(problem.mapping(assignment), mapping);
            EXPECT_EQ(problem.cost(assignment) * problem.bytes_per_unit(), measure(*posed.problem, mapping).hop_bytes);
        }
    }
}

}  // namespace
}  // namespace haichi
