#include "netmodel/packetsim/packet_ports.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

/// Number of full packets that an input buffer holds, for routers whose class states its own buffer size.
std::int32_t entries_of(const PortClass& routers, const PacketTiming& timing) {
    const PortClass::Store& store = *routers.store;
    if (!store.buffer_bytes) return timing.options().buffer_packets;
    const std::int64_t payload =
        std::min(store.most_payload_bytes.value_or(PacketPorts::kNoLimit), timing.options().packet_payload_bytes);
    const std::int64_t packet = payload + timing.options().packet_header_bytes;
    constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
    const std::int64_t entries = *store.buffer_bytes / packet;
    if (entries >= 1 && entries <= kMost) return static_cast<std::int32_t>(entries);
    throw OptionError("a buffer of " + std::to_string(*store.buffer_bytes) + " bytes of the " + routers.name +
                          " holds " + std::to_string(entries) + " packets of " + std::to_string(packet) + " bytes",
                      "use a buffer for 1 to " + std::to_string(kMost) + " packets");
}

/// The link traversal from a router of a class, or from a node without a router.
LinkPassage passage_from(const Topology& topology, const PacketTiming& timing, std::size_t router_class, bool is_host) {
    const std::span<const PortClass> classes = topology.router_classes();
    LinkPassage passage{timing.options().switch_bandwidth_bytes_per_s, is_host ? 0 : timing.router_latency_ps()};
    if (classes.empty()) return passage;
    const PortClass& routers = classes[router_class];
    passage.switch_bandwidth_bytes_per_s = routers.bandwidth_bytes_per_s.value_or(passage.switch_bandwidth_bytes_per_s);
    if (!is_host) passage.latency_ps = routers.latency_ps.value_or(passage.latency_ps);
    if (routers.store) {
        passage.packet_time_ps = routers.store->packet_time_ps;
        passage.bus_bytes_per_s = routers.store->shared_bus_bytes_per_s;
    }
    return passage;
}

std::size_t class_of_router(const Topology& topology, VertexId router) {
    return topology.router_classes().empty() ? 0 : topology.class_of_router(router);
}

}  // namespace

LinkKind kind_of_link(const Topology& topology, LinkId link) {
    const LinkEnds ends = topology.link_ends(link);
    const auto is_host = [&](VertexId v) { return v.value < topology.terminal_count() && topology.is_host(v); };
    return {topology.class_of_link(link), class_of_router(topology, ends.from), is_host(ends.from), is_host(ends.to)};
}

LinkPassage passage_of(const Topology& topology, const PacketTiming& timing, const LinkKind& kind) {
    LinkPassage passage = passage_from(topology, timing, kind.router_class, kind.leaves_host);
    const PortClass& links = topology.link_classes()[kind.link_class];
    const std::int64_t cable_ps =
        kind.leaves_host || kind.enters_host ? timing.host_cable_latency_ps() : timing.cable_latency_ps();
    passage.latency_ps += links.latency_ps.value_or(cable_ps);
    return passage;
}

PacketPorts::PacketPorts(const Network& network, const PacketTiming& timing, std::int32_t virtual_channels)
    : virtual_channels_(virtual_channels), topology_(&network.topology()) {
    constexpr std::int64_t kMostPorts = std::int64_t{1} << 26;  // an event stores a port and one of 8 VCs in 29 bits
    find_ends(network.topology());
    const std::int64_t nics = std::int64_t{network.node_count()} * timing.options().nics;
    if (link_count_ + nics >= kMostPorts) {
        throw UnsupportedError("a machine of " + std::to_string(link_count_) + " links and " + std::to_string(nics) +
                               " NICs is too large to simulate");
    }
    nic_count_ = static_cast<std::int32_t>(nics);

    const PacketTimingOptions& options = timing.options();
    const auto bandwidth = [&](std::int32_t link) {
        return options.link_bandwidth_bytes_per_s != 0 ? options.link_bandwidth_bytes_per_s
                                                       : network.bandwidth_bytes_per_s(LinkId(link));
    };
    std::int64_t fastest = 0;
    class_of_output_.reserve(static_cast<std::size_t>(output_count()));
    for (std::int32_t l = 0; l < link_count_; ++l) {
        const VertexId from = link_source_[static_cast<std::size_t>(l)];
        if (!from.valid()) {
            class_of_output_.push_back(0);  // never used
            continue;
        }
        if (bandwidth(l) < 1) throw OptionError("the packet simulator requires a link bandwidth");
        fastest = std::max(fastest, bandwidth(l));
        const LinkKind kind = kind_of_link(network.topology(), LinkId(l));
        const std::span<const PortClass> routers = topology_->router_classes();
        const VertexId to = link_target_[static_cast<std::size_t>(l)];
        const PortClass* downstream = routers.empty() ? nullptr : &routers[topology_->class_of_router(to)];
        // Both routers of the link must accept the packet.
        const std::int64_t payload =
            std::min({options.packet_payload_bytes, most_payload_of(from), most_payload_of(to)});
        add_output(timing, bandwidth(l), payload + options.packet_header_bytes,
                   passage_of(network.topology(), timing, kind), downstream);
        packets_are_full_ = packets_are_full_ && most_payload_of(to) >= options.packet_payload_bytes;
    }
    nic_bandwidth_bytes_per_s_ = options.nic_bandwidth_bytes_per_s;
    if (nic_bandwidth_bytes_per_s_ == 0) nic_bandwidth_bytes_per_s_ = fastest;
    if (nic_bandwidth_bytes_per_s_ == 0) nic_bandwidth_bytes_per_s_ = network.largest_bandwidth_bytes_per_s();
    if (nic_bandwidth_bytes_per_s_ < 1) throw OptionError("the packet simulator requires a link bandwidth");
    for (std::int32_t k = 0; k < nic_count_; ++k) {
        const VertexId vertex = network.vertex(NodeId(k / timing.options().nics));
        add_output(
            timing, nic_bandwidth_bytes_per_s_, timing.full_packet_bytes(),
            passage_from(network.topology(), timing, class_of_router(network.topology(), vertex), is_host(vertex)),
            nullptr);
    }
    // DMA or memory slower than a NIC would make the duration of packets differ from that on the channels.
    const std::int64_t host = timing.host_bandwidth_bytes_per_s();
    bandwidth_is_uniform_ =
        (host == 0 || host >= nic_bandwidth_bytes_per_s_) && std::ranges::all_of(classes_, [&](const Class& port) {
            return port.bandwidth_bytes_per_s == nic_bandwidth_bytes_per_s_;
        });
    if (host != 0 && transfer_ps(options.packet_payload_bytes, host) > std::numeric_limits<std::uint32_t>::max()) {
        throw OptionError("a packet takes more than 4.29 ms at the " + std::to_string(host) +
                          " bytes/s of DMA and memory");
    }
    if (transfer_ps(timing.full_packet_bytes(), nic_bandwidth_bytes_per_s_) >
        std::numeric_limits<std::uint32_t>::max()) {
        throw OptionError("a packet takes more than 4.29 ms at the NIC's " +
                          std::to_string(nic_bandwidth_bytes_per_s_) + " bytes/s");
    }
}

