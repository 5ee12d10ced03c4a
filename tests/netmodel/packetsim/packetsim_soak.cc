#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>

#include "base/random.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

// Loads the packet simulator with as much traffic as one-packet buffers hold, so that any possible deadlock occurs. All
// messages must arrive and all credits must return. Label "slow"; 10^8 packet-hops need a few minutes.

namespace haichi {
namespace {

using namespace packetsim_machines;

/// Nodes whose messages never end: a delivered message is followed by another from its destination. The new message has
/// up to a few packets and goes to any node, mostly far away, sometimes to one hot node.
struct Flood final : PacketClient {
    void message_delivered(const PacketMessage& message, std::int64_t time_ps) override {
        if (!is_ending) send(message.destination, time_ps);
    }

    void send(NodeId source, std::int64_t time_ps) {
        Random& random = randoms[source.index()];
        const auto nodes = static_cast<std::uint32_t>(usable.size());
        NodeId to = usable[random.below(nodes)];
        if (random.below(16) == 0) to = usable[nodes / 2];
        PacketMessage message{source, to, 0, 0};
        message.bytes = random.below(5 * 256);
        message.nic = static_cast<std::int32_t>(random.below(2));
        engine->inject(message, time_ps);
    }

    bool is_ending = false;
    std::vector<NodeId> usable;
    std::vector<Random> randoms;
    PacketEngine* engine = nullptr;
};

/// A ring of switches with random chords and hosts on each switch.
Network random_graph(std::int32_t switches, std::int32_t hosts, std::int32_t degree, std::uint64_t seed) {
    Random random(seed);
    const std::int32_t terminals = switches * hosts;
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t h = 0; h < terminals; ++h) edges.emplace_back(h, terminals + h / hosts);
    for (std::int32_t s = 0; s < switches; ++s) {
        edges.emplace_back(terminals + s, terminals + (s + 1) % switches);
        for (std::int32_t k = 2; k < degree; k += 2) {
            const auto step = static_cast<std::int32_t>(2 + random.below(static_cast<std::uint32_t>(switches - 3)));
            edges.emplace_back(terminals + s, terminals + (s + step) % switches);
        }
    }
    return graph_network(terminals + switches, terminals, edges);
}

/// A torus of forwarding terminals as a graph without datelines.
Network direct_torus(std::int32_t size) {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    const auto vertex = [size](std::int32_t x, std::int32_t y, std::int32_t z) {
        return (x % size * size + y % size) * size + z % size;
    };
    for (std::int32_t x = 0; x < size; ++x) {
        for (std::int32_t y = 0; y < size; ++y) {
            for (std::int32_t z = 0; z < size; ++z) {
                edges.emplace_back(vertex(x, y, z), vertex(x + 1, y, z));
                edges.emplace_back(vertex(x, y, z), vertex(x, y + 1, z));
                edges.emplace_back(vertex(x, y, z), vertex(x, y, z + 1));
            }
        }
    }
    return graph_network(size * size * size, size * size * size, edges);
}

bool soak(const std::string& name, const Network& network, std::int64_t hops, std::uint64_t seed, int threads) {
    PacketTimingOptions timing = torus_study();
    timing.buffer_packets = 1;
    timing.virtual_channels = VirtualChannels(network).needed();
    timing.nics = 2;
    // Packets longer than latencies keep links full.
    timing.switch_latency_ps = 1'000;
    timing.cable_latency_ps = 0;
    Flood flood;
    PacketEngineOptions options;
    options.threads = threads;
    PacketEngine engine(network, PacketTiming(timing), flood, options);
    flood.engine = &engine;
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        flood.randoms.emplace_back(seed, static_cast<std::uint64_t>(n));
        if (network.is_usable(NodeId(n))) flood.usable.emplace_back(n);
    }
    for (int i = 0; i < 16; ++i) {
        for (const NodeId n : flood.usable) flood.send(n, 0);
    }
    engine.run_while([&] { return engine.counts().packet_hops < hops; });
    flood.is_ending = true;
    engine.run();  // throws if undelivered packets cannot move
    const PacketCounts counts = engine.counts();
    const bool is_sound = counts.messages_under_way == 0 && engine.is_drained() &&
                          counts.packets_injected == counts.packets_ejected &&
                          counts.payload_bytes_injected == counts.payload_bytes_delivered;
    std::printf("%-34s %d VCs  %12" PRId64 " packet-hops  %10" PRId64 " packets  %s\n", name.c_str(),
                timing.virtual_channels, counts.packet_hops, counts.packets_injected, is_sound ? "sound" : "WRONG");
    std::fflush(stdout);
    return is_sound;
}

int run(int argc, char** argv) {
    CLI::App app("Floods machines whose buffers hold one packet");
    double hops = 1e8;
    std::uint64_t seed = 1;
    int threads = 1;
    app.add_option("--hops", hops, "packet-hops in all");
    app.add_option("--seed", seed, "of the traffic");
    app.add_option("--threads", threads, "of the simulator");
    CLI11_PARSE(app, argc, argv);

    std::vector<std::pair<std::string, Network>> machines;
    machines.emplace_back("6D torus, all rings, 4x3x3x3x3x3", grid_network({-4, -3, -3, -3, -3, -3}));
    machines.emplace_back("6D torus, all rings, 5x4x4x3x3x3", grid_network({-5, -4, -4, -3, -3, -3}));
    machines.emplace_back("Tofu 4x2x8x2x3x2", grid_network({-4, 2, -8, 2, -3, 2}));
    machines.emplace_back("Tofu 4x2x8x2x3x2, faulty nodes",
                          grid_network({-4, 2, -8, 2, -3, 2}, {VertexId(17), VertexId(300), VertexId(301)}));
    machines.emplace_back("fat tree 3x6", tree_network({6, 6, 6}, {1, 6, 6}));
    machines.emplace_back("dragonfly 4,8,4, 33 groups", dragonfly_network(Dragonfly(4, 8, 4, 0)));
    machines.emplace_back("dragonfly 2,6,3, 7 groups", dragonfly_network(Dragonfly(2, 6, 3, 7)));
    machines.emplace_back("graph, 64 random switches x 4", random_graph(64, 4, 4, seed));
    machines.emplace_back("graph, torus of 5x5x5, direct", direct_torus(5));
    bool is_sound = true;
    for (const auto& [name, network] : machines) {
        const auto share = static_cast<std::int64_t>(hops / static_cast<double>(machines.size()));
        is_sound = soak(name, network, share, seed, threads) && is_sound;
    }
    return is_sound ? 0 : 1;
}

}  // namespace
}  // namespace haichi

int main(int argc, char** argv) { return haichi::run(argc, argv); }
