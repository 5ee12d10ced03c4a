#include <gtest/gtest.h>

#include <optional>

#include "objectives/hop_bytes.h"
#include "objectives/ordered.h"
#include "objectives/tac3.h"
#include "objectives/tac3_bytes.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::Posed;
using testing_problems::random_move;
using testing_problems::varied_problems;

constexpr double kSmoothingWeight = 0.1;

double energy_of(const Change& change) { return change.value + kSmoothingWeight * change.smoothing; }

struct Seen {
    int excluded = 0;
    int told = 0;
};

/// Random moves, some of which are applied. With a limit, an objective returns the same value as its twin without one,
/// or nothing if the value exceeds the limit. In that case its state is unchanged.
template <LimitedObjective O>
void expect_same_within_limits(const Posed& posed, const ObjectiveSpec& spec, Seen& seen) {
    O limited(*posed.problem, spec, posed.default_placement);
    O plain(*posed.problem, spec, posed.default_placement);
    Mapping mapping = posed.default_placement;
    limited.reset(mapping);
    plain.reset(mapping);
    Random random(11);
    for (int step = 0; step < 300; ++step) {
        const Move move = random_move(mapping, posed.allocation->network, random);
        if (move.empty()) continue;
        const Change change = plain.propose(mapping, move);
        const double most = energy_of(change) + 4 * (random.unit() - 0.5);
        const std::optional<Change> told = limited.propose_within(mapping, move, {most, kSmoothingWeight});
        const bool is_made = told && random.below(4) == 0;
        if (told) {
            ++seen.told;
            ASSERT_DOUBLE_EQ(energy_of(*told), energy_of(change));
            ASSERT_TRUE(limited.value() == plain.value());
            ASSERT_EQ(limited.smoothing(), plain.smoothing());
            is_made ? limited.commit() : limited.rollback();
        } else {
            ++seen.excluded;
            ASSERT_GT(energy_of(change), most);
        }
        is_made ? plain.commit() : plain.rollback();
        if (is_made) mapping.apply(move);
        ASSERT_TRUE(limited.value() == plain.value());
        ASSERT_EQ(limited.smoothing(), plain.smoothing());
        if (step % 30 != 0) continue;
        ASSERT_TRUE(limited.value() == limited.value_from_scratch(mapping));
        ASSERT_EQ(limited.smoothing(), limited.smoothing_from_scratch(mapping));
    }
}

TEST(LimitedObjectives, tell_the_same_or_that_it_is_too_much) {
    ObjectiveSpec ordered;
    ordered.then.push_back({"hop-bytes", &make_term<HopBytes>});
    for (const bool in_bits : {true, false}) {
        Seen seen;
        for (const Posed& posed : varied_problems()) {
            SCOPED_TRACE(posed.name);
            if (!in_bits) posed.problem->set_slice_kernel(nullptr);
            expect_same_within_limits<Tac3>(posed, {}, seen);
            expect_same_within_limits<Tac3Bytes>(posed, {}, seen);
            expect_same_within_limits<Ordered<Tac3>>(posed, ordered, seen);
            expect_same_within_limits<Ordered<Tac3Bytes>>(posed, ordered, seen);
        }
        EXPECT_GT(seen.told, 1000);
        EXPECT_GT(seen.excluded, in_bits ? 100 : 1000);
    }
}

}  // namespace
}  // namespace haichi
