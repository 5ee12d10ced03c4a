#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "netmodel/packetsim/packet_engine.h"
#include "netmodel/routing/grid_topology.h"
#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

/// Uniform random traffic in a closed loop: when a packet arrives, its destination sends a new packet to a random node.
struct ClosedLoop final : PacketClient {
    void message_delivered(const PacketMessage& message, std::int64_t time_ps) override {
        send(message.destination, time_ps);
    }
    void send(NodeId source, std::int64_t time_ps) {
        // Every node has its own generator, because nodes may be in different threads.
        const auto others = static_cast<std::uint32_t>(nodes - 1);
        const auto step = static_cast<std::int32_t>(1 + random[source.index()].below(others));
        engine->inject({source, NodeId((source.value + step) % nodes), kPacketBytes}, time_ps);
    }

    static constexpr std::int64_t kPacketBytes = 256;
    std::int32_t nodes = 0;
    std::vector<Random> random;
    PacketEngine* engine = nullptr;
};

double peak_memory_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// One item is a packet-hop, and one iteration simulates 1 us of the NSIM torus (8 GB/s, L of 246 ns, 2 VCs of 8
/// packets).
void measure_uniform_traffic(benchmark::State& state, const std::vector<std::int32_t>& sizes, int outstanding,
                             int threads, bool with_dma) {
    constexpr std::int64_t kStepPs = 1'000'000;
    std::vector<Axis> axes;
    for (const std::int32_t size : sizes) axes.push_back({std::string(1, "XYZ"[axes.size()]), size, true});
    Grid grid(std::move(axes));
    NetworkOptions network_options;
    network_options.link_bandwidth_bytes_per_s = 8'000'000'000;
    const Network network({grid_topology(std::move(grid))}, network_options);
    PacketTimingOptions options;
    options.routing_ps = options.vc_allocation_ps = options.switch_allocation_ps = 2'000;
    options.switch_latency_ps = 140'000;
    options.cable_latency_ps = 100'000;
    options.packet_payload_bytes = ClosedLoop::kPacketBytes;

    if (with_dma) options.dma_bandwidth_bytes_per_s = options.memory_bandwidth_bytes_per_s = 10'000'000'000;

    ClosedLoop client;
    PacketEngineOptions engine_options;
    engine_options.threads = threads;
    PacketEngine engine(network, PacketTiming(options), client, engine_options);
    client.nodes = network.node_count();
    for (std::int32_t n = 0; n < client.nodes; ++n) client.random.emplace_back(static_cast<std::uint64_t>(n));
    client.engine = &engine;
    for (std::int32_t n = 0; n < client.nodes; ++n) {
        for (int i = 0; i < outstanding; ++i) client.send(NodeId(n), 0);
    }
    engine.run(10 * kStepPs);  // past the synchronous start
    const PacketCounts before = engine.counts();
    for (auto _ : state) engine.run(engine.now_ps() + kStepPs);
    const PacketCounts after = engine.counts();
    const auto hops = static_cast<double>(after.packet_hops - before.packet_hops);
    state.SetItemsProcessed(after.packet_hops - before.packet_hops);
    state.counters["events_per_hop"] = static_cast<double>(after.events - before.events) / hops;
    state.counters["hops_per_packet"] = hops / static_cast<double>(after.packets_ejected - before.packets_ejected);
    state.counters["engine_mb"] = static_cast<double>(engine.memory_bytes()) / 1e6;
    state.counters["peak_rss_mb"] = peak_memory_mb();
}

}  // namespace

void register_packets() {
    const auto add = [](const std::string& name, const std::vector<std::int32_t>& sizes, int outstanding) {
        const auto measure = [&](const std::string& suffix, int threads, bool with_dma) {
            benchmark::RegisterBenchmark(("packets/uniform/" + name + suffix).c_str(), measure_uniform_traffic, sizes,
                                         outstanding, threads, with_dma)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
        };
        measure("", 1, false);
        measure("/threads:2", 2, false);
        measure("/dma", 1, true);
    };
    add("8x8x8", {8, 8, 8}, 8);
    add("16x16x16", {16, 16, 16}, 8);
    add("64x32x32", {64, 32, 32}, 2);
}

}  // namespace haichi::bench
