#include <gtest/gtest.h>

#include <sstream>

#include "base/random.h"
#include "mgen/replay/simulation.h"
#include "tests/mgen/counting_transport.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

// The same job with any number of partitions and threads, over transports that handle only bytes.

namespace haichi {
namespace {

using namespace packetsim_machines;

/// 600 ranks with neighbours on a ring and random pairs. Messages have 0 bytes to 24 packets and use the eager or the
/// rendezvous protocol.
Workload mixed_traffic() {
    constexpr std::int32_t kRanks = 600;
    Random random(5);
    Workload workload(kRanks, 1);
    const auto any_rank = [&] { return RankId(static_cast<std::int32_t>(random.below(kRanks))); };
    for (int set = 0; set < 2; ++set) {
        workload.add_set("", 1e-6);
        for (std::int32_t r = 0; r < kRanks; ++r) {
            workload.add_message(RankId(r), RankId((r + 1) % kRanks), 700);
            for (int m = 0; m < 4; ++m) workload.add_message(RankId(r), any_rank(), random.below(6'000));
        }
    }
    return workload;
}

/// The results of a run, except for its events and wall time.
struct Told {
    SimulationResult result;
    std::string time_space;
    std::string history;
};

struct PartitionedJob {
    PartitionedJob() : network(grid_network({-8, -8, 8})), workload(mixed_traffic()) {}

    [[nodiscard]] Told run(int partitions, int threads, Transport* transport) const {
        Told told;
        std::ostringstream time_space;
        std::ostringstream history;
        SimulationRequest request;
        request.workload = &workload;
        request.network = &network;
        request.timing = torus_study();
        request.timing.nics = request.process.nics = 2;
        request.timing.nic_interleaves_packets = true;
        request.timing.shared_memory_latency_ps = 40'000;
        request.process.call_overhead_ps = request.process.eager_overhead_ps = 50'000;
        request.process.eager_limit_bytes = 400;
        request.process.barrier_ps = 1'000'000;
        request.process.progress = Progress::kCalls;
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) request.node_of_rank.emplace_back(r * 7 % 512);
        request.replay.barriers = {true, false};
        request.iterations = {SimulatedIterations::Rule::kAll, 0};
        request.threads = threads;
        request.partitions = partitions;
        request.transport = transport;
        request.observation.time_space = &time_space;
        request.observation.bin_ps = 5'000'000;
        request.observation.history = &history;
        request.observation.router = 77;
        told.result = simulate(request);
        told.time_space = time_space.str();
        told.history = history.str();
        return told;
    }
    Network network;
    Workload workload;
};

void expect_equal(const Told& a, const Told& b) {
    EXPECT_EQ(a.time_space, b.time_space);
    EXPECT_EQ(a.history, b.history);
    EXPECT_EQ(a.result.seconds, b.result.seconds);
    EXPECT_EQ(a.result.simulated_seconds, b.result.simulated_seconds);
    EXPECT_EQ(a.result.payload_bytes, b.result.payload_bytes);
    EXPECT_EQ(a.result.on_node_bytes, b.result.on_node_bytes);
    EXPECT_EQ(a.result.packets, b.result.packets);
    EXPECT_EQ(a.result.packet_hops, b.result.packet_hops);
    EXPECT_EQ(a.result.used_links, b.result.used_links);
    EXPECT_EQ(a.result.link_efficiency, b.result.link_efficiency);
    ASSERT_EQ(a.result.most_loaded_links.size(), b.result.most_loaded_links.size());
    for (std::size_t l = 0; l < a.result.most_loaded_links.size(); ++l) {
        EXPECT_EQ(a.result.most_loaded_links[l].link, b.result.most_loaded_links[l].link) << l;
        EXPECT_EQ(a.result.most_loaded_links[l].bytes, b.result.most_loaded_links[l].bytes) << l;
    }
    ASSERT_EQ(a.result.ranks.size(), b.result.ranks.size());
    for (std::size_t r = 0; r < a.result.ranks.size(); ++r) {
        ASSERT_EQ(a.result.ranks[r].compute_ps, b.result.ranks[r].compute_ps) << r;
        ASSERT_EQ(a.result.ranks[r].call_ps, b.result.ranks[r].call_ps) << r;
        ASSERT_EQ(a.result.ranks[r].wait_ps, b.result.ranks[r].wait_ps) << r;
        ASSERT_EQ(a.result.ranks[r].end_ps, b.result.ranks[r].end_ps) << r;
        ASSERT_TRUE(a.result.ranks[r].finished) << r;
    }
}

TEST(Partitions, of_any_number_in_any_threads_over_memory_or_bytes_tell_the_same) {
    const PartitionedJob job;
    const Told whole = job.run(1, 1, nullptr);
    EXPECT_GT(whole.time_space.size(), 10'000u);
    EXPECT_GT(whole.history.size(), 1'000u);
    for (const int partitions : {1, 7, 256}) {
        for (const int threads : {1, 2}) {
            SCOPED_TRACE(testing::Message() << partitions << " partitions, " << threads << " threads");
            if (threads == 2) expect_equal(job.run(partitions, threads, nullptr), whole);
            CountingTransport transport;
            expect_equal(job.run(partitions, threads, &transport), whole);
            const bool is_cut = partitions > 1;
            EXPECT_EQ(transport.count(RemoteEvent::Kind::kPacket) > 0, is_cut);
            EXPECT_EQ(transport.count(RemoteEvent::Kind::kAnnouncement) > 0, is_cut);
            EXPECT_EQ(transport.count(RemoteEvent::Kind::kCredit) > 0, is_cut);
            EXPECT_EQ(transport.count(RemoteEvent::Kind::kTimer) > 0, is_cut);  // barriers
            EXPECT_EQ(transport.envelopes() > 0, is_cut);
            EXPECT_EQ(transport.threads(), static_cast<std::size_t>(is_cut ? threads : 0));
            // Every packet that crosses partitions returns its credit exactly once.
            EXPECT_EQ(transport.count(RemoteEvent::Kind::kCredit), transport.count(RemoteEvent::Kind::kPacket));
            EXPECT_LE(transport.count(RemoteEvent::Kind::kAnnouncement), transport.count(RemoteEvent::Kind::kPacket));
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(Partitions, of_one_request_are_as_many_as_it_asks_for) {
    const PartitionedJob job;
    struct Idle final : PacketClient {
        void message_delivered(const PacketMessage&, std::int64_t) override {}
    } client;
    for (const int partitions : {1, 2, 7, 64, 256, 512}) {
        const PacketEngine engine(job.network, PacketTiming(torus_study()), client, {.partitions = partitions});
        EXPECT_EQ(engine.partition_count(), partitions);
    }
    const PacketEngine engine(job.network, PacketTiming(torus_study()), client, {.partitions = 10'000});
    EXPECT_EQ(engine.partition_count(), 512);
}

}  // namespace
}  // namespace haichi
