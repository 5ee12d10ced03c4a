#include "netmodel/packetsim/packet_machine.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/errors.h"

namespace haichi {

namespace {

/// Size of a cache of this computer, or `guess` if the system does not report it.
std::int64_t cache_bytes(int name, std::int64_t guess) {
    const long bytes = sysconf(name);
    return bytes > 0 ? bytes : guess;
}

}  // namespace

PacketMachine::PacketMachine(const Network& of_network, const PacketTiming& of_timing, const Division& division)
    : network(&of_network),
      timing(of_timing),
      virtual_channels(of_network),
      vcs(virtual_channels.count(of_timing.options().virtual_channels)),
      ports(of_network, of_timing, vcs),
      steps(of_network.routes().steps()),
      buffer_packets(of_timing.options().buffer_packets),
      nics_per_node(of_timing.options().nics),
      first_injection_buffer(ports.link_count() * vcs) {
    find_lookahead();
    lookahead_ps = std::min(lookahead_ps, division.shortest_client_latency_ps);
    const int wanted = division.partitions == 0 ? partitions_by_size(division.threads) : division.partitions;
    blocks = divide_machine(*network, ports, lookahead_ps > 0 ? wanted : 1);
    number_ports();
    take_memory();
    local_routers_.resize(static_cast<std::size_t>(ports.vertex_count()));
    build_routers();
    for (int p = 0; p < blocks.count; ++p) {
        find_turns(p);
        number_nics(parts[static_cast<std::size_t>(p)]);
        build_ports(p);
        build_inputs(parts[static_cast<std::size_t>(p)]);
    }
    if (blocks.count > 1) join_cut_links();
}

void PacketMachine::find_lookahead() {
    lookahead_ps = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        const VertexId from = ports.link_source()[static_cast<std::size_t>(l)];
        const VertexId to = ports.link_target()[static_cast<std::size_t>(l)];
        if (!from.valid() || ports.is_host(from) || ports.is_host(to)) continue;
        lookahead_ps = std::min(lookahead_ps, class_of_output(OutputId(l)).latency_ps);
    }
}

/// Returns 1 if the state fits half of the last-level cache, which other programs also use. Otherwise, returns enough
/// partitions that each takes about half of the second-level cache. The number is then a multiple of `threads`.
int PacketMachine::partitions_by_size(int threads) const {
    const std::int64_t second_level_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::int64_t{1} << 20);
    const std::int64_t last_level_bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE, std::int64_t{16} << 20);
    constexpr std::int64_t kPacketsPerNode = 8;
    const std::int64_t bytes =
        std::int64_t{ports.output_count()} * static_cast<std::int64_t>(PartitionState::port_bytes(vcs)) +
        std::int64_t{network->node_count()} * kPacketsPerNode * static_cast<std::int64_t>(sizeof(Packet));
    std::int64_t wanted = 1;
    if (bytes > last_level_bytes / 2) wanted = bytes / (second_level_bytes / 2) + 1;
    wanted = (wanted + threads - 1) / threads * threads;
    return static_cast<int>(std::min<std::int64_t>(wanted, MachineBlocks::kMostBlocks));
}

VertexId PacketMachine::source_of(std::int32_t link) const {
    return steps ? VertexId(link / steps->links_per_vertex()) : ports.link_source()[static_cast<std::size_t>(link)];
}

void PacketMachine::number_ports() {
    parts.resize(static_cast<std::size_t>(blocks.count));
    for (PartitionState& part : parts) {
        part.vcs = vcs;
        part.buffer_packets = buffer_packets;
        part.nics_per_node = nics_per_node;
        part.set_port_bytes();
    }
    for (std::int32_t l = 0; l < ports.link_count(); ++l) {
        const VertexId from = source_of(l);
        if (!from.valid()) continue;
        // With GridSteps all links of a router are ports, so that their numbers are consecutive.
        parts[static_cast<std::size_t>(partition_of(from))].links.emplace_back(l);
        const VertexId to = ports.link_target()[static_cast<std::size_t>(l)];
        if (to.valid() && partition_of(from) != partition_of(to)) {
            parts[static_cast<std::size_t>(partition_of(to))].links.emplace_back(l);
        }
    }
    local_nodes.resize(static_cast<std::size_t>(network->node_count()));
    for (std::int32_t n = 0; n < network->node_count(); ++n) {
        PartitionState& part = parts[static_cast<std::size_t>(partition_of(NodeId(n)))];
        local_nodes[static_cast<std::size_t>(n)] = LocalNodeId(part.nodes.size());
        part.nodes.emplace_back(n);
    }
    for (PartitionState& part : parts) {
        part.links.shrink_to_fit();
        part.hosts.resize(part.nodes.size());
        part.nics.resize(part.nodes.size() * static_cast<std::size_t>(nics_per_node));
    }
}

