#include "mapper/advise/barrier.h"

#include <gtest/gtest.h>

#include <bit>

namespace haichi {
namespace {

/// A synthetic application. Its times depend on the sets with a barrier (a number whose bit t is set t) and the draw.
template <class Seconds>
BarrierAdvice advice(std::size_t sets, const Seconds& seconds, BarrierSearchOptions options = {},
                     double tolerance = 0.001) {
    options.set_count = sets;
    for (std::size_t t = 0; t < sets; ++t) options.candidates.push_back(t);
    return advise_barriers(options, [&](std::span<const BarrierTrial> trials) {
        std::vector<std::optional<SimulatedTime>> times;
        for (const BarrierTrial& trial : trials) {
            std::uint32_t bits = 0;
            for (std::size_t t = 0; t < sets; ++t) bits |= trial.barriers[t] ? 1U << t : 0;
            times.push_back(SimulatedTime{seconds(bits, trial.draw), tolerance});
        }
        return times;
    });
}

constexpr double kCost = 0.02;  // per barrier
double costs(std::uint32_t bits) { return kCost * std::popcount(bits); }

TEST(BarrierAdvisor, says_no_where_barriers_only_cost) {
    const BarrierAdvice found = advice(4, [](std::uint32_t bits, std::int32_t) { return 1 + costs(bits); });
    EXPECT_EQ(found.verdict, BarrierVerdict::kNone);
    EXPECT_EQ(found.simulations, 16);
    EXPECT_TRUE(found.tried_all);
    EXPECT_EQ(found.sets.size(), 1U);
    EXPECT_NEAR(found.gain_seconds, -kCost, 1e-12);
    EXPECT_EQ(found.sentence,
              "No barrier: the best choice with barriers, before set 1, takes 1.02 s instead of 1 s, 2.0 % longer.");
}

TEST(BarrierAdvisor, names_the_one_set_whose_barrier_pays) {
    const auto slides_into_set_3 = [](std::uint32_t bits, std::int32_t) {
        return 1 + costs(bits) + ((bits & 0b0100) != 0 ? 0 : 0.4);
    };
    const BarrierAdvice found = advice(4, slides_into_set_3);
    EXPECT_EQ(found.verdict, BarrierVerdict::kSets);
    EXPECT_EQ(found.sets, std::vector<std::size_t>{2});
    EXPECT_DOUBLE_EQ(found.gain_seconds, 0.38);
    EXPECT_EQ(found.sentence,
              "Use a barrier before set 3: 1.02 s instead of 1.4 s, 380 ms (27.1 %) saved, spread 2 ms.");
}

TEST(BarrierAdvisor, of_choices_that_cannot_be_told_apart_takes_the_one_with_the_fewest_barriers) {
    const auto nearly_free = [](std::uint32_t bits, std::int32_t) { return bits == 0 ? 2 : 1 - 1e-4 * bits; };
    const BarrierAdvice found = advice(4, nearly_free, {}, 0.01);
    EXPECT_EQ(found.sets, std::vector<std::size_t>{3});
}

TEST(BarrierAdvisor, goes_from_the_better_end_where_there_are_too_many_choices) {
    // Two of ten sets need a barrier; one of the two barriers helps only together with the other.
    const auto seconds = [](std::uint32_t bits, std::int32_t) {
        const bool has_both = (bits & 0b1000000010) == 0b1000000010;
        return 1 + costs(bits) + (has_both ? 0 : (bits & 0b10) != 0 ? 0.5 : 1);
    };
    const BarrierAdvice found = advice(10, seconds);
    EXPECT_EQ(found.verdict, BarrierVerdict::kSets);
    EXPECT_FALSE(found.tried_all);
    EXPECT_EQ(found.sets, (std::vector<std::size_t>{1, 9}));
    EXPECT_LE(found.simulations, 2 + 2 * 10 + 1);
}

TEST(BarrierAdvisor, keeps_to_its_number_of_simulations) {
    const auto seconds = [](std::uint32_t bits, std::int32_t) { return 2 - 0.01 * std::popcount(bits); };
    for (const std::int32_t most : {2, 7, 20}) {
        EXPECT_LE(advice(12, seconds, {.candidates = {}, .most_simulations = most}).simulations, most);
    }
    // The limit also applies if few sets have too many choices.
    EXPECT_LE(advice(4, seconds, {.candidates = {}, .most_simulations = 9}).simulations, 9);
}

TEST(BarrierAdvisor, does_not_know_when_draws_of_the_imbalance_disagree) {
    const auto seconds = [](std::uint32_t bits, std::int32_t draw) {
        return bits == 0 ? 1.5 : 1 + costs(bits) + (draw == 3 ? 1 : 0);
    };
    const BarrierAdvice found = advice(3, seconds, {.candidates = {}, .draws = 5});
    EXPECT_EQ(found.verdict, BarrierVerdict::kUnknown);
    EXPECT_NE(found.sentence.find("4 of 5 draws"), std::string::npos) << found.sentence;
    EXPECT_EQ(found.simulations, 8 + 2 * 4);
    EXPECT_EQ(found.choices.front().draws.size(), 5U);
}

TEST(BarrierAdvisor, does_not_know_when_the_gain_is_below_the_spread) {
    const auto seconds = [](std::uint32_t bits, std::int32_t) { return bits == 0 ? 1.01 : 1 + costs(bits) / 4; };
    const BarrierAdvice found = advice(3, seconds, {}, 0.01);
    EXPECT_EQ(found.verdict, BarrierVerdict::kUnknown);
    EXPECT_NE(found.sentence.find("a difference within the spread of 20 ms"), std::string::npos) << found.sentence;
}

TEST(BarrierAdvisor, says_what_a_barrier_may_cost_where_the_machine_does_not) {
    const auto free = [](std::uint32_t bits, std::int32_t) { return (bits & 0b101) == 0b101 ? 1 : 1.4; };
    const BarrierSearchOptions options{.candidates = {}, .barrier_costs_are_known = false, .iterations = 1000};
    const BarrierAdvice found = advice(3, free, options);
    EXPECT_EQ(found.verdict, BarrierVerdict::kUnknown);
    EXPECT_DOUBLE_EQ(*found.break_even_seconds, 0.4 / (2 * 1000));
    EXPECT_NE(found.sentence.find("node.barrier"), std::string::npos);
    EXPECT_NE(found.sentence.find("200 us"), std::string::npos) << found.sentence;
    // If even free barriers lose, the answer is certain.
    const auto loses = [](std::uint32_t bits, std::int32_t) { return 1 + costs(bits); };
    EXPECT_EQ(advice(3, loses, options).verdict, BarrierVerdict::kNone);
}

TEST(BarrierAdvisor, says_so_when_it_was_interrupted) {
    const BarrierSearchOptions options{.candidates = {0, 1}, .set_count = 2};
    const BarrierAdvice found = advise_barriers(options, [](std::span<const BarrierTrial> trials) {
        std::vector<std::optional<SimulatedTime>> times(trials.size());
        times.front() = SimulatedTime{1, 0};
        return times;
    });
    EXPECT_TRUE(found.interrupted);
    EXPECT_EQ(found.verdict, BarrierVerdict::kUnknown);
    EXPECT_EQ(found.simulations, 1);
}

TEST(BarrierAdvisor, barriers_pay_from_the_size_behind_which_none_disagrees) {
    using enum BarrierVerdict;
    const auto from = [](const std::vector<BarrierVerdict>& of_bytes_1_on) {
        std::vector<SizedBarrierAdvice> sizes;
        for (const BarrierVerdict verdict : of_bytes_1_on) {
            SizedBarrierAdvice& sized = sizes.emplace_back();
            sized.message_size_bytes = static_cast<std::int64_t>(sizes.size());
            sized.advice.verdict = verdict;
        }
        return barriers_pay_from(sizes);
    };
    EXPECT_EQ(from({kNone, kSets, kSets}), 2);
    EXPECT_EQ(from({kSets, kUnknown, kSets}), 3);
    EXPECT_EQ(from({kSets, kNone}), std::nullopt);
}

}  // namespace
}  // namespace haichi
