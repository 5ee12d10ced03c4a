#include "netmodel/packetsim/packet_machine.h"

#include <algorithm>
#include <limits>

namespace haichi {

PacketMachine::PacketMachine(const Network& of_network, const PacketTiming& of_timing, int partitions)
    : network(&of_network),
      timing(of_timing),
      virtual_channels(of_network),
      vcs(virtual_channels.count(of_timing.options().virtual_channels)),
      ports(of_network, of_timing, vcs),
      buffer_packets(of_timing.options().buffer_packets),
      nics_per_node(of_timing.options().nics),
      first_injection_buffer(ports.link_count() * vcs) {
    find_lookahead();
    divide(partitions);
    messages = MessagePool(partition_count);
    steps = network->routes().steps();
    build_buffers();
    if (partition_count > 1) add_shadows();
    slots = ZeroedArray<PacketSlot>(buffers.size() * static_cast<std::size_t>(buffer_packets));
    nics.resize(static_cast<std::size_t>(network->node_count()) * static_cast<std::size_t>(nics_per_node));
    hosts.resize(static_cast<std::size_t>(network->node_count()));
}

void PacketMachine::find_lookahead() {
    lookahead_ps = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        const VertexId from = ports.link_source()[static_cast<std::size_t>(l)];
        const VertexId to = ports.link_target()[static_cast<std::size_t>(l)];
        if (!from.valid() || ports.is_host(from) || ports.is_host(to)) continue;
        const std::uint16_t port_class = ports.class_of_output()[static_cast<std::size_t>(l)];
        lookahead_ps = std::min(lookahead_ps, ports.classes()[port_class].latency_ps);
    }
}

/// Ranges of routers with about equally many input buffers, in the order of their numbers, each of
/// Topology::router_ranges() by itself: on a grid these are slabs, elsewhere neighbouring switches. A host goes with
/// its switch.
void PacketMachine::divide(int partitions) {
    constexpr int kMostPartitions = 64;
    const int most = lookahead_ps > 0 ? std::min(partitions, kMostPartitions) : 1;
    if (most <= 1) return;
    const auto vertices = static_cast<std::size_t>(ports.vertex_count());
    std::vector<std::int32_t> inputs(vertices, 0);
    for (const VertexId to : ports.link_target()) {
        if (to.valid()) ++inputs[to.index()];
    }
    std::vector<std::size_t> first_of_part;
    for (const std::int32_t first : network->topology().router_ranges()) {
        first_of_part.push_back(static_cast<std::size_t>(first));
    }
    first_of_part.push_back(vertices);
    partition_of_vertex.assign(vertices, 0);
    for (std::size_t part = 0; part + 1 < first_of_part.size(); ++part) {
        std::int64_t total = 0;
        for (std::size_t v = first_of_part[part]; v < first_of_part[part + 1]; ++v) total += inputs[v];
        std::int64_t before = 0;
        for (std::size_t v = first_of_part[part]; v < first_of_part[part + 1]; ++v) {
            const std::int64_t share = total == 0 ? 0 : before * most / total;
            partition_of_vertex[v] = static_cast<std::uint8_t>(std::min<std::int64_t>(share, most - 1));
            before += inputs[v];
        }
    }
    join_hosts();
    partition_count = most;
}

/// A host may hang on several switches of a tree: they are those of all hosts of a block, and go together.
void PacketMachine::join_hosts() {
    std::vector<std::uint8_t> is_joined(partition_of_vertex.size(), 0);
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        const VertexId from = ports.link_source()[static_cast<std::size_t>(l)];
        const VertexId to = ports.link_target()[static_cast<std::size_t>(l)];
        if (!from.valid() || !ports.is_host(from)) continue;
        std::uint8_t& of_host = partition_of_vertex[from.index()];
        if (is_joined[from.index()] == 0) of_host = partition_of_vertex[to.index()];
        is_joined[from.index()] = 1;
        partition_of_vertex[to.index()] = of_host;
    }
}

void PacketMachine::build_buffers() {
    const auto routers = static_cast<std::size_t>(ports.vertex_count());
    buffers.resize(static_cast<std::size_t>(ports.buffer_count()));
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        for (std::int32_t vc = 0; vc < vcs; ++vc) {
            buffers[static_cast<std::size_t>(buffer_behind(l, vc))].vertex =
                ports.link_target()[static_cast<std::size_t>(l)];
        }
    }
    for (std::int32_t n = 0; n < network->node_count() * nics_per_node; ++n) {
        buffers[static_cast<std::size_t>(first_injection_buffer + n)].vertex =
            network->vertex(NodeId(n / nics_per_node));
    }
    std::vector<std::uint32_t> first(routers + 1, 0);
    for (const PacketBuffer& buffer : buffers) {
        if (buffer.vertex.valid()) ++first[buffer.vertex.index() + 1];
    }
    const std::uint32_t most = *std::ranges::max_element(first);
    for (std::size_t v = 0; v < routers; ++v) first[v + 1] += first[v];
    buffers_of_routers.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        PacketBuffer& buffer = buffers[b];
        if (!buffer.vertex.valid()) continue;
        const std::uint32_t place = next[buffer.vertex.index()]++;
        buffers_of_routers[place] = static_cast<std::int32_t>(b);
        buffer.number = place - first[buffer.vertex.index()];
    }
    outputs.resize(static_cast<std::size_t>(ports.output_count()));
    waiting.emplace(outputs.size(), most);
    build_outputs(first);
}

void PacketMachine::build_outputs(const std::vector<std::uint32_t>& first_of_router) {
    for (std::int32_t o = 0; o < ports.output_count(); ++o) {
        const VertexId at = o < ports.link_count() ? ports.link_source()[static_cast<std::size_t>(o)]
                                                   : network->vertex(NodeId((o - ports.link_count()) / nics_per_node));
        PacketOutput& output = outputs[static_cast<std::size_t>(o)];
        if (!at.valid()) continue;
        output.first_buffer = first_of_router[at.index()];
        // The first turn starts at the lowest.
        output.last_granted = first_of_router[at.index() + 1] - first_of_router[at.index()] - 1;
        output.port_class = ports.class_of_output()[static_cast<std::size_t>(o)];
    }
}

std::size_t PacketMachine::memory_bytes() const {
    return outputs.capacity() * sizeof(PacketOutput) + buffers.capacity() * sizeof(PacketBuffer) + slots.bytes() +
           buffers_of_routers.capacity() * sizeof(std::int32_t) + waiting->memory_bytes() +
           nics.capacity() * sizeof(PacketNic) + hosts.capacity() * sizeof(PacketHost) + messages.memory_bytes() +
           bytes_passed.capacity() * sizeof(std::int64_t) + first_shadow_of_link.capacity() * sizeof(std::int32_t) +
           partition_of_vertex.capacity();
}

void PacketMachine::add_shadows() {
    first_shadow_of_link.assign(static_cast<std::size_t>(ports.link_count()), -1);
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        const VertexId from = ports.link_source()[static_cast<std::size_t>(l)];
        const VertexId to = ports.link_target()[static_cast<std::size_t>(l)];
        if (!from.valid() || partition_of(from) == partition_of(to)) continue;
        outputs[static_cast<std::size_t>(l)].is_cut = true;
        first_shadow_of_link[static_cast<std::size_t>(l)] = static_cast<std::int32_t>(buffers.size());
        for (std::int32_t vc = 0; vc < vcs; ++vc) {
            buffers[static_cast<std::size_t>(buffer_behind(l, vc))].is_cut = true;
            buffers.emplace_back();
        }
    }
}

}  // namespace haichi
