#include "tests/netmodel/packetsim/packetsim_reference.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;
using packetsim_reference::ReferenceSimulator;

struct Drawn {
    Network network;
    bool terminals_are_hosts = false;
};

std::int32_t from_to(Random& random, std::int32_t least, std::int32_t most) {
    return least + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(most - least + 1)));
}

/// A random tree of switches, usually with extra edges that close rings, with hosts and random bandwidths per edge.
Network drawn_graph_network(Random& random) {
    const std::int32_t hosts = from_to(random, 2, 12);
    const std::int32_t switches = from_to(random, 1, 8);
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t s = 1; s < switches; ++s) edges.emplace_back(hosts + from_to(random, 0, s - 1), hosts + s);
    for (std::int32_t e = from_to(random, 0, switches / 2); e > 0; --e) {
        const std::int32_t a = from_to(random, 0, switches - 1);
        const std::int32_t b = from_to(random, 0, switches - 1);
        if (a != b) edges.emplace_back(hosts + a, hosts + b);
    }
    for (std::int32_t h = 0; h < hosts; ++h) edges.emplace_back(h, hosts + from_to(random, 0, switches - 1));
    return graph_network(hosts + switches, hosts, edges, {8 * kGigabyte, 3 * kGigabyte, 5 * kGigabyte + 7});
}

Drawn drawn_machine(Random& random) {
    switch (random.below(7)) {
        case 0:  // meshes
            return {grid_network({from_to(random, 2, 5), from_to(random, 1, 4)})};
        case 1:  // tori, and axes of both kinds
            return {grid_network({-from_to(random, 3, 6), -from_to(random, 2, 5), from_to(random, 1, 3)})};
        case 2:  // Tofu
            return {grid_network({-from_to(random, 1, 4), from_to(random, 1, 2), from_to(random, 1, 2), 2, -3, 2})};
        case 3: {  // Tofu around a faulty node
            const std::int32_t x = from_to(random, 2, 4);
            return {grid_network({-x, 2, 1, 2, -3, 2}, {VertexId(from_to(random, 0, x * 24 - 1))})};
        }
        case 4: {
            const auto routing = random.below(2) == 0 ? FatTreeRouting::kSourceModK : FatTreeRouting::kDestinationModK;
            const std::int32_t top = from_to(random, 1, 3);
            return {tree_network({from_to(random, 2, 4), from_to(random, 1, 4)}, {from_to(random, 1, 2), top}, routing),
                    true};
        }
        case 5:
            return {dragonfly_network(Dragonfly(from_to(random, 1, 2), from_to(random, 2, 3), 1)), true};
        default:
            return {drawn_graph_network(random), true};
    }
}

