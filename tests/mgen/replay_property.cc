#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "mgen/replay/simulation.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;

std::int32_t from_to(Random& random, std::int32_t least, std::int32_t most) {
    return least + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(most - least + 1)));
}

Workload drawn_workload(Random& random, std::int32_t ranks) {
    Workload workload(ranks, from_to(random, 1, 4));
    const std::int32_t sets = from_to(random, 1, 5);
    for (std::int32_t t = 0; t < sets; ++t) {
        const double compute_seconds = random.below(3) == 0 ? from_to(random, 1, 5) * 1e-6 : 0;
        workload.add_set("", compute_seconds);
        const std::int32_t count = from_to(random, 0, 3 * ranks);
        for (std::int32_t m = 0; m < count; ++m) {
            const RankId source(from_to(random, 0, ranks - 1));
            const RankId destination(from_to(random, 0, ranks - 1));
            workload.add_message(source, destination, from_to(random, 0, 6'000));
        }
    }
    return workload;
}

ProcessOptions drawn_process(Random& random) {
    ProcessOptions process;
    if (random.below(3) > 0) process.call_overhead_ps = from_to(random, 0, 500'000);
    process.eager_overhead_ps = process.call_overhead_ps;
    process.eager_limit_bytes = from_to(random, 0, 6'000);
    process.rendezvous_overhead_ps = from_to(random, 0, 2) * 300'000;
    if (random.below(2) == 0) process.memory_bandwidth_bytes_per_s = from_to(random, 1, 10) * kGigabyte;
    process.send_copy = std::array{SendCopy::kEager, SendCopy::kAlways, SendCopy::kNever}[random.below(3)];
    process.progress = random.below(2) == 0 ? Progress::kNic : Progress::kCalls;
    process.barrier_ps = from_to(random, 0, 2) * 1'000'000;
    process.nics = from_to(random, 1, 4);
    if (random.below(3) == 0) process.rendezvous_round_trips = from_to(random, 2, 4);
    process.sends_one_by_one = random.below(3) == 0;
    if (random.below(3) == 0) process.send_buffer_bytes = from_to(random, 1, 3'000);
    if (random.below(3) == 0) {
        process.trunk = from_to(random, 1, process.nics);
        process.trunk_from_bytes = from_to(random, 0, 2'000);
    }
    return process;
}

struct Drawn {
    explicit Drawn(std::uint64_t seed) : Drawn(Random(seed)) {}
    explicit Drawn(Random random)
        : network(grid_network({-from_to(random, 3, 5), from_to(random, 1, 3)})),
          workload(drawn_workload(random, from_to(random, 1, 3 * network.node_count() / 2))) {
        request.workload = &workload;
        request.network = &network;
        request.timing = torus_study();
        request.process = drawn_process(random);
        request.timing.nics = request.process.nics;
        request.timing.nic_interleaves_packets = random.below(2) == 0;
        request.timing.shared_memory_latency_ps = from_to(random, 0, 1) * 40'000;
        if (random.below(2) == 0) {
            for (std::size_t t = 0; t < workload.set_count(); ++t) {
                request.replay.barriers.push_back(random.below(2) == 0);
            }
        }
        if (random.below(3) == 0) {
            const bool varies = random.below(2) == 0;
            request.replay.imbalance = {.share = 0.5, .most_ps = 1'000'000, .seed = 7, .varies = varies};
            if (varies && random.below(2) == 0) request.replay.imbalance.interval_ps = 3'000'000;
        }
        request.iterations = {SimulatedIterations::Rule::kAll, 0};
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
            request.node_of_rank.emplace_back(from_to(random, 0, network.node_count() - 1));
        }
    }
    Network network;
    Workload workload;
    SimulationRequest request;
};

void expect_equal(const SimulationResult& a, const SimulationResult& b) {
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.packet_hops, b.packet_hops);
    ASSERT_EQ(a.ranks.size(), b.ranks.size());
    for (std::size_t r = 0; r < a.ranks.size(); ++r) {
        EXPECT_EQ(a.ranks[r].end_ps, b.ranks[r].end_ps) << r;
        EXPECT_EQ(a.ranks[r].call_ps, b.ranks[r].call_ps) << r;
        EXPECT_EQ(a.ranks[r].wait_ps, b.ranks[r].wait_ps) << r;
    }
}

TEST(Replay, every_message_arrives_every_picosecond_is_spent_and_threads_change_nothing) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Drawn drawn(seed);
        const SimulationResult result = simulate(drawn.request);
        std::int64_t bytes = 0;
        std::int64_t on_node_bytes = 0;
        for (const Message& m : drawn.workload.messages()) {
            const auto node = [&](RankId rank) { return drawn.request.node_of_rank[rank.index()]; };
            (node(m.source) == node(m.destination) ? on_node_bytes : bytes) += m.size_bytes;
        }
        EXPECT_EQ(result.payload_bytes, bytes * drawn.workload.iterations());
        EXPECT_EQ(result.on_node_bytes, on_node_bytes * drawn.workload.iterations());
        EXPECT_EQ(result.simulated_iterations, drawn.workload.iterations());
        std::int64_t last_ps = 0;
        for (const RankTimes& rank : result.ranks) {
            EXPECT_TRUE(rank.finished);
            EXPECT_EQ(rank.compute_ps + rank.call_ps + rank.wait_ps, rank.end_ps);
            last_ps = std::max(last_ps, rank.end_ps);
        }
        EXPECT_EQ(result.seconds, static_cast<double>(last_ps) / 1e12);
        for (const int threads : {2, 3}) {
            drawn.request.threads = threads;
            expect_equal(result, simulate(drawn.request));
        }
        if (testing::Test::HasFailure()) return;
    }
}

/// Messages from different sources may be listed in any order in a set. Only the order of receives changes, which has
/// no effect if calls and copies take no time.
TEST(Replay, the_order_of_different_sources_in_a_set_is_not_felt_where_calls_cost_nothing) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Drawn drawn(seed);
        drawn.request.process.call_overhead_ps = drawn.request.process.eager_overhead_ps = 0;
        drawn.request.process.memory_bandwidth_bytes_per_s = 0;
        drawn.request.process.eager_limit_bytes = 1 << 20;
        Workload sorted(drawn.workload.rank_count(), drawn.workload.iterations());
        for (std::size_t t = 0; t < drawn.workload.set_count(); ++t) {
            sorted.add_set("", drawn.workload.set(t).compute_seconds);
            const auto of_set = drawn.workload.messages(t);
            std::vector<Message> messages(of_set.begin(), of_set.end());
            std::ranges::stable_sort(messages, std::greater<>(), &Message::source);
            for (const Message& m : messages) sorted.add_message(m.source, m.destination, m.size_bytes);
        }
        const SimulationResult result = simulate(drawn.request);
        drawn.request.workload = &sorted;
        expect_equal(result, simulate(drawn.request));
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace haichi