void PacketMachine::take_memory() {
    std::size_t port_bytes = 0;
    std::size_t entries = 0;
    const auto entries_of = [this](PartitionState& part) {
        auto all = static_cast<std::size_t>(part.port_count()) * static_cast<std::size_t>(vcs * buffer_packets);
        part.own_entries.clear();
        for (std::int32_t i = 0; i < part.link_count(); ++i) {
            const LinkId link = part.links[static_cast<std::size_t>(i)];
            if (!ports.link_target()[link.index()].valid() || !class_of_output(OutputId(link.value)).stores) continue;
            part.own_entries.push_back({PortId(i), all, class_of_output(OutputId(link.value)).buffer_packets});
            all += static_cast<std::size_t>(vcs) * static_cast<std::size_t>(part.own_entries.back().entries);
        }
        return all;
    };
    for (PartitionState& part : parts) {
        port_bytes += static_cast<std::size_t>(part.port_count()) * PartitionState::port_bytes(vcs);
        entries += entries_of(part);
    }
    port_memory_ = ZeroedArray<std::byte>(port_bytes);
    packet_memory_ = ZeroedArray<Packet>(entries);
    const bool has_ages = timing.options().arbiter == Arbiter::kOldestFirst;
    entered_memory_ = ZeroedArray<std::int64_t>(has_ages ? entries : 0);
    credit_memory_ = ZeroedArray<std::int64_t>(entries);
    // A smaller array uses pages of 4 KiB; untouched pages take no memory.
    constexpr std::size_t kLeastBytesOfHugePages = std::size_t{32} << 20;
    if (port_memory_.bytes() + packet_memory_.bytes() + credit_memory_.bytes() >= kLeastBytesOfHugePages) {
        port_memory_.use_huge_pages();
        packet_memory_.use_huge_pages();
        credit_memory_.use_huge_pages();
    }
    std::size_t first_byte = 0;
    std::size_t first_entry = 0;
    for (PartitionState& part : parts) {
        const std::size_t bytes = static_cast<std::size_t>(part.port_count()) * PartitionState::port_bytes(vcs);
        part.ports = port_memory_.slice(first_byte, bytes);
        const std::size_t own = entries_of(part);
        part.packets = packet_memory_.slice(first_entry, own);
        if (has_ages) part.entered_ps = entered_memory_.slice(first_entry, own);
        part.credits = credit_memory_.slice(first_entry, own);
        first_byte += bytes;
        first_entry += own;
    }
}

void PacketMachine::build_routers() {
    for (std::int32_t v = 0; v < ports.vertex_count(); ++v) {
        PartitionState& part = parts[static_cast<std::size_t>(partition_of(VertexId(v)))];
        local_routers_[static_cast<std::size_t>(v)] = static_cast<std::uint32_t>(part.routers.size());
        PacketRouter& router = part.routers.emplace_back();
        router.vertex = VertexId(v);
        if (!steps) continue;
        router.position = steps->position(VertexId(v));
        router.first_port = part.port_of(LinkId(v * steps->links_per_vertex()));
    }
}

void PacketMachine::number_nics(PartitionState& part) {
    for (auto node = part.nodes.size(); node-- > 0;) {
        PacketRouter& router = part.routers[local_routers_[network->vertex(part.nodes[node]).index()]];
        router.first_ejection = part.port_of(part.nic_of(LocalNodeId(node), 0));
    }
    for (NicId nic(0); nic.index() < part.nics.size(); ++nic.value) {
        const NodeId node = part.nodes[part.node_of(nic).index()];
        part.nics[nic.index()].turn = part.routers[local_routers_[network->vertex(node).index()]].turn;
    }
}

