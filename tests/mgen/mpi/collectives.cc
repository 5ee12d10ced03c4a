// Cases that a test of all algorithms does not cover: neighbourhoods, two groups, the steps themselves.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "collectives/selection.h"
#include "tests/mgen/mpi/collective_data.h"
#include "tests/mgen/mpi/collective_job.h"

namespace haichi::mpi {
namespace {

using Ints = std::vector<std::int32_t>;

Buffer ints(Ints& values, std::int64_t count) {
    return {values.data(), count, Datatype::basic(BasicType::kInt32).get()};
}

CollectiveArguments call(CollectiveKind collective, Buffer send, Buffer receive, int root = 0) {
    CollectiveArguments arguments;
    arguments.collective = collective;
    arguments.send = send;
    arguments.receive = receive;
    arguments.root = root;
    return arguments;
}

// ---- Neighbourhoods.

TEST(Neighborhood, blocks_come_from_the_other_side_of_a_ring_of_any_length) {
    const CollectiveSelection selection;
    for (const int members : {1, 2, 3, 5}) {
        CollectiveJob job(members, 0, 7);
        std::vector<Ints> sent(static_cast<std::size_t>(members), Ints(2));
        std::vector<Ints> received(static_cast<std::size_t>(members), Ints(2, -1));
        std::vector<std::vector<int>> neighbors(static_cast<std::size_t>(members));
        job.run([&](Exchange& exchange, int) {
            const int rank = exchange.rank();
            const auto at = static_cast<std::size_t>(rank);
            sent[at] = {10 * rank, 10 * rank + 1};  // down, up
            neighbors[at] = {(rank + members - 1) % members, (rank + 1) % members};
            CollectiveArguments a = call(CollectiveKind::kNeighborAlltoall, ints(sent[at], 1), ints(received[at], 1));
            a.sources = a.destinations = neighbors[at];
            a.is_grid = true;
            return collective_steps(exchange, a, selection);
        });
        for (int rank = 0; rank < members; ++rank) {
            const Ints expected = {10 * ((rank + members - 1) % members) + 1, 10 * ((rank + 1) % members)};
            EXPECT_EQ(received[static_cast<std::size_t>(rank)], expected) << members << " members, rank " << rank;
        }
    }
}

TEST(Neighborhood, a_missing_neighbour_leaves_its_block_alone) {
    const CollectiveSelection selection;
    CollectiveJob job(2, 0, 7);
    Ints sent[2] = {{4}, {5}};
    Ints received[2] = {{-1, -1}, {-1, -1}};
    const std::vector<int> neighbors[2] = {{kNoNeighbor, 1}, {0, kNoNeighbor}};
    job.run([&](Exchange& exchange, int) {
        const int rank = exchange.rank();
        CollectiveArguments a = call(CollectiveKind::kNeighborAllgather, ints(sent[rank], 1), ints(received[rank], 1));
        a.sources = a.destinations = neighbors[rank];
        a.is_grid = true;
        return collective_steps(exchange, a, selection);
    });
    EXPECT_EQ(received[0], (Ints{-1, 5}));
    EXPECT_EQ(received[1], (Ints{4, -1}));
}

// ---- Two groups.

/// Members of two groups, each with `items` to send and room for `received` items.
struct TwoGroups {
    int sizes[2];
    std::vector<std::vector<Ints>> sent = std::vector<std::vector<Ints>>(2);
    std::vector<std::vector<Ints>> received = std::vector<std::vector<Ints>>(2);

    TwoGroups(int first, int second, int items, int room) : sizes{first, second} {
        for (std::size_t group = 0; group < 2; ++group) {
            for (int rank = 0; rank < sizes[group]; ++rank) {
                sent[group].emplace_back(items);
                std::iota(sent[group].back().begin(), sent[group].back().end(),
                          static_cast<std::int32_t>(group) * 1'000'000 + rank * 1000);
                received[group].emplace_back(room, -1);
            }
        }
    }