PacketTimingOptions drawn_timing(Random& random) {
    PacketTimingOptions options = torus_study();
    options.packet_payload_bytes = from_to(random, 1, 300);
    options.packet_header_bytes = from_to(random, 0, 40);
    options.buffer_packets = random.below(2) == 0 ? 1 : from_to(random, 1, 9);
    options.virtual_channels = 4;
    // Round numbers put many events at the same instant; odd numbers are rounded up.
    if (random.below(2) == 0) {
        options.packet_payload_bytes = 240;
        options.packet_header_bytes = random.below(2) == 0 ? 16 : 0;
    }
    if (random.below(3) == 0) options.switch_latency_ps = from_to(random, 0, 40'000);
    if (random.below(4) == 0) options.cable_latency_ps = 0;
    if (random.below(3) == 0) options.nic_bandwidth_bytes_per_s = from_to(random, 1, 9) * kGigabyte - 1;
    if (random.below(4) == 0) options.nic_packet_ps = from_to(random, 0, 50'000);
    if (random.below(3) == 0) options.switch_bandwidth_bytes_per_s = from_to(random, 1, 9) * kGigabyte + 1;
    if (random.below(3) == 0) options.nics = from_to(random, 2, 4);
    options.nic_interleaves_packets = random.below(2) == 0;
    if (random.below(4) == 0) options.dma_bandwidth_bytes_per_s = from_to(random, 1, 9) * kGigabyte + 5;
    if (random.below(4) == 0) options.memory_bandwidth_bytes_per_s = from_to(random, 1, 9) * kGigabyte - 3;
    if (random.below(2) == 0) options.shared_memory_bandwidth_bytes_per_s = from_to(random, 1, 9) * kGigabyte;
    if (random.below(2) == 0) options.shared_memory_latency_ps = from_to(random, 0, 300'000);
    if (random.below(3) == 0) options.link_bandwidth_bytes_per_s = from_to(random, 2, 9) * kGigabyte + 3;
    options.arbiter = static_cast<Arbiter>(random.below(3));
    if (random.below(2) == 0) options.host_cable_latency_ps = from_to(random, 0, 200'000);
    return options;
}

std::vector<std::pair<PacketMessage, std::int64_t>> drawn_traffic(Random& random, const Network& network,
                                                                  std::int32_t nics) {
    std::vector<std::int32_t> nodes;
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        if (network.is_usable(NodeId(n))) nodes.push_back(n);
    }
    const auto any = [&] { return NodeId(nodes[random.below(static_cast<std::uint32_t>(nodes.size()))]); };
    const NodeId hot = any();
    const std::int32_t count = from_to(random, 1, 150);
    const std::int64_t span_ps = random.below(2) == 0 ? 1 : from_to(random, 1, 4'000'000);
    const std::int32_t largest = random.below(2) == 0 ? 256 : 3'000;
    std::vector<std::pair<PacketMessage, std::int64_t>> traffic;
    for (std::int32_t i = 0; i < count; ++i) {
        const NodeId destination = random.below(5) == 0 ? hot : any();
        const std::int64_t time_ps = random.below(static_cast<std::uint32_t>(span_ps));
        PacketMessage message{any(), destination, 0, static_cast<std::uint64_t>(i)};
        // Without headers, empty messages need no time on any channel.
        message.bytes = random.below(4) == 0 ? 0 : from_to(random, 0, largest);
        message.nic = from_to(random, 0, nics - 1);
        if (random.below(8) == 0) message.gap_ps = from_to(random, 0, 100'000);
        traffic.emplace_back(message, time_ps);
    }
    // Messages posted at the same instant at one NIC are sent in call order in both simulators.
    std::ranges::stable_sort(traffic, {}, [](const auto& post) { return post.second; });
    return traffic;
}

void compare(std::uint64_t seed) {
    Random random(seed);
    const Drawn machine = drawn_machine(random);
    const PacketTimingOptions options = drawn_timing(random);
    const auto traffic = drawn_traffic(random, machine.network, options.nics);

    ReferenceSimulator reference(machine.network, options, machine.terminals_are_hosts);
    for (const auto& [message, time_ps] : traffic) reference.inject(message, time_ps);
    const std::vector<ReferenceSimulator::Delivery> expected = reference.run();
    for (const int partitions : {1, 2, 5, 64}) {
        SCOPED_TRACE(partitions);
        PacketEngineOptions engine_options;
        engine_options.partitions = partitions;
        // The partitions usually run one after the other, which covers their logic; sometimes they run in threads.
        engine_options.threads = 2;
        engine_options.least_events_for_threads = seed % 16 == 0 ? 20 : std::numeric_limits<std::int64_t>::max();
        SerialisingTransport bytes_between_partitions;
        if (seed % 2 == 0) engine_options.transport = &bytes_between_partitions;
        Recorder recorder;
        PacketEngine engine(machine.network, PacketTiming(options), recorder, engine_options);
        std::int64_t bytes = 0;
        std::int64_t on_node_bytes = 0;
        std::int64_t packets = 0;
        for (const auto& [message, time_ps] : traffic) {
            engine.inject(message, time_ps);
            if (message.source == message.destination) {
                on_node_bytes += message.bytes;
            } else {
                bytes += message.bytes;
                packets += PacketTiming(options).packet_count(message.bytes);
            }
        }
        for (std::int64_t until_ps = 0; engine.counts().messages_under_way > 0; until_ps += 500'000) {
            engine.run(until_ps);
            ASSERT_LE(engine.most_packets_waiting(), options.buffer_packets);
        }
        engine.run();
        for (std::size_t i = 0; i < traffic.size(); ++i) {
            const std::uint64_t tag = traffic[i].first.tag;
            ASSERT_EQ(recorder.injected_ps.at(tag), expected[i].injected_ps) << tag;
            ASSERT_EQ(recorder.delivered_ps.at(tag), expected[i].delivered_ps) << tag;
        }
        ASSERT_TRUE(engine.is_drained());
        ASSERT_EQ(engine.counts().payload_bytes_injected, bytes);
        ASSERT_EQ(engine.counts().payload_bytes_delivered, bytes);
        ASSERT_EQ(engine.counts().on_node_bytes, on_node_bytes);
        ASSERT_EQ(engine.counts().packets_injected, packets);
        ASSERT_EQ(engine.counts().packets_ejected, packets);
    }
}

TEST(PacketEngine, delivers_at_the_picosecond_of_the_reference_with_any_threads_and_loses_no_byte_or_credit) {
    // Seeds are consecutive, so the seed reproduces any difference.
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        compare(seed);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace haichi
