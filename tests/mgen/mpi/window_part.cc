// State in the NIC of a window's member: locks, the order of updates, attached memory.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "mgen/mpi/window_part.h"

namespace haichi::mpi {
namespace {

struct LockLog {
    WindowPart part;
    std::string granted;
    bool ask(LockKind kind, char who) {
        return part.lock(kind, [this, who](std::int64_t /*now_ps*/) { granted += who; });
    }
};

TEST(WindowLock, is_shared_by_those_that_share_it) {
    LockLog log;
    EXPECT_TRUE(log.ask(LockKind::kShared, 'a'));
    EXPECT_TRUE(log.ask(LockKind::kShared, 'b'));
    EXPECT_FALSE(log.ask(LockKind::kExclusive, 'c'));
    log.part.unlock(LockKind::kShared, 1);
    EXPECT_EQ(log.granted, "");
    log.part.unlock(LockKind::kShared, 2);
    EXPECT_EQ(log.granted, "c");
}

TEST(WindowLock, goes_to_those_that_wait_in_the_order_in_which_they_asked) {
    LockLog log;
    EXPECT_TRUE(log.ask(LockKind::kExclusive, 'a'));
    for (const char who : {'b', 'c'}) EXPECT_FALSE(log.ask(LockKind::kShared, who));
    EXPECT_FALSE(log.ask(LockKind::kExclusive, 'd'));
    EXPECT_FALSE(log.ask(LockKind::kShared, 'e'));
    log.part.unlock(LockKind::kExclusive, 1);
    EXPECT_EQ(log.granted, "bc");
    // A shared lock would be compatible with the present holders, but another request came first.
    EXPECT_FALSE(log.ask(LockKind::kShared, 'f'));
    log.part.unlock(LockKind::kShared, 2);
    log.part.unlock(LockKind::kShared, 3);
    EXPECT_EQ(log.granted, "bcd");
    log.part.unlock(LockKind::kExclusive, 4);
    EXPECT_EQ(log.granted, "bcdef");
}

TEST(WindowUpdates, of_one_origin_are_done_in_the_order_in_which_they_began) {
    WindowPart part;
    std::vector<int> done;
    std::vector<std::int64_t> times;
    const auto come = [&](int origin, std::uint32_t number, std::int64_t now_ps) {
        part.update(RankId(origin), number, now_ps, [&, origin, number](std::int64_t at_ps) {
            done.push_back(100 * origin + static_cast<int>(number));
            times.push_back(at_ps);
        });
    };
    come(1, 2, 10);
    come(2, 0, 11);
    come(1, 1, 12);
    EXPECT_EQ(done, (std::vector<int>{200}));
    come(1, 0, 13);
    EXPECT_EQ(done, (std::vector<int>{200, 100, 101, 102}));
    EXPECT_EQ(times, (std::vector<std::int64_t>{11, 13, 13, 13}));
    come(1, 3, 14);
    EXPECT_EQ(done.back(), 103);
}

TEST(AttachedMemory, may_be_reached_where_pieces_lie_side_by_side_but_not_beyond) {
    std::array<std::byte, 64> memory{};
    WindowPart part;
    std::byte* const base = memory.data();
    part.attached = {{base + 16, 16}, {base, 16}, {base + 48, 8}};
    EXPECT_TRUE(part.is_attached(base, base + 32));
    EXPECT_TRUE(part.is_attached(base + 50, base + 56));
    EXPECT_FALSE(part.is_attached(base + 24, base + 33));
    EXPECT_FALSE(part.is_attached(base + 40, base + 50));
    EXPECT_FALSE(part.is_attached(base + 50, base + 57));
}

}  // namespace
}  // namespace haichi::mpi
