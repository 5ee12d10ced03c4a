#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "netmodel/packetsim/packet_engine.h"
#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

/// Uniform random traffic in a closed loop: whatever arrives is answered by a new packet from its source to anywhere.
struct ClosedLoop {
    void message_injected(MessageId, const PacketMessage&, std::int64_t) {}
    void message_delivered(MessageId, const PacketMessage& message, std::int64_t time_ps) {
        send(message.source, time_ps);
    }
    void timer(NodeId, std::uint32_t, std::int64_t) {}
    void send(NodeId source, std::int64_t time_ps) {
        const auto others = static_cast<std::uint32_t>(nodes - 1);
        const auto step = static_cast<std::int32_t>(1 + random.below(others));
        engine->inject({source, NodeId((source.value + step) % nodes), kPacketBytes, 0}, time_ps);
    }

    static constexpr std::int64_t kPacketBytes = 256;
    std::int32_t nodes = 0;
    Random random{1};
    PacketEngine<ClosedLoop>* engine = nullptr;
};

double peak_memory_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// One item is a packet-hop, an iteration a microsecond of the NSIM torus (8 GB/s, L of 246 ns, 2 VCs of 8 packets).
void measure_uniform_traffic(benchmark::State& state, const std::vector<std::int32_t>& sizes, int outstanding) {
    constexpr std::int64_t kStepPs = 1'000'000;
    std::vector<Axis> axes;
    for (const std::int32_t size : sizes) axes.push_back({std::string(1, "XYZ"[axes.size()]), size, true});
    Grid grid(std::move(axes));
    DimensionOrder order = default_dimension_order(grid);
    NetworkOptions network_options;
    network_options.link_bandwidth_bytes_per_s = 8'000'000'000;
    const Network network(GridFabric{std::move(grid), std::move(order)}, network_options);
    PacketTimingOptions options;
    options.routing_ps = options.vc_allocation_ps = options.switch_allocation_ps = 2'000;
    options.switch_latency_ps = 140'000;
    options.cable_latency_ps = 100'000;
    options.packet_payload_bytes = ClosedLoop::kPacketBytes;

    ClosedLoop client;
    PacketEngine<ClosedLoop> engine(network, PacketTiming(options), client);
    client.nodes = network.node_count();
    client.engine = &engine;
    for (std::int32_t n = 0; n < client.nodes; ++n) {
        for (int i = 0; i < outstanding; ++i) client.send(NodeId(n), 0);
    }
    engine.run(10 * kStepPs);  // past the start in step
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
    const auto add = [](const std::string& name, std::vector<std::int32_t> sizes, int outstanding) {
        benchmark::RegisterBenchmark(("packets/uniform/" + name).c_str(), measure_uniform_traffic, std::move(sizes),
                                     outstanding)
            ->Unit(benchmark::kMillisecond);
    };
    add("8x8x8", {8, 8, 8}, 8);
    add("16x16x16", {16, 16, 16}, 8);
    add("64x32x32", {64, 32, 32}, 2);
}

}  // namespace haichi::bench
