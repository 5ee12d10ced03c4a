#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;

TEST(PacketEngine, a_packet_over_h_hops_takes_h_latencies_the_ejection_and_its_own_length) {
    const Network network = grid_network({12});
    for (std::int32_t hops = 1; hops < 12; ++hops) {
        RecordedRun run(network, torus_study());
        run.send(0, hops, kPacketBytes, 1, 5);
        run.engine.run();
        EXPECT_EQ(run.recorder.injected_ps.at(1), 5 + kPacketPs);
        EXPECT_EQ(run.recorder.delivered_ps.at(1), 5 + hops * kHopPs + kRouterPs + kPacketPs) << hops;
        EXPECT_EQ(run.engine.counts().packet_hops, hops + 1);
        EXPECT_TRUE(run.engine.is_drained());
    }
}

TEST(PacketEngine, an_empty_message_is_a_packet_of_a_header_only) {
    const Network network = grid_network({4});
    PacketTimingOptions options = torus_study();
    options.packet_header_bytes = 16;  // 2 ns
    RecordedRun run(network, options);
    run.send(0, 3, 0, 1);
    run.engine.run();
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 3 * kHopPs + kRouterPs + 2'000);
    EXPECT_EQ(run.engine.counts().packets_ejected, 1);
}

TEST(PacketEngine, a_message_streams_at_link_rate_when_buffers_cover_the_way_of_the_credits) {
    // A buffer entry is occupied from the grant until the tail has left one hop downstream and the credit has returned.
    // This takes L + P + L = 524 ns, so 17 packets of 32 ns keep a link busy.
    const Network network = grid_network({6});
    PacketTimingOptions options = torus_study();
    options.buffer_packets = 17;
    RecordedRun run(network, options);
    run.send(0, 5, 1000 * kPacketBytes - 128, 1);  // the last packet is half full
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(1), 999 * kPacketPs + kPacketPs / 2);
    // The head of the half packet arrives as late as the head of a full one.
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 999 * kPacketPs + 5 * kHopPs + kRouterPs + kPacketPs / 2);
}

TEST(PacketEngine, few_buffers_hold_a_stream_back_to_one_buffer_per_round_of_credits) {
    // With one buffer entry, a packet crosses every link 2 L + P after its predecessor, whatever the number of hops.
    const Network network = grid_network({6});
    for (const std::int32_t slots : {1, 2, 8}) {
        for (std::int32_t hops = 1; hops <= 5; ++hops) {
            PacketTimingOptions options = torus_study();
            options.buffer_packets = slots;
            RecordedRun run(network, options);
            run.send(0, hops, 64 * kPacketBytes, 1);
            run.engine.run();
            const std::int64_t rounds = 64 / slots - 1;
            EXPECT_EQ(run.recorder.delivered_ps.at(1), rounds * (2 * kHopPs + kPacketPs) + (slots - 1) * kPacketPs +
                                                           hops * kHopPs + kRouterPs + kPacketPs)
                << slots << " slots, " << hops << " hops";
        }
    }
}

TEST(PacketEngine, a_slow_nic_spaces_its_packets_and_stretches_them) {
    // 2 GB/s: a packet needs 128 ns to enter the network and 128 ns to leave it.
    const Network network = grid_network({4});
    PacketTimingOptions options = torus_study();
    options.nic_bandwidth_bytes_per_s = 2 * kGigabyte;
    RecordedRun run(network, options);
    run.send(0, 3, 50 * kPacketBytes, 1);
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(1), 50 * 128'000);
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 49 * 128'000 + 3 * kHopPs + kRouterPs + 128'000);
}

TEST(PacketEngine, a_slow_switch_is_busy_for_longer_than_its_links) {
    const Network network = grid_network({3});
    PacketTimingOptions options = torus_study();
    options.buffer_packets = 64;
    options.switch_bandwidth_bytes_per_s = 4 * kGigabyte;  // 64 ns
    RecordedRun run(network, options);
    run.send(0, 2, 10 * kPacketBytes, 1);
    run.engine.run();
    EXPECT_EQ(run.recorder.delivered_ps.at(1), 9 * 64'000 + 2 * kHopPs + kRouterPs + 64'000);
}

