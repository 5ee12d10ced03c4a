#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "base/deterministic_math.h"
#include "base/random.h"

namespace haichi {
namespace {

TEST(Random, the_stream_of_a_seed_never_changes) {
    // Changing these values changes every published result.
    Random random(1);
    EXPECT_EQ(random.next(), 8089978747140965633ULL) << "first draw of seed 1";
    Random copy = random;
    EXPECT_EQ(copy.next(), random.next());
}

TEST(Random, streams_of_one_seed_differ) {
    std::set<std::uint64_t> firsts;
    for (std::uint64_t stream = 0; stream < 1000; ++stream) firsts.insert(Random(7, stream).next());
    EXPECT_EQ(firsts.size(), 1000U);
}

TEST(Random, below_is_uniform) {
    Random random(3);
    std::array<int, 7> seen{};
    for (int draw = 0; draw < 70'000; ++draw) ++seen[random.below(7)];
    for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, shuffle_is_a_permutation) {
    Random random(5);
    std::vector<int> items = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    random.shuffle(std::span(items));
    EXPECT_EQ(std::set<int>(items.begin(), items.end()).size(), 10U);
    EXPECT_NE(items, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(DeterministicMath, agrees_with_the_library_to_1e_13) {
    for (double x = 1e-12; x < 1e12; x *= 1.37) {
        EXPECT_NEAR(deterministic_log(x), std::log(x), 1e-13 * (1 + std::abs(std::log(x)))) << x;
    }
    for (double x = -600; x < 600; x += 0.731) {
        EXPECT_NEAR(deterministic_exp(x) / std::exp(x), 1.0, 1e-12) << x;
    }
}

}  // namespace
}  // namespace haichi
