#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "commlog/workload/workload.h"

namespace haichi {
namespace {

Message message(int source, int destination, std::int64_t size_bytes) {
    return {RankId(source), RankId(destination), size_bytes};
}

TEST(Workload, taking_over_arrays_equals_adding_one_by_one) {
    Workload added(4, 7);
    added.add_set("a", 0.5);
    added.add_message(RankId(0), RankId(1), 10);
    added.add_message(RankId(2), RankId(2), 20);
    added.add_set("b");
    added.add_message(RankId(3), RankId(0), 30);
    const Workload taken(4, 7, {{"a", 0.5, 0, 2}, {"b", 0, 2, 3}},
                         {message(0, 1, 10), message(2, 2, 20), message(3, 0, 30)});
    EXPECT_EQ(taken.rank_count(), added.rank_count());
    EXPECT_EQ(taken.iterations(), added.iterations());
    EXPECT_EQ(taken.total_bytes(), 40);  // without the message of a rank to itself
    EXPECT_EQ(added.total_bytes(), 40);
    EXPECT_EQ(taken.crossing_message_count(), 2);
    ASSERT_EQ(taken.set_count(), 2U);
    for (std::size_t t = 0; t < 2; ++t) {
        EXPECT_EQ(taken.set(t).label, added.set(t).label);
        EXPECT_EQ(taken.set(t).compute_seconds, added.set(t).compute_seconds);
        EXPECT_TRUE(std::ranges::equal(taken.messages(t), added.messages(t)));
    }
}

TEST(Workload, taken_arrays_are_checked) {
    const std::vector<Message> one = {message(0, 1, 10)};
    EXPECT_THROW(Workload(2, 1, {{"gap", 0, 1, 1}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {{"short", 0, 0, 0}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {{"long", 0, 0, 2}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {}, one), InputError);
    EXPECT_THROW(Workload(1, 1, {{"rank", 0, 0, 1}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {{"time", -1, 0, 1}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {{"time", std::numeric_limits<double>::infinity(), 0, 1}}, one), InputError);
    EXPECT_THROW(Workload(2, 1, {{"size", 0, 0, 1}}, {message(0, 1, kLargestMessageBytes + 1)}), InputError);
    EXPECT_THROW(Workload(0, 1, {}, {}), OptionError);
    EXPECT_THROW(Workload(2, 0, {}, {}), OptionError);
}

}  // namespace
}  // namespace haichi