/// Gives each router its own turn. Nodes without a router share a turn with their switches, since nothing takes time
/// between them.
void PacketMachine::find_turns(int p) {
    PartitionState& part = parts[static_cast<std::size_t>(p)];
    part.turns = 1;
    if (lookahead_ps == 0) return;
    std::vector<std::uint32_t> joined(part.routers.size());
    std::iota(joined.begin(), joined.end(), 0U);
    const auto root = [&joined](std::uint32_t r) {
        while (joined[r] != r) r = joined[r] = joined[joined[r]];
        return r;
    };
    // Visits only the links of this partition. Visiting all links of the machine for each partition would take
    // quadratic time.
    for (const LinkId link : part.links) {
        const VertexId from = ports.link_source()[link.index()];
        const VertexId to = ports.link_target()[link.index()];
        if (!from.valid() || (!ports.is_host(from) && !ports.is_host(to)) || partition_of(from) != p) continue;
        const std::uint32_t a = root(local_routers_[from.index()]);
        const std::uint32_t b = root(local_routers_[to.index()]);
        joined[std::max(a, b)] = std::min(a, b);
    }
    std::uint32_t turns = 0;
    for (std::uint32_t r = 0; r < joined.size(); ++r) {
        part.routers[r].turn = root(r) == r ? turns++ : part.routers[root(r)].turn;
    }
    part.turns = turns;
}

void PacketMachine::build_ports(int p) {
    PartitionState& part = parts[static_cast<std::size_t>(p)];
    for (PortId i(0); i.value < part.port_count(); ++i.value) {
        PacketPort& port = part.port(i) = PacketPort();
        for (std::int32_t vc = 0; vc < vcs; ++vc) part.buffer(i, vc) = {};
        if (part.is_ejection(i)) {
            const NodeId node = part.nodes[part.node_of(part.nic_of(i)).index()];
            port.from_router = port.to_router = local_routers_[network->vertex(node).index()];
            port.to_turn = part.routers[port.to_router].turn;
            port.port_class = ports.class_of_output()[output_number(part, i).index()];
            continue;
        }
        const std::size_t link = part.links[i.index()].index();
        const VertexId from = ports.link_source()[link];
        const VertexId to = ports.link_target()[link];
        if (!to.valid()) continue;
        port.port_class = ports.class_of_output()[link];
        port.has_own_entries = class_of(port).stores ? 1 : 0;
        if (partition_of(to) == p) {
            port.to_router = local_routers_[to.index()];
            port.to_turn = part.routers[port.to_router].turn;
        } else {
            port.cut = PacketPort::Cut::kOut;
        }
        if (partition_of(from) == p) {
            port.from_router = local_routers_[from.index()];
            port.shares_bus = class_of(port).bus_bytes_per_s != 0 ? 1 : 0;
            if (port.shares_bus != 0) part.buses[port.from_router].push_back(i);
        } else {
            port.cut = PacketPort::Cut::kIn;
        }
    }
}

/// Numbers the input buffers of every router.
void PacketMachine::build_inputs(PartitionState& part) const {
    const auto for_inputs = [&](const auto& visit) {
        for (PortId i(0); i.value < part.port_count(); ++i.value) {
            const PacketPort& port = part.port(i);
            if (port.to_router == PacketPort::kNoRouter) continue;
            const std::int32_t count = part.is_ejection(i) ? 1 : vcs;
            for (std::int32_t vc = 0; vc < count; ++vc) visit(port.to_router, PacketPort::buffer(i, vc));
        }
    };
    std::vector<std::uint32_t> first(part.routers.size() + 1, 0);
    for_inputs([&](std::uint32_t router, BufferId) { ++first[router + 1]; });
    const std::uint32_t most = *std::ranges::max_element(first);
    if (most > std::numeric_limits<std::uint16_t>::max()) {
        throw UnsupportedError(
            "a router with " + std::to_string(most) + " input buffers is too large for the packet simulator",
            "use at most 65,535 input buffers per router (links times virtual channels)");
    }
    for (std::size_t r = 0; r < part.routers.size(); ++r) {
        first[r + 1] += first[r];
        part.routers[r].first_buffer = first[r];
    }
    part.buffers_of_routers.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for_inputs([&](std::uint32_t router, BufferId buffer) {
        part.buffer(buffer).number = static_cast<std::uint16_t>(next[router] - first[router]);
        part.buffers_of_routers[next[router]++] = buffer;
    });
    part.words_per_row = (most + 63) / 64;
    if (part.words_per_row > 1) {
        part.wide_waiting.resize(static_cast<std::size_t>(part.port_count() * vcs) * part.words_per_row);
    }
    for (PortId i(0); i.value < part.port_count(); ++i.value) {
        PacketPort& port = part.port(i);
        if (port.from_router == PacketPort::kNoRouter) continue;
        // The first round of round robin starts at the buffer with the lowest number.
        port.last_granted = static_cast<std::uint16_t>(first[port.from_router + 1] - first[port.from_router] - 1);
    }
}