    /// `change` completes the arguments of a member.
    void run(CollectiveKind collective, std::int64_t send_count, std::int64_t receive_count,
             const std::function<void(CollectiveArguments&, int group, int rank)>& change) {
        const CollectiveSelection selection;
        CollectiveJob job(sizes[0], sizes[1], 3);
        job.run([&](Exchange& exchange, int group) {
            const auto g = static_cast<std::size_t>(group);
            const auto rank = static_cast<std::size_t>(exchange.rank());
            CollectiveArguments a =
                call(collective, ints(sent[g][rank], send_count), ints(received[g][rank], receive_count));
            a.is_first_group = group == 0;
            a.operation = Operation::predefined(OperationKind::kSum).get();
            change(a, group, exchange.rank());
            return collective_steps(exchange, a, selection);
        });
    }
};

constexpr std::pair<int, int> kGroupSizes[] = {{1, 1}, {1, 4}, {3, 2}, {5, 7}};

/// The root is the last member of the second group.
int root_seen_by(int group, int rank, int second_size) {
    if (group == 0) return second_size - 1;
    return rank == second_size - 1 ? kRootIsThis : kRootIsAnother;
}

TEST(TwoGroupsOperations, rooted_ones_go_from_one_group_to_a_member_of_the_other) {
    for (const auto& [first, second] : kGroupSizes) {
        for (const int count : {1, 600}) {
            const auto set_root = [&, second = second](CollectiveArguments& a, int group, int rank) {
                a.root = root_seen_by(group, rank, second);
            };
            TwoGroups gather(first, second, count, first * count);
            gather.run(CollectiveKind::kGather, count, count, set_root);
            TwoGroups reduce(first, second, count, count);
            reduce.run(CollectiveKind::kReduce, count, count, set_root);
            TwoGroups scatter(first, second, first * count, count);
            scatter.run(CollectiveKind::kScatter, count, count, set_root);
            const Ints& gathered = gather.received[1].back();
            for (int i = 0; i < first; ++i) {
                for (int k = 0; k < count; ++k) {
                    ASSERT_EQ(gathered[static_cast<std::size_t>(i * count + k)], i * 1000 + k);
                    ASSERT_EQ(scatter.received[0][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)],
                              1'000'000 + (second - 1) * 1000 + i * count + k);
                }
            }
            for (int k = 0; k < count; ++k) {
                ASSERT_EQ(reduce.received[1].back()[static_cast<std::size_t>(k)],
                          1000 * first * (first - 1) / 2 + first * k);
            }
        }
    }
}

TEST(TwoGroupsOperations, a_broadcast_reaches_the_other_group_alone) {
    for (const auto& [first, second] : kGroupSizes) {
        TwoGroups groups(first, second, 0, 5);
        groups.received[1].back() = {1, 2, 3, 4, 5};
        groups.run(CollectiveKind::kBroadcast, 0, 5, [&, second = second](CollectiveArguments& a, int group, int rank) {
            a.root = root_seen_by(group, rank, second);
        });
        for (const Ints& received : groups.received[0]) EXPECT_EQ(received, (Ints{1, 2, 3, 4, 5}));
        if (second > 1) {
            EXPECT_EQ(groups.received[1][0], Ints(5, -1));
        }
    }
}

TEST(TwoGroupsOperations, others_give_each_group_what_the_other_one_has) {
    for (const auto& [first, second] : kGroupSizes) {
        const int largest = std::max(first, second);
        const auto no_change = [](CollectiveArguments&, int, int) {};
        TwoGroups all(first, second, 3, 3 * largest);
        all.run(CollectiveKind::kAllgather, 3, 3, no_change);
        TwoGroups sums(first, second, 3, 3);
        sums.run(CollectiveKind::kAllreduce, 3, 3, no_change);
        TwoGroups exchanged(first, second, 2 * largest, 2 * largest);
        exchanged.run(CollectiveKind::kAlltoall, 2, 2, no_change);
        TwoGroups barrier(first, second, 0, 0);
        barrier.run(CollectiveKind::kBarrier, 0, 0, no_change);
        const int sizes[2] = {first, second};
        for (std::size_t group = 0; group < 2; ++group) {
            const auto other = static_cast<int>(1 - group);
            const int others = sizes[other];
            for (int rank = 0; rank < sizes[group]; ++rank) {
                const auto at = static_cast<std::size_t>(rank);
                for (int i = 0; i < others; ++i) {
                    const std::int32_t base = other * 1'000'000 + i * 1000;
                    ASSERT_EQ(all.received[group][at][static_cast<std::size_t>(3 * i + 2)], base + 2);
                    ASSERT_EQ(exchanged.received[group][at][static_cast<std::size_t>(2 * i + 1)], base + 2 * rank + 1);
                }
                ASSERT_EQ(sums.received[group][at][2],
                          others * (other * 1'000'000 + 2) + 1000 * others * (others - 1) / 2);
            }
        }
    }
}

TEST(TwoGroupsOperations, blocks_of_different_counts) {
    const int sizes[2] = {3, 2};
    TwoGroups groups(sizes[0], sizes[1], 4, 12);
    const std::vector<int> counts[2] = {{1, 2, 3}, {4, 0}};  // contributed by each member
    const std::vector<int> offsets[2] = {{0, 1, 3}, {0, 4}};
    groups.run(CollectiveKind::kAllgatherv, 0, 0, [&](CollectiveArguments& a, int group, int rank) {
        a.send.count = counts[group][static_cast<std::size_t>(rank)];
        a.receive_counts = Counts(counts[1 - group].data());
        a.receive_offsets = Counts(offsets[1 - group].data());
    });
    const Ints of_first = {0, 1000, 1001, 2000, 2001, 2002};
    const Ints of_second = {1'000'000, 1'000'001, 1'000'002, 1'000'003};
    for (const Ints& r : groups.received[1]) EXPECT_EQ(Ints(r.begin(), r.begin() + 6), of_first);
    for (const Ints& r : groups.received[0]) EXPECT_EQ(Ints(r.begin(), r.begin() + 4), of_second);

    // Groups of 3 and 2 members distribute a vector of 6 items.
    TwoGroups shares(3, 2, 6, 4);
    const std::vector<int> parts[2] = {{1, 2, 3}, {4, 2}};
    shares.run(CollectiveKind::kReduceScatter, 6, 0,
               [&](CollectiveArguments& a, int group, int) { a.receive_counts = Counts(parts[group].data()); });
    EXPECT_EQ(shares.received[0][1][0], 2 * 1'000'001 + 1000);  // item 1 of both members of the second group
    EXPECT_EQ(shares.received[1][1][1], 3 * 5 + 1000 + 2000);   // item 5 of all three members of the first group
}

// ---- Steps.

Steps waits_once(Exchange& exchange, Ints& value, int peer) {
    exchange.send(ints(value, 1), peer);
    exchange.receive(ints(value, 1), peer);
    co_await exchange.wait();
}

Steps many_parts(Exchange& exchange, Ints& value, int parts) {
    for (int i = 0; i < parts; ++i) co_await waits_once(exchange, value, 1 - exchange.rank());
}

TEST(StepsTest, parts_that_never_have_to_wait_do_not_grow_the_stack) {
    CollectiveJob job(1, 0, 1);
    Ints value = {1};
    job.run([&](Exchange& exchange, int) {
        return [](Exchange&) -> Steps {
            for (int i = 0; i < 1'000'000; ++i) co_await []() -> Steps { co_return; }();
        }(exchange);
    });
    CollectiveJob pair(2, 0, 1);
    Ints values[2] = {{1}, {2}};
    pair.run([&](Exchange& exchange, int) { return many_parts(exchange, values[exchange.rank()], 3); });
    EXPECT_EQ(values[0], Ints{2});
    EXPECT_EQ(values[1], Ints{1});
}

TEST(StepsTest, an_error_of_a_part_leaves_through_resume) {
    const auto failing = []() -> Steps {
        throw std::runtime_error("a part fails");
        co_return;
    };
    Steps outer = [](auto part) -> Steps { co_await part(); }(failing);
    EXPECT_THROW(outer.resume(), std::runtime_error);
    EXPECT_TRUE(outer.done());
    EXPECT_TRUE(outer.resume());
}

TEST(StepsTest, steps_that_wait_can_be_dropped) {
    struct Silent final : Exchange {
        Silent() : Exchange({}) {}
        void begin_send(const collectives::Buffer&, int, Message) override {}
        void begin_receive(const collectives::Buffer&, int, Message) override {}
    } silent;
    Ints value = {1};
    Steps steps = many_parts(silent, value, 2);
    EXPECT_FALSE(steps.resume());
    EXPECT_FALSE(steps.done());
    EXPECT_FALSE(silent.may_go_on());
    EXPECT_EQ(silent.open_messages(), 2U);
}

}  // namespace
}  // namespace haichi::mpi