std::int64_t PacketPorts::most_payload_downstream(LinkId link) const {
    return most_payload_of(link_target_[link.index()]);
}

std::int64_t PacketPorts::most_payload_of(VertexId router) const {
    const std::span<const PortClass> routers = topology_->router_classes();
    if (routers.empty()) return kNoLimit;
    const PortClass& router_class = routers[topology_->class_of_router(router)];
    return router_class.store ? router_class.store->most_payload_bytes.value_or(kNoLimit) : kNoLimit;
}

void PacketPorts::add_output(const PacketTiming& timing, std::int64_t bandwidth_bytes_per_s,
                             std::int64_t full_packet_bytes, const LinkPassage& passage,
                             const PortClass* router_downstream) {
    Class port;
    port.buffer_packets = timing.options().buffer_packets;
    if (router_downstream != nullptr && router_downstream->store) {
        port.stores = true;
        port.buffer_packets = entries_of(*router_downstream, timing);
        port.delay_ps = router_downstream->store->delay_ps;
        port.timer_ps = router_downstream->store->timer_ps;
    }
    port.bandwidth_bytes_per_s = passage.switch_bandwidth_bytes_per_s == 0
                                     ? bandwidth_bytes_per_s
                                     : std::min(bandwidth_bytes_per_s, passage.switch_bandwidth_bytes_per_s);
    port.latency_ps = passage.latency_ps;
    port.packet_time_ps = passage.packet_time_ps;
    port.bus_bytes_per_s = passage.bus_bytes_per_s;
    port.full_packet_ps = transfer_ps(full_packet_bytes, port.bandwidth_bytes_per_s);
    if (port.full_packet_ps > std::numeric_limits<std::uint32_t>::max()) {
        throw OptionError("a packet of " + std::to_string(full_packet_bytes) + " bytes takes more than 4.29 ms at " +
                              std::to_string(port.bandwidth_bytes_per_s) + " bytes/s",
                          "use smaller packets (packet.payload, or the mtu of a bridge)");
    }
    // Neighbouring links mostly share a class, so search backwards.
    const auto found = std::find(classes_.rbegin(), classes_.rend(), port);
    std::size_t index = classes_.size();
    if (found != classes_.rend()) {
        index = static_cast<std::size_t>(classes_.rend() - found) - 1;
    } else {
        classes_.push_back(port);
    }
    if (index > std::numeric_limits<std::uint16_t>::max()) {
        throw UnsupportedError("the packet simulator supports at most 65,536 different kinds of links");
    }
    class_of_output_.push_back(static_cast<std::uint16_t>(index));
}

void PacketPorts::find_ends(const Topology& topology) {
    link_count_ = topology.link_count();
    link_source_.resize(static_cast<std::size_t>(link_count_));
    link_target_.resize(static_cast<std::size_t>(link_count_));
    for (std::int32_t l = 0; l < link_count_; ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        const LinkEnds ends = topology.link_ends(LinkId(l));
        link_source_[static_cast<std::size_t>(l)] = ends.from;
        link_target_[static_cast<std::size_t>(l)] = ends.to;
    }
    is_host_.assign(static_cast<std::size_t>(topology.vertex_count()), 0);
    for (std::int32_t v = 0; v < topology.terminal_count(); ++v) {
        is_host_[static_cast<std::size_t>(v)] = topology.is_host(VertexId(v)) ? 1 : 0;
    }
}

}  // namespace haichi
