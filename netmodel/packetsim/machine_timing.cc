#include "netmodel/packetsim/machine_timing.h"

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "netmodel/packetsim/packet_ports.h"

namespace haichi {

namespace {

/// Replaces `target` if the machine states a value, which must be in range.
template <class Value>
void take(const Machine& machine, const char* key, const std::optional<Value>& stated, std::int64_t least,
          std::int64_t most, const char* unit, Value& target) {
    if (!stated) return;
    if (*stated < least || *stated > most) {
        throw OptionError("invalid '" + std::string(key) + "' of machine " + machine.name + ": " +
                              std::to_string(*stated) + unit + " (outside the range of the packet simulator)",
                          "use " + std::to_string(least) + " to " + std::to_string(most) + unit);
    }
    target = *stated;
}

/// Converts a word that the reader of machine files has checked.
Arbiter arbiter_of(std::string_view word) {
    if (word == "oldest-first") return Arbiter::kOldestFirst;
    return word == "fixed-priority" ? Arbiter::kFixedPriority : Arbiter::kRoundRobin;
}

/// The distinct kinds of links in the machine. O(nodes) if all nodes are routers, else O(links).
std::vector<LinkKind> link_kinds(const Topology& topology) {
    std::vector<LinkKind> kinds;
    bool has_hosts = false;
    for (std::int32_t v = 0; v < topology.terminal_count() && !has_hosts; ++v)
        has_hosts = topology.is_host(VertexId(v));
    if (!has_hosts && topology.router_classes().empty()) {
        for (std::size_t c = 0; c < topology.link_classes().size(); ++c) kinds.push_back({.link_class = c});
        return kinds;
    }
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        const LinkKind kind = kind_of_link(topology, LinkId(l));
        // Neighbouring links are mostly of one kind, so search backwards.
        if (std::find(kinds.rbegin(), kinds.rend(), kind) == kinds.rend()) kinds.push_back(kind);
    }
    return kinds;
}

/// One kind of links and the buffers that it needs.
struct CoveredLinks {
    LinkKind kind;
    std::int64_t bandwidth_bytes_per_s = 0;
    CreditLoop loop;

    [[nodiscard]] double share(std::int32_t buffer_packets) const {
        const std::int64_t round_ps = 2 * loop.latency_ps + loop.own_time_ps;
        return static_cast<double>(buffer_packets) * static_cast<double>(loop.packet_ps) /
               static_cast<double>(round_ps);
    }
};

/// The links of a machine with `options`, which need not have buffers yet.
std::vector<CoveredLinks> covered_links(const Machine& machine, const PacketTimingOptions& options) {
    const PacketTiming timing(options);
    const Topology& topology = *machine.topology;
    std::vector<CoveredLinks> all;
    std::int64_t fastest = 0;
    for (const LinkKind& kind : link_kinds(topology)) {
        const LinkPassage passage = passage_of(topology, timing, kind);
        const std::int64_t bandwidth =
            topology.link_classes()[kind.link_class].bandwidth_bytes_per_s.value_or(machine.link_bandwidth_bytes_per_s);
        const std::int64_t through_switch = passage.switch_bandwidth_bytes_per_s;
        fastest = std::max(fastest, bandwidth);
        const std::int64_t reached = through_switch == 0 ? bandwidth : std::min(bandwidth, through_switch);
        all.push_back({kind,
                       reached,
                       {.packet_ps = transfer_ps(timing.full_packet_bytes(), reached) + passage.packet_time_ps,
                        .latency_ps = passage.latency_ps}});
    }
    if (all.empty()) return all;
    const std::int64_t nic = options.nic_bandwidth_bytes_per_s == 0 ? fastest : options.nic_bandwidth_bytes_per_s;
    std::int64_t sent_ps = transfer_ps(timing.full_packet_bytes(), nic);
    if (const std::int64_t host = timing.host_bandwidth_bytes_per_s(); host != 0) {
        sent_ps = std::max(sent_ps, transfer_ps(options.packet_payload_bytes, host));
    }
    for (CoveredLinks& links : all) links.loop.own_time_ps = std::max(links.loop.packet_ps, sent_ps);
    return all;
}

std::int32_t buffer_of(const Machine& machine, const PacketTimingOptions& options) {
    std::int64_t packets = 1;
    for (const CoveredLinks& links : covered_links(machine, options)) {
        packets = std::max(packets, packets_that_cover(links.loop));
    }
    return covering_buffer(packets);
}

}  // namespace

std::int64_t packets_that_cover(const CreditLoop& loop) {
    return (2 * loop.latency_ps + loop.own_time_ps - 1) / loop.packet_ps + 1;
}

