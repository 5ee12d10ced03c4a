#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "netmodel/packetsim/packet_engine.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "tests/netmodel/fabrics.h"

namespace haichi::packetsim_machines {

using namespace testing_fabrics;

inline constexpr std::int64_t kGigabyte = 1'000'000'000;

/// A grid with the given sizes; a negative size denotes a ring.
inline Network grid_network(const std::vector<std::int32_t>& sizes, std::vector<VertexId> faulty = {}) {
    std::vector<Axis> axes;
    const std::string names = sizes.size() == 6 ? "XYZABC" : "XYZUVW";
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        axes.push_back({std::string(1, names[k]), std::max(sizes[k], -sizes[k]), sizes[k] < 0});
    }
    Grid grid(std::move(axes));
    DimensionOrder order = default_dimension_order(grid);
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = 8 * kGigabyte;
    options.faulty = std::move(faulty);
    return Network(grid_fabric(std::move(grid), order), std::move(options));
}

inline Network tree_network(std::vector<std::int32_t> children, std::vector<std::int32_t> parents,
                            FatTreeRouting routing = FatTreeRouting::kDestinationModK) {
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = 8 * kGigabyte;
    return Network(fat_tree_fabric(FatTree(std::move(children), std::move(parents)), routing), std::move(options));
}

/// Edges in both directions, with the given cable latency unless it is negative.
inline Network graph_network(std::int32_t vertices, std::int32_t terminals,
                             const std::vector<std::pair<std::int32_t, std::int32_t>>& edges,
                             const std::vector<std::int64_t>& bandwidths = {}) {
    std::vector<std::string> names;
    for (std::int32_t v = 0; v < vertices; ++v) names.push_back(std::to_string(v));
    std::vector<Graph::Link> links;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const std::int64_t bandwidth = bandwidths.empty() ? 8 * kGigabyte : bandwidths[e % bandwidths.size()];
        links.push_back({VertexId(edges[e].first), VertexId(edges[e].second), bandwidth, std::nullopt});
        links.push_back({VertexId(edges[e].second), VertexId(edges[e].first), bandwidth, std::nullopt});
    }
    Graph graph(std::move(names), terminals, std::move(links));
    return Network(graph_fabric(std::move(graph)), {});
}

/// Whether routes form a cycle of waits if all packets use one virtual channel.
inline bool links_alone_have_a_cycle(const Network& network) {
    std::vector<std::vector<std::int32_t>> next(static_cast<std::size_t>(network.link_count()));
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            std::vector<ChannelHop> hops;
            VirtualChannels::append_links(network, NodeId(s), NodeId(d), hops);
            for (std::size_t i = 1; i < hops.size(); ++i) next[hops[i - 1].link.index()].push_back(hops[i].link.value);
        }
    }
    return !find_cycle(next).empty();
}

inline Network dragonfly_network(const Dragonfly& dragonfly) {
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = 8 * kGigabyte;
    return Network(dragonfly_fabric(dragonfly), std::move(options));
}

/// The NSIM torus study (8 GB/s, 2 + 2 + 2 + 140 ns, cables of 100 ns, 256 B). A full packet lasts 32 ns, L is 246 ns.
inline PacketTimingOptions torus_study() {
    PacketTimingOptions options;
    options.routing_ps = options.vc_allocation_ps = options.switch_allocation_ps = 2'000;
    options.switch_latency_ps = 140'000;
    options.cable_latency_ps = 100'000;
    options.packet_payload_bytes = 256;
    return options;
}

/// Records by tag when each message left the NIC and when it arrived. All entries exist from the start, so threads may
/// write to them concurrently.
struct Recorder final : PacketClient {
    static constexpr std::size_t kMostTags = 8192;
    std::vector<std::int64_t> injected_ps = std::vector<std::int64_t>(kMostTags, -1);
    std::vector<std::int64_t> delivered_ps = std::vector<std::int64_t>(kMostTags, -1);

    void message_injected(const PacketMessage& message, std::int64_t time_ps) override {
        injected_ps.at(message.tag) = time_ps;
    }
    void message_delivered(const PacketMessage& message, std::int64_t time_ps) override {
        delivered_ps.at(message.tag) = time_ps;
    }
};

// The values of the torus study.
inline constexpr std::int64_t kPacketBytes = 256;
inline constexpr std::int64_t kPacketPs = 32'000;   ///< 256 B at 8 GB/s
inline constexpr std::int64_t kRouterPs = 146'000;  ///< without the cable
inline constexpr std::int64_t kHopPs = 246'000;     ///< L

/// An engine and its recorder.
struct RecordedRun {
    RecordedRun(const Network& network, const PacketTimingOptions& options,
                const PacketEngineOptions& engine_options = {})
        : engine(network, PacketTiming(options), recorder, engine_options) {}
    void send(std::int32_t from, std::int32_t to, std::int64_t bytes, std::uint64_t tag, std::int64_t time_ps = 0) {
        engine.inject({NodeId(from), NodeId(to), bytes, tag}, time_ps);
    }
    PacketMessage message(std::int32_t from, std::int32_t to, std::int64_t bytes, std::uint64_t tag) const {
        return {NodeId(from), NodeId(to), bytes, tag};
    }
    Recorder recorder;
    PacketEngine engine;
};

}  // namespace haichi::packetsim_machines
