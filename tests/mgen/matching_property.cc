#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <list>
#include <map>

#include "mgen/call.h"
#include "mgen/matching.h"

namespace haichi {
namespace {

bool fits(RankId wanted, std::int32_t tag, const Envelope& message) {
    return (!wanted.valid() || wanted == message.source) && (tag == Call::kAnyTag || tag == message.tag);
}

TEST(Matching, agrees_with_two_plain_lists) {
    EXPECT_TRUE(rc::check([] {
        Matching matching;
        std::list<PostedReceive> posted;
        std::list<Envelope*> kept;
        std::list<Envelope> messages;
        const int steps = *rc::gen::inRange(0, 120);
        for (int step = 0; step < steps; ++step) {
            const RankId source(*rc::gen::inRange(-1, 6));
            const std::int32_t tag = *rc::gen::inRange(-1, 3);
            if (*rc::gen::arbitrary<bool>()) {
                Envelope& message = messages.emplace_back();
                message.source = RankId(std::max(source.value, 0));
                message.tag = std::max(tag, 0);
                const auto expected = std::find_if(posted.begin(), posted.end(), [&](const PostedReceive& receive) {
                    return fits(receive.source, receive.tag, message);
                });
                const auto found = matching.arrive(message);
                RC_ASSERT(found.has_value() == (expected != posted.end()));
                if (found) {
                    RC_ASSERT(found->request == expected->request);
                    posted.erase(expected);
                } else {
                    kept.push_back(&message);
                }
            } else {
                const std::int32_t wanted = tag < 0 ? Call::kAnyTag : tag;
                const auto expected = std::find_if(
                    kept.begin(), kept.end(), [&](const Envelope* message) { return fits(source, wanted, *message); });
                Envelope* found = matching.post(
                    {.source = source, .tag = wanted, .request = static_cast<std::uint32_t>(step), .bytes = 1});
                RC_ASSERT((found != nullptr) == (expected != kept.end()));
                if (found != nullptr) {
                    RC_ASSERT(found == *expected);
                    kept.erase(expected);
                } else {
                    posted.push_back({source, wanted, 1, static_cast<std::uint32_t>(step), 0, 0});
                }
            }
            const std::vector<PostedReceive> open = matching.posted();
            RC_ASSERT(std::ranges::equal(open, posted, {}, &PostedReceive::request, &PostedReceive::request));
        }
    }));
}

TEST(RankTable, agrees_with_a_map) {
    EXPECT_TRUE(rc::check([] {
        RankTable<int> table;
        std::map<std::int32_t, int> expected;
        const int steps = *rc::gen::inRange(0, 200);
        for (int step = 0; step < steps; ++step) {
            const std::int32_t rank = *rc::gen::inRange(0, 40);
            if (*rc::gen::inRange(0, 3) == 0) {
                if (expected.erase(rank) > 0) table.erase(RankId(rank));
            } else if (*rc::gen::inRange(0, 20) == 0) {
                const auto is_over = [rank](RankId r, int value) { return (r.value + value) % 3 == rank % 3; };
                table.erase_if(is_over);
                std::erase_if(expected, [&](const auto& e) { return is_over(RankId(e.first), e.second); });
            } else {
                table.find_or_add(RankId(rank)) += step;
                expected[rank] += step;
            }
            RC_ASSERT(table.size() == expected.size());
            for (std::int32_t r = 0; r < 40; ++r) {
                const int* value = table.find(RankId(r));
                RC_ASSERT((value != nullptr) == expected.contains(r));
                if (value != nullptr) RC_ASSERT(*value == expected.at(r));
            }
        }
    }));
}

TEST(RankTable, gives_memory_back_when_little_is_left) {
    RankTable<int> table;
    for (std::int32_t r = 0; r < 10'000; ++r) table.find_or_add(RankId(r)) = r;
    const std::size_t full_bytes = table.memory_bytes();
    for (std::int32_t r = 10; r < 10'000; ++r) table.erase(RankId(r));
    EXPECT_LT(table.memory_bytes(), full_bytes / 100);
    EXPECT_EQ(*table.find(RankId(9)), 9);
    for (std::int32_t r = 10; r < 10'000; ++r) table.find_or_add(RankId(r)) = r;
    table.erase_if([](RankId r, int) { return r.value != 77; });
    EXPECT_LT(table.memory_bytes(), full_bytes / 1'000);
    EXPECT_EQ(*table.find(RankId(77)), 77);
    table.erase_if([](RankId, int) { return true; });
    EXPECT_EQ(table.memory_bytes(), 0u);
    EXPECT_EQ(table.find(RankId(77)), nullptr);
}

TEST(Matching, gives_memory_back_when_nothing_is_open) {
    // At the root of a gather, all messages first arrive before any receive is posted. Later, all receives are posted
    // before any message arrives.
    constexpr std::int32_t kSources = 10'000;
    Matching matching;
    std::list<Envelope> messages;
    for (std::int32_t s = 0; s < kSources; ++s) {
        Envelope& message = messages.emplace_back();
        message.source = RankId(s);
        EXPECT_FALSE(matching.arrive(message));
    }
    const std::size_t unexpected_bytes = matching.memory_bytes();
    for (std::int32_t s = 0; s < kSources; ++s) EXPECT_NE(matching.post({.source = RankId(s)}), nullptr);
    EXPECT_LT(matching.memory_bytes(), unexpected_bytes / 100);
    for (std::int32_t s = 0; s < kSources; ++s) EXPECT_EQ(matching.post({.source = RankId(s)}), nullptr);
    const std::size_t posted_bytes = matching.memory_bytes();
    for (Envelope& message : messages) EXPECT_TRUE(matching.arrive(message));
    EXPECT_LT(matching.memory_bytes(), posted_bytes / 100);
    EXPECT_TRUE(matching.posted().empty());
}

}  // namespace
}  // namespace haichi
