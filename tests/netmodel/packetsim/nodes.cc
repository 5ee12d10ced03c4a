#include <gtest/gtest.h>

#include <thread>

#include "base/errors.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

// Node features: several NICs, gaps, DMA, memory and messages to self. Also partitions and windows.

namespace haichi {
namespace {

using namespace packetsim_machines;

TEST(PacketNode, nics_send_and_receive_side_by_side) {
    // 1 <- 0 -> 2: two messages over different links leave at the same time only through different NICs.
    const Network network = grid_network({3});
    for (const std::int32_t second_nic : {0, 1}) {
        PacketTimingOptions options = torus_study();
        options.nics = 2;
        options.buffer_packets = 64;
        RecordedRun run(network, options);
        PacketMessage left = run.message(1, 0, 10 * kPacketBytes, 1);
        PacketMessage right = run.message(1, 2, 10 * kPacketBytes, 2);
        right.nic = second_nic;
        run.engine.inject(left, 0);
        run.engine.inject(right, 0);
        run.engine.run();
        const std::int64_t alone_ps = kHopPs + kRouterPs + 10 * kPacketPs;
        EXPECT_EQ(run.recorder.delivered_ps.at(1), alone_ps);
        EXPECT_EQ(run.recorder.delivered_ps.at(2), alone_ps + (second_nic == 0 ? 10 * kPacketPs : 0));
    }
    // Two messages to one node share the ejection channel with one NIC, but not with two.
    for (const std::int32_t second_nic : {0, 1}) {
        PacketTimingOptions options = torus_study();
        options.nics = 2;
        options.buffer_packets = 64;
        RecordedRun run(network, options);
        PacketMessage second = run.message(2, 1, 10 * kPacketBytes, 2);
        second.nic = second_nic;
        run.engine.inject(run.message(0, 1, 10 * kPacketBytes, 1), 0);
        run.engine.inject(second, 0);
        run.engine.run();
        const std::int64_t last_ps = std::max(run.recorder.delivered_ps.at(1), run.recorder.delivered_ps.at(2));
        EXPECT_EQ(last_ps, kHopPs + kRouterPs + (second_nic == 0 ? 20 : 10) * kPacketPs);
    }
}

TEST(PacketNode, a_gap_follows_every_packet_of_its_message) {
    const Network network = grid_network({2});
    RecordedRun run(network, torus_study());
    PacketMessage spaced = run.message(0, 1, 4 * kPacketBytes, 1);
    spaced.gap_ps = 10'000;
    run.engine.inject(spaced, 0);
    run.engine.inject(run.message(0, 1, kPacketBytes, 2), 0);
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(1), 4 * kPacketPs + 3 * 10'000);
    EXPECT_EQ(run.recorder.injected_ps.at(2), 5 * kPacketPs + 4 * 10'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(2), 4 * (kPacketPs + 10'000) + kHopPs + kRouterPs + kPacketPs);
}

TEST(PacketNode, a_nic_works_on_each_packet_before_it_sends_it) {
    const Network network = grid_network({2});
    PacketTimingOptions options = torus_study();
    options.nic_packet_ps = 70'000;
    RecordedRun run(network, options);
    run.engine.inject(run.message(0, 1, kPacketBytes, 1), 0);
    run.engine.inject(run.message(0, 1, 2 * kPacketBytes + 1, 2), 0);
    run.engine.run();
    const std::int64_t each_ps = options.nic_packet_ps + kPacketPs;
    EXPECT_EQ(run.recorder.injected_ps.at(1), each_ps);
    EXPECT_EQ(run.recorder.delivered_ps.at(1), each_ps + kHopPs + kRouterPs);
    // One byte more requires a third packet, and the whole work on it.
    EXPECT_EQ(run.recorder.delivered_ps.at(2),
              3 * each_ps + options.nic_packet_ps + kPacketPs / 256 + kHopPs + kRouterPs);
}

TEST(PacketNode, a_nic_takes_its_messages_one_by_one_or_packet_by_packet) {
    const Network network = grid_network({2});
    for (const bool interleaves : {false, true}) {
        PacketTimingOptions options = torus_study();
        options.nic_interleaves_packets = interleaves;
        RecordedRun run(network, options);
        run.engine.inject(run.message(0, 1, 5 * kPacketBytes, 1), 0);
        run.engine.inject(run.message(0, 1, 2 * kPacketBytes, 2), 0);
        run.engine.run();
        // The order is 1 1 1 1 1 2 2, or 1 1 2 1 2 1 1. The first has sent a packet and is queued again when the second
        // is posted.
        EXPECT_EQ(run.recorder.injected_ps.at(1), (interleaves ? 7 : 5) * kPacketPs);
        EXPECT_EQ(run.recorder.injected_ps.at(2), (interleaves ? 5 : 7) * kPacketPs);
    }
}

TEST(PacketNode, slow_dma_sets_the_pace_at_both_ends) {
    // 2 GB/s of DMA: a packet needs 128 ns at the source, and again at the destination after its head arrives.
    const Network network = grid_network({3});
    PacketTimingOptions options = torus_study();
    options.dma_bandwidth_bytes_per_s = 2 * kGigabyte;
    options.memory_bandwidth_bytes_per_s = 3 * kGigabyte;  // not the limiting rate
    RecordedRun run(network, options);
    run.engine.inject(run.message(0, 2, 10 * kPacketBytes, 1), 0);
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(1), 10 * 128'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 9 * 128'000 + 2 * kHopPs + kRouterPs + 128'000);
}

TEST(PacketNode, nics_of_a_node_share_dma_first_come_first_served) {
    // Two NICs of 8 GB/s share DMA of 8 GB/s and need twice as long; a third NIC that receives uses its fraction, too.
    const Network network = grid_network({3});
    PacketTimingOptions options = torus_study();
    options.nics = 2;
    options.buffer_packets = 64;
    options.dma_bandwidth_bytes_per_s = 8 * kGigabyte;
    RecordedRun run(network, options);
    PacketMessage right = run.message(1, 2, 10 * kPacketBytes, 2);
    right.nic = 1;
    run.engine.inject(run.message(1, 0, 10 * kPacketBytes, 1), 0);
    run.engine.inject(right, 0);
    run.engine.run();
    // NIC 0 is served first in every turn: packets start at 0, 64, .. ns and at 32, 96, .. ns.
    EXPECT_EQ(run.recorder.injected_ps.at(1), 19 * kPacketPs);
    EXPECT_EQ(run.recorder.injected_ps.at(2), 20 * kPacketPs);
}

TEST(PacketNode, headers_and_empty_messages_need_no_dma) {
    const Network network = grid_network({2});
    PacketTimingOptions options = torus_study();
    options.packet_header_bytes = 8;
    options.dma_bandwidth_bytes_per_s = 1;  // one byte per second
    options.packet_payload_bytes = 1;
    EXPECT_THROW(RecordedRun(network, options), OptionError);  // exceeds the longest time of a packet
    options.dma_bandwidth_bytes_per_s = 1'000;
    RecordedRun run(network, options);
    run.engine.inject(run.message(0, 1, 0, 1), 0);
    run.engine.run();
    EXPECT_EQ(run.recorder.delivered_ps.at(1), kHopPs + kRouterPs + 1'000);
}

TEST(PacketNode, messages_to_itself_pass_its_memory_one_after_the_other) {
    const Network network = grid_network({2});
    PacketTimingOptions options = torus_study();
    options.shared_memory_bandwidth_bytes_per_s = 4 * kGigabyte;
    options.shared_memory_latency_ps = 300'000;
    RecordedRun run(network, options);
    run.engine.inject(run.message(0, 0, 4'000, 1), 0);
    run.engine.inject(run.message(0, 0, 4'000, 2), 500'000);
    run.engine.inject(run.message(0, 0, std::int64_t{1} << 40, 3), 2'000'000);
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(1), 1'000'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 1'300'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(2), 2'300'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(3), 2'300'000 + (std::int64_t{1} << 40) * 250);
    EXPECT_EQ(run.engine.counts().packet_hops, 0);
    // Messages to self are not counted as packets or payload.
    EXPECT_EQ(run.engine.counts().on_node_bytes, 8'000 + (std::int64_t{1} << 40));
    EXPECT_EQ(run.engine.counts().packets_injected, 0);
    EXPECT_EQ(run.engine.counts().packets_ejected, 0);
    EXPECT_EQ(run.engine.counts().payload_bytes_injected, 0);
    EXPECT_EQ(run.engine.counts().payload_bytes_delivered, 0);
    EXPECT_EQ(run.engine.counts().messages_under_way, 0);
}

TEST(PacketNode, refuses_nics_and_gaps_that_are_none) {
    const Network network = grid_network({2});
    PacketTimingOptions options = torus_study();
    options.nics = 2;
    RecordedRun run(network, options);
    PacketMessage message = run.message(0, 1, 1, 1);
    message.nic = 2;
    EXPECT_THROW(run.engine.inject(message, 0), OptionError);
    message.nic = 0;
    message.gap_ps = -1;
    EXPECT_THROW(run.engine.inject(message, 0), OptionError);
    options.nics = 0;
    EXPECT_THROW(RecordedRun(network, options), OptionError);
}

TEST(LongTransfer, is_exact_where_the_product_needs_more_than_64_bits) {
    EXPECT_EQ(long_transfer_ps(0, 3), 0);
    EXPECT_EQ(long_transfer_ps(1, 3), 333'333'333'334);
    EXPECT_EQ(long_transfer_ps(7, 3), 2'333'333'333'334);
    EXPECT_EQ(long_transfer_ps(std::int64_t{1} << 48, 5'000'000'000), 56'294'995'342'131'200);
    EXPECT_EQ(long_transfer_ps((std::int64_t{1} << 48) - 1, 1'000'000'000'000'000), 281'474'976'711'000 / 1000 + 0);
}

TEST(PacketWindows, a_run_can_be_stopped_between_windows_and_goes_on_as_if_it_had_not) {
    const Network network = grid_network({-4, -4});
    const auto send_all = [](RecordedRun& run) {
        for (std::int32_t n = 0; n < 16; ++n) {
            run.engine.inject(run.message(n, (n + 7) % 16, 20 * kPacketBytes, static_cast<std::uint64_t>(n)), 0);
        }
    };
    RecordedRun whole(network, torus_study());
    send_all(whole);
    whole.engine.run();
    SerialisingTransport bytes;
    std::vector<std::int32_t> waiting;  // over all buffers, at every stop
    for (Transport* const transport : {static_cast<Transport*>(nullptr), static_cast<Transport*>(&bytes)}) {
        for (const int partitions : {1, 2, 7, 16}) {
            SCOPED_TRACE(partitions);
            RecordedRun cut(network, torus_study(), {.partitions = partitions, .transport = transport});
            send_all(cut);
            std::vector<std::int32_t> waiting_here;
            while (cut.engine.counts().messages_under_way > 0 && waiting_here.size() < 1'000'000) {
                cut.engine.run_while([] { return false; });
                for (std::int32_t b = 0; b < cut.engine.ports().buffer_count(); ++b) {
                    waiting_here.push_back(cut.engine.packets_waiting(InputId(b)));
                }
            }
            EXPECT_GT(std::ranges::count_if(waiting_here, [](std::int32_t packets) { return packets > 0; }), 100);
            if (waiting.empty()) waiting = waiting_here;
            EXPECT_EQ(waiting_here, waiting);
            EXPECT_EQ(cut.recorder.delivered_ps, whole.recorder.delivered_ps);
            EXPECT_EQ(cut.recorder.injected_ps, whole.recorder.injected_ps);
        }
    }
}

TEST(PacketNode, copies_that_end_after_the_longest_time_are_refused) {
    const Network network = grid_network({2});
    PacketTimingOptions options = torus_study();
    options.shared_memory_bandwidth_bytes_per_s = 200'000'000;
    RecordedRun run(network, options);
    // Each copy lasts 1.4 million seconds. Two copies on a node would exceed kLongestSimulationPs, 2.3 million seconds.
    run.engine.inject(run.message(0, 0, std::int64_t{1} << 48, 1), 0);
    run.engine.inject(run.message(1, 1, std::int64_t{1} << 48, 2), 0);
    EXPECT_THROW(run.engine.inject(run.message(0, 0, std::int64_t{1} << 48, 3), 0), UnsupportedError);
}

TEST(PacketNode, messages_of_more_packets_than_can_be_simulated_are_refused) {
    const Network network = grid_network({2});
    const PacketTimingOptions options = torus_study();
    const std::int64_t most = kMostPacketsOfMessage * options.packet_payload_bytes;
    RecordedRun run(network, options);
    run.engine.inject(run.message(0, 1, most, 1), 0);
    EXPECT_THROW(run.engine.inject(run.message(0, 1, most + 1, 2), 0), UnsupportedError);
    EXPECT_THROW(run.engine.inject(run.message(0, 1, std::int64_t{1} << 48, 3), 0), UnsupportedError);
}

/// Every node passes a token to the next node, in another partition, by timers alone.
struct TokenRing final : PacketClient {
    void message_delivered(const PacketMessage&, std::int64_t) override {}
    void timer(NodeId node, std::uint32_t data, std::int64_t time_ps) override {
        seen_ps[node.index()] = time_ps;
        if (data == 0) return;
        engine->call_across(node, NodeId((node.value + 5) % 16), data - 1, time_ps + kLatencyPs);
    }
    static constexpr std::int64_t kLatencyPs = 5'000;  // less than the latency of any link
    PacketEngine* engine = nullptr;
    std::vector<std::int64_t> seen_ps = std::vector<std::int64_t>(16, -1);
};

TEST(PacketWindows, timers_reach_nodes_of_other_partitions_on_time) {
    const Network network = grid_network({-4, -4});
    for (const int threads : {1, 2, 8}) {
        PacketEngineOptions options;
        options.threads = threads;
        options.shortest_client_latency_ps = TokenRing::kLatencyPs;
        options.least_events_for_threads = 0;
        TokenRing client;
        PacketEngine engine(network, PacketTiming(torus_study()), client, options);
        client.engine = &engine;
        engine.call_at(NodeId(0), 100, 0);
        engine.run();
        EXPECT_EQ(engine.now_ps(), 100 * TokenRing::kLatencyPs);
        EXPECT_EQ(client.seen_ps[100 * 5 % 16], 100 * TokenRing::kLatencyPs);
    }
}

TEST(PacketWindows, an_exception_of_a_callback_leaves_the_run_whichever_thread_it_is_in) {
    struct Thrower final : PacketClient {
        void message_delivered(const PacketMessage& message, std::int64_t) override {
            if (message.tag == 13) throw InputError("thirteen");
        }
    };
    const Network network = grid_network({-4, -4});
    for (const int threads : {1, 2, 4}) {
        PacketEngineOptions options;
        options.threads = threads;
        options.least_events_for_threads = 0;
        Thrower client;
        PacketEngine engine(network, PacketTiming(torus_study()), client, options);
        for (std::int32_t n = 0; n < 16; ++n) {
            engine.inject({NodeId(n), NodeId((n + 3) % 16), 1'000, static_cast<std::uint64_t>(n)}, 0);
        }
        EXPECT_THROW(engine.run(), InputError);
    }
}

TEST(PacketWindows, a_watched_router_tells_which_packets_left_its_buffers_and_when) {
    const Network network = grid_network({4});
    RecordedRun run(network, torus_study());
    run.engine.watch(VertexId(2));
    run.engine.inject(run.message(0, 3, 2 * kPacketBytes, 5), 0);
    run.engine.run();
    const std::vector<PacketPassage> passages = run.engine.take_passages();
    ASSERT_EQ(passages.size(), 2u);
    EXPECT_EQ(passages[0].arrival_ps, 2 * kHopPs);
    EXPECT_EQ(passages[0].time_ps, 2 * kHopPs);
    EXPECT_EQ(passages[1].time_ps, 2 * kHopPs + kPacketPs);
    EXPECT_EQ(passages[1].message.tag, 5u);
    EXPECT_EQ(run.engine.ports().link_target()[passages[0].output.index()], VertexId(3));
    EXPECT_TRUE(run.engine.take_passages().empty());
}

TEST(PacketWindows, bytes_are_counted_link_by_link_with_their_headers) {
    const Network network = grid_network({3});
    PacketTimingOptions options = torus_study();
    options.packet_header_bytes = 16;
    PacketEngineOptions engine_options;
    RecordedRun run(network, options, engine_options);
    run.engine.inject(run.message(0, 2, 300, 1), 0);
    run.engine.run();
    std::int64_t total = 0;
    for (const std::int64_t bytes : run.engine.bytes_passed()) {
        EXPECT_TRUE(bytes == 0 || bytes == 300 + 2 * 16);
        total += bytes;
    }
    EXPECT_EQ(total, 3 * (300 + 2 * 16));
}

TEST(PacketWindows, simulators_side_by_side_in_one_process_give_what_they_give_alone) {
    const Network network = grid_network({-6, -6});
    const auto simulate = [&](int threads) {
        PacketEngineOptions options;
        options.threads = threads;
        options.least_events_for_threads = 0;
        RecordedRun run(network, torus_study(), options);
        for (std::int32_t i = 0; i < 36 * 30; ++i) {
            run.engine.inject(run.message(i % 36, (i * 7 + i / 36) % 36, 100 + i, static_cast<std::uint64_t>(i)), i);
        }
        run.engine.run();
        return run.recorder.delivered_ps;
    };
    const std::vector<std::int64_t> alone = simulate(1);
    std::vector<std::vector<std::int64_t>> beside(2);
    std::thread first([&] { beside[0] = simulate(1); });
    std::thread second([&] { beside[1] = simulate(2); });
    first.join();
    second.join();
    EXPECT_EQ(beside[0], alone);
    EXPECT_EQ(beside[1], alone);
}

}  // namespace
}  // namespace haichi