TEST(PacketEngine, a_successor_starts_the_moment_its_predecessor_ends) {
    // 0 -> 2 and 1 -> 2 share the link 1 -> 2, which is granted to the packet of node 1 first. The other packet waits
    // with route and allocation done, so it follows without a gap although L is longer than a packet.
    const Network network = grid_network({3});
    RecordedRun run(network, torus_study());
    run.send(0, 2, kPacketBytes, 1, 0);
    run.send(1, 2, kPacketBytes, 2, kHopPs - 1'000);
    run.engine.run();
    const std::int64_t first_grant = kHopPs - 1'000;
    EXPECT_EQ(run.recorder.delivered_ps.at(2), first_grant + kHopPs + kRouterPs + kPacketPs);
    EXPECT_EQ(run.recorder.delivered_ps.at(1), first_grant + kPacketPs + kHopPs + kRouterPs + kPacketPs);
}

TEST(PacketEngine, two_flows_share_a_link_packet_by_packet) {
    // 0 -> 2 and 1 -> 2 on a line with large buffers: 20 packets share the link 1 -> 2.
    const Network network = grid_network({3});
    PacketTimingOptions options = torus_study();
    options.buffer_packets = 64;
    RecordedRun run(network, options);
    run.send(0, 2, 10 * kPacketBytes, 1, 0);
    run.send(1, 2, 10 * kPacketBytes, 2, kHopPs);  // its head arrives with the first packet of node 0
    run.engine.run();
    // The link's input number is lower than the injection buffer's, so flow 1 is first; then the flows alternate.
    const auto arrival = [](std::int64_t turn) { return kHopPs + turn * kPacketPs + kHopPs + kRouterPs + kPacketPs; };
    EXPECT_EQ(run.recorder.delivered_ps.at(1), arrival(18));
    EXPECT_EQ(run.recorder.delivered_ps.at(2), arrival(19));
}

TEST(PacketEngine, slow_flows_share_a_fast_link_without_losing_any_of_it) {
    // 0 -> 2 and 1 -> 3 on a line share the link 1 -> 2. Their NICs need 64 ns per packet, the link needs 32 ns.
    const Network network = grid_network({4});
    PacketTimingOptions options = torus_study();
    options.buffer_packets = 64;
    options.nic_bandwidth_bytes_per_s = 4 * kGigabyte;
    RecordedRun run(network, options);
    run.send(0, 2, 10 * kPacketBytes, 1, 0);
    run.send(1, 3, 10 * kPacketBytes, 2, 0);
    run.engine.run();
    const std::int64_t alone_ps = 10 * 64'000 + 2 * kHopPs + kRouterPs;
    EXPECT_EQ(run.recorder.delivered_ps.at(1), alone_ps);
    // Packets of flow 1 arrive 246 ns after the first packet of flow 2, which is 54 ns into a turn of 64 ns. The next
    // packet of flow 2 waits until 86 ns.
    EXPECT_EQ(run.recorder.delivered_ps.at(2), alone_ps + 22'000);
}

TEST(PacketEngine, an_incast_fills_the_ejection_channel_in_rounds) {
    // A star of hosts on one switch: all others send to host 0, whose link passes one packet at a time. With 100 hosts
    // the switch has more buffers than a machine word has bits.
    for (const std::int32_t hosts : {2, 7, 100}) {
        const Network network = tree_network({hosts}, {1});
        PacketTimingOptions options = torus_study();
        options.buffer_packets = 512;
        RecordedRun run(network, options);
        constexpr std::int64_t kPackets = 5;
        for (std::int32_t n = 1; n < hosts; ++n) run.send(n, 0, kPackets * kPacketBytes, static_cast<std::uint64_t>(n));
        run.engine.run();
        // All heads reach the switch at the same time, and the ejection is a link traversal without a cable.
        for (std::int32_t n = 1; n < hosts; ++n) {
            const std::int64_t turn = (kPackets - 1) * (hosts - 1) + n - 1;
            EXPECT_EQ(run.recorder.delivered_ps.at(static_cast<std::uint64_t>(n)),
                      turn * kPacketPs + kRouterPs + kPacketPs)
                << n << " of " << hosts;
        }
        EXPECT_EQ(run.engine.counts().payload_bytes_delivered, (hosts - 1) * kPackets * kPacketBytes);
    }
}

TEST(PacketEngine, saturated_rings_with_one_packet_per_buffer_do_not_deadlock) {
    // All nodes send half-way round every ring at the same time: without the dateline every buffer would wait for the
    // next. With a faulty Tofu node some routes need two layers.
    const std::vector<Network> machines = {grid_network({-8}), grid_network({-6, -7}), grid_network({-4, -4, -4}),
                                           grid_network({-6, 2, 1, 2, -3, 2}, {VertexId(11)})};
    for (const Network& network : machines) {
        PacketTimingOptions options = torus_study();
        options.buffer_packets = 1;
        options.virtual_channels = 4;
        options.cable_latency_ps = options.switch_latency_ps = 0;  // packets longer than latencies: links stay full
        RecordedRun run(network, options);
        const Grid& grid = *network.coordinates();
        std::int64_t bytes = 0;
        for (std::int32_t n = 0; n < network.node_count(); ++n) {
            Coordinates at = grid.coordinates(VertexId(n));
            for (std::size_t k = 0; k < at.size(); ++k) at[k] = (at[k] + grid.axis(k).size / 2) % grid.axis(k).size;
            const NodeId to(grid.vertex(at).value);
            if (!network.is_usable(NodeId(n)) || !network.is_usable(to)) continue;
            run.send(n, to.value, 100 * kPacketBytes, static_cast<std::uint64_t>(n));
            bytes += 100 * kPacketBytes;
        }
        EXPECT_NO_THROW(run.engine.run());
        EXPECT_EQ(run.engine.counts().payload_bytes_delivered, bytes);
        EXPECT_TRUE(run.engine.is_drained());
    }
}

TEST(PacketEngine, hosts_of_trees_and_of_graphs_that_are_trees_have_no_router) {
    //        s4            NIC, switch, switch, switch, NIC: two traversals with a cable, then the ejection
    //      /    \          .
    //    s(2)   s(3)
    const Network tree = tree_network({2, 2}, {1, 1});
    const Network graph = graph_network(7, 4, {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 6}, {5, 6}});
    for (const Network* network : {&tree, &graph}) {
        RecordedRun run(*network, torus_study());
        run.send(0, 3, kPacketBytes, 1);
        run.send(1, 0, kPacketBytes, 2);
        run.engine.run();
        EXPECT_EQ(run.recorder.delivered_ps.at(1), 2 * kHopPs + kRouterPs + kPacketPs);
        EXPECT_EQ(run.recorder.delivered_ps.at(2), kRouterPs + kPacketPs);
    }
}

TEST(PacketEngine, messages_of_a_node_leave_in_order_and_may_be_posted_ahead) {
    const Network network = grid_network({2});
    RecordedRun run(network, torus_study());
    run.send(0, 1, kPacketBytes, 1, 10'000);
    run.send(0, 1, kPacketBytes, 2, 0);
    run.send(0, 1, kPacketBytes, 3, 10'000);
    run.engine.run(20'000);
    EXPECT_EQ(run.engine.now_ps(), 20'000);
    EXPECT_THROW(run.send(0, 1, 1, 4, 19'999), OptionError);
    run.engine.run();
    EXPECT_EQ(run.recorder.injected_ps.at(2), kPacketPs);
    EXPECT_EQ(run.recorder.injected_ps.at(1), 2 * kPacketPs);
    EXPECT_EQ(run.recorder.injected_ps.at(3), 3 * kPacketPs);
}

/// Two nodes that answer each other; the second pauses before its answer.
struct PingPong final : PacketClient {
    void message_delivered(const PacketMessage& message, std::int64_t time_ps) override {
        times_ps.push_back(time_ps);
        if (times_ps.size() == 4) return;
        if (message.destination == NodeId(1)) {
            engine->call_at(NodeId(1), 7, time_ps + 1'000);
        } else {
            engine->inject({NodeId(0), NodeId(1), kPacketBytes, 0}, time_ps);
        }
    }
    void timer(NodeId node, std::uint32_t data, std::int64_t time_ps) override {
        EXPECT_EQ(data, 7u);
        engine->inject({node, NodeId(0), kPacketBytes, 0}, time_ps);
    }
    PacketEngine* engine = nullptr;
    std::vector<std::int64_t> times_ps;
};

TEST(PacketEngine, clients_inject_and_set_timers_from_its_calls) {
    const Network network = grid_network({2});
    PingPong client;
    PacketEngine engine(network, PacketTiming(torus_study()), client);
    client.engine = &engine;
    engine.inject({NodeId(0), NodeId(1), kPacketBytes, 0}, 0);
    engine.run();
    constexpr std::int64_t kWay = kHopPs + kRouterPs + kPacketPs;
    EXPECT_EQ(client.times_ps, (std::vector<std::int64_t>{kWay, 2 * kWay + 1'000, 3 * kWay + 1'000, 4 * kWay + 2'000}));
}

TEST(PacketEngine, refuses_what_cannot_be_sent) {
    const Network network = grid_network({4}, {VertexId(2)});
    PacketTimingOptions options = torus_study();
    RecordedRun run(network, options);
    EXPECT_THROW(run.send(0, 4, 1, 0), OptionError);
    EXPECT_THROW(run.send(-1, 0, 1, 0), OptionError);
    EXPECT_THROW(run.send(0, 2, 1, 0), OptionError);
    EXPECT_THROW(run.send(0, 1, -1, 0), OptionError);
    options.link_bandwidth_bytes_per_s = 1'000;  // 256 B take a quarter of a second
    EXPECT_THROW(RecordedRun(network, options), OptionError);
    options = torus_study();
    options.virtual_channels = 1;
    EXPECT_THROW(RecordedRun(grid_network({-4}), options), OptionError);
}

}  // namespace
}  // namespace haichi