std::int32_t covering_buffer(std::int64_t packets_that_cover) {
    constexpr std::int64_t kStep = 8;
    constexpr std::int64_t kMost = PacketTiming::kMostBufferPackets;
    if (packets_that_cover >= kMost) return PacketTiming::kMostBufferPackets;
    return static_cast<std::int32_t>(std::min((packets_that_cover + kStep - 1) / kStep * kStep, kMost));
}

std::optional<BufferShortage> buffer_shortage_of(const Machine& machine) {
    const PacketTimingOptions options = packet_timing_of(machine);
    std::optional<BufferShortage> worst;
    for (const CoveredLinks& links : covered_links(machine, options)) {
        const double share = links.share(options.buffer_packets);
        if (share >= (worst ? worst->share : 1)) continue;
        worst = {.links = machine.topology->link_classes()[links.kind.link_class].name,
                 .link_bandwidth_bytes_per_s = links.bandwidth_bytes_per_s,
                 .share = share,
                 .buffer_packets = options.buffer_packets,
                 .packets_that_cover = packets_that_cover(links.loop)};
    }
    return worst;
}

PacketTimingOptions packet_timing_of(const Machine& machine) {
    if (machine.link_bandwidth_bytes_per_s < 1) {
        throw OptionError("a simulation requires 'link.bandwidth', which machine " + machine.name + " lacks",
                          R"(add "link": {"bandwidth": "5GB/s"} to the machine file)");
    }
    PacketTimingOptions options;
    options.virtual_channels = 0;
    const auto time = [&](const char* key, const std::optional<std::int64_t>& stated, std::int64_t& target) {
        take(machine, key, stated, 0, PacketTiming::kLongestLatencyPs, " ps", target);
    };
    const auto bandwidth = [&](const char* key, const std::optional<std::int64_t>& stated, std::int64_t& target) {
        take(machine, key, stated, 1, kLargestBandwidth, " bytes/s", target);
    };
    const auto& router = machine.router;
    time("router.routing_time", router.routing_time_ps, options.routing_ps);
    time("router.vc_allocation_time", router.vc_allocation_time_ps, options.vc_allocation_ps);
    time("router.switch_allocation_time", router.switch_allocation_time_ps, options.switch_allocation_ps);
    time("router.switch_latency", router.switch_latency_ps, options.switch_latency_ps);
    time("link.cable_latency", machine.cable_latency_ps, options.cable_latency_ps);
    time("link.host_cable_latency", machine.host_cable_latency_ps, options.host_cable_latency_ps);
    options.arbiter = arbiter_of(router.arbiter.value_or("round-robin"));
    bandwidth("router.bandwidth", router.bandwidth_bytes_per_s, options.switch_bandwidth_bytes_per_s);
    bandwidth("node.nic_bandwidth", machine.node.nic_bandwidth_bytes_per_s, options.nic_bandwidth_bytes_per_s);
    const auto& node = machine.node;
    time("node.nic_packet_time", node.nic_packet_time_ps, options.nic_packet_ps);
    bandwidth("node.dma_bandwidth", node.dma_bandwidth_bytes_per_s, options.dma_bandwidth_bytes_per_s);
    bandwidth("node.memory_bandwidth", node.memory_bandwidth_bytes_per_s, options.memory_bandwidth_bytes_per_s);
    bandwidth("node.shared_memory_bandwidth", node.shared_memory_bandwidth_bytes_per_s,
              options.shared_memory_bandwidth_bytes_per_s);
    time("node.shared_memory_latency", node.shared_memory_latency_ps, options.shared_memory_latency_ps);
    take<std::int32_t>(machine, "node.nics", node.nics, 1, PacketTiming::kMostNics, "", options.nics);
    options.nic_interleaves_packets = node.nic_order.value_or("packets") == "packets";
    take<std::int32_t>(machine, "router.virtual_channels", router.virtual_channels, 1,
                       PacketTiming::kMostVirtualChannels, "", options.virtual_channels);
    take<std::int32_t>(machine, "router.buffer", router.buffer_packets, 1, PacketTiming::kMostBufferPackets, " packets",
                       options.buffer_packets);
    take(machine, "packet.payload", machine.packet_payload_bytes, 1, PacketTiming::kLargestPacketBytes, " bytes",
         options.packet_payload_bytes);
    const std::int64_t room = PacketTiming::kLargestPacketBytes - options.packet_payload_bytes;
    take(machine, "packet.header", machine.packet_header_bytes, 0, room, " bytes", options.packet_header_bytes);
    if (!router.buffer_packets) options.buffer_packets = buffer_of(machine, options);
    return options;
}

}  // namespace haichi