void PacketMachine::join_cut_links() {
    const auto for_cuts = [this](const auto& visit) {
        for (int p = 0; p < blocks.count; ++p) {
            PartitionState& part = parts[static_cast<std::size_t>(p)];
            for (PortId i(0); i.value < part.link_count(); ++i.value) {
                PacketPort& port = part.port(i);
                if (port.cut == PacketPort::Cut::kNone) continue;
                const LinkId link = part.links[i.index()];
                const bool is_out = port.cut == PacketPort::Cut::kOut;
                const std::vector<VertexId>& ends = is_out ? ports.link_target() : ports.link_source();
                visit(part, port, link, partition_of(ends[link.index()]));
            }
        }
    };
    for_cuts([](PartitionState& part, PacketPort&, LinkId, int peer) {
        if (std::ranges::find(part.neighbours, peer, &PartitionState::Neighbour::partition) == part.neighbours.end()) {
            part.neighbours.push_back({peer, {}});
        }
    });
    for (PartitionState& part : parts) {
        std::ranges::sort(part.neighbours, {}, &PartitionState::Neighbour::partition);
    }
    for_cuts([this](PartitionState& part, PacketPort& port, LinkId link, int peer) {
        const auto at = std::ranges::lower_bound(part.neighbours, peer, {}, &PartitionState::Neighbour::partition);
        port.channel = static_cast<std::uint16_t>(at - part.neighbours.begin());
        port.peer_port = parts[static_cast<std::size_t>(peer)].port_of(link);
    });
}

OutputId PacketMachine::output_number(const PartitionState& at, PortId port) const {
    if (!at.is_ejection(port)) return OutputId(at.links[port.index()].value);
    const NicId nic = at.nic_of(port);
    const NodeId node = at.nodes[at.node_of(nic).index()];
    return OutputId(ports.link_count() + node.value * nics_per_node + nic.value % nics_per_node);
}

InputId PacketMachine::buffer_number(const PartitionState& at, BufferId buffer) const {
    const OutputId output = output_number(at, PacketPort::port_of(buffer));
    if (!is_ejection(output)) return InputId(output.value * vcs + PacketPort::vc_of(buffer));
    return InputId(first_injection_buffer + nic_of(output).value);
}

const PacketPort& PacketMachine::port_of_output(OutputId output) const {
    if (!is_ejection(output)) {
        const PartitionState& part = parts[static_cast<std::size_t>(partition_of(source_of(output.value)))];
        return part.port(part.port_of(LinkId(output.value)));
    }
    const auto [part, port] = ejection_of(nic_of(output));
    return part.port(port);
}

std::pair<const PartitionState&, PortId> PacketMachine::ejection_of(MachineNicId nic) const {
    const NodeId node = node_of(nic);
    const PartitionState& part = parts[static_cast<std::size_t>(partition_of(node))];
    return {part, part.port_of(part.nic_of(local_node(node), number_of(nic)))};
}

std::int32_t PacketMachine::packets_waiting(InputId buffer) const {
    if (is_injection(buffer)) {
        const auto [part, port] = ejection_of(nic_of(buffer));
        return part.buffer(port, 0).count;
    }
    const LinkId link(buffer.value / vcs);
    const VertexId to = ports.link_target()[link.index()];
    if (!to.valid()) return 0;
    const PartitionState& part = parts[static_cast<std::size_t>(partition_of(to))];
    return part.buffer(part.port_of(link), buffer.value % vcs).count;
}

std::size_t PacketMachine::memory_bytes() const {
    std::size_t bytes =
        local_nodes.capacity() * sizeof(LocalNodeId) + blocks.block_of_vertex.capacity() * sizeof(std::uint16_t);
    for (const PartitionState& part : parts) bytes += part.memory_bytes();
    return bytes;
}

}  // namespace haichi
