#include "netmodel/machine/machine_parameters.h"

#include "base/quantity.h"
#include "netmodel/topology/machine_section.h"

namespace haichi {

namespace {

std::int64_t parse_positive_bytes(std::string_view text, const SourcePlace& place) {
    const std::int64_t bytes = parse_bytes(text, place);
    if (bytes == 0) throw InputError(place, "size " + shown(text) + " must be positive");
    return bytes;
}

/// Parses "8 packets".
std::int32_t parse_buffer(const std::string& text, const SourcePlace& place) {
    const auto blank = text.find(' ');
    const std::string unit = blank == std::string::npos ? "" : text.substr(blank + 1);
    if (unit != "packets" && unit != "packet") {
        throw InputError(place, "expected a number of packets, found " + shown(text), "an example is '8 packets'");
    }
    constexpr std::int64_t kMostPackets = 1 << 20;
    const std::int64_t packets = parse_count(text.substr(0, blank), kMostPackets, place);
    if (packets == 0) throw InputError(place, "invalid buffer: " + shown(text) + " (the least is 1 packet)");
    return static_cast<std::int32_t>(packets);
}

/// Parses one of a few words; empty if the key is absent.
std::optional<std::string> parse_word(const MachineSection& section, const std::string& key,
                                      const std::vector<std::string>& words) {
    if (!section.has(key)) return std::nullopt;
    std::string word = section.text(key);
    if (std::ranges::find(words, word) != words.end()) return word;
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        all.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
    }
    throw InputError(section.place(key), "unknown " + key + " " + shown(word), "use " + all);
}

void parse_router(const LocatedJson& file, Machine::Router& router) {
    if (!file.has("router")) return;
    const MachineSection section(file, "/router",
                                 {"routing_time", "vc_allocation_time", "switch_allocation_time", "switch_latency",
                                  "bandwidth", "virtual_channels", "buffer", "arbiter"});
    section.quantity("routing_time", parse_time_ps, router.routing_time_ps);
    section.quantity("vc_allocation_time", parse_time_ps, router.vc_allocation_time_ps);
    section.quantity("switch_allocation_time", parse_time_ps, router.switch_allocation_time_ps);
    section.quantity("switch_latency", parse_time_ps, router.switch_latency_ps);
    section.quantity("bandwidth", parse_positive_bandwidth, router.bandwidth_bytes_per_s);
    if (section.has("virtual_channels")) router.virtual_channels = section.integer("virtual_channels", 1, 64);
    if (section.has("buffer")) router.buffer_packets = parse_buffer(section.text("buffer"), section.place("buffer"));
    router.arbiter = parse_word(section, "arbiter", {"round-robin", "oldest-first", "fixed-priority"});
}

void parse_node(const LocatedJson& file, Machine::Node& node) {
    if (!file.has("node")) return;
    const MachineSection section(file, "/node",
                                 {"nics",
                                  "nic_bandwidth",
                                  "nic_packet_time",
                                  "nic_order",
                                  "dma_bandwidth",
                                  "shared_bus",
                                  "memory_bandwidth",
                                  "shared_memory_latency",
                                  "shared_memory_bandwidth",
                                  "mpi_call_overhead",
                                  "eager_overhead",
                                  "rendezvous_overhead",
                                  "rendezvous_round_trips",
                                  "rdma_overhead",
                                  "eager_limit",
                                  "send_copy",
                                  "sends",
                                  "send_buffer",
                                  "barrier",
                                  "barrier_step",
                                  "barrier_groups",
                                  "trunk",
                                  "trunk_from",
                                  "slots",
                                  "progress"});
    if (section.has("nics")) node.nics = section.integer("nics", 1, 64);
    section.quantity("nic_bandwidth", parse_positive_bandwidth, node.nic_bandwidth_bytes_per_s);
    section.quantity("nic_packet_time", parse_time_ps, node.nic_packet_time_ps);
    node.nic_order = parse_word(section, "nic_order", {"messages", "packets"});
    // The DMA of a node serves both directions, so it is the bus.
    section.quantity("dma_bandwidth", parse_positive_bandwidth, node.dma_bandwidth_bytes_per_s);
    if (section.has("shared_bus") && node.dma_bandwidth_bytes_per_s) {
        throw InputError(section.place("shared_bus"), "'shared_bus' cannot be combined with 'dma_bandwidth'",
                         "state the lower of the two as 'shared_bus'");
    }
    section.quantity("shared_bus", parse_positive_bandwidth, node.dma_bandwidth_bytes_per_s);
    section.quantity("memory_bandwidth", parse_positive_bandwidth, node.memory_bandwidth_bytes_per_s);
    section.quantity("shared_memory_latency", parse_time_ps, node.shared_memory_latency_ps);
    section.quantity("shared_memory_bandwidth", parse_positive_bandwidth, node.shared_memory_bandwidth_bytes_per_s);
    section.quantity("mpi_call_overhead", parse_time_ps, node.mpi_call_overhead_ps);
    section.quantity("eager_overhead", parse_time_ps, node.eager_overhead_ps);
    section.quantity("rendezvous_overhead", parse_time_ps, node.rendezvous_overhead_ps);
    section.quantity("rdma_overhead", parse_time_ps, node.rdma_overhead_ps);
    section.quantity("eager_limit", parse_bytes, node.eager_limit_bytes);
    node.send_copy = parse_word(section, "send_copy", {"eager", "always", "never"});
    if (section.has("rendezvous_round_trips")) {
        node.rendezvous_round_trips = section.integer("rendezvous_round_trips", 1, 64);
    }
    node.sends = parse_word(section, "sends", {"overlap", "one-by-one"});
    section.quantity("send_buffer", parse_positive_bytes, node.send_buffer_bytes);
    section.quantity("barrier", parse_time_ps, node.barrier_ps);
    section.quantity("barrier_step", parse_time_ps, node.barrier_step_ps);
    if (section.has("barrier_groups")) node.barrier_groups = section.integer("barrier_groups", 1, 1 << 20);
    if (section.has("trunk")) node.trunk = section.integer("trunk", 1, 64);
    if (node.trunk > node.nics) {
        throw InputError(
            section.place("trunk"),
            "invalid 'trunk': " + std::to_string(node.trunk) + " (a node has " + std::to_string(node.nics) + " NICs)",
            "use at most the value of 'nics'");
    }
    section.quantity("trunk_from", parse_bytes, node.trunk_from_bytes);
    if (section.has("slots")) node.slots = section.integer("slots", 1, 1 << 16);
    node.progress = parse_word(section, "progress", {"nic", "calls"}).value_or("nic");
}

void parse_packet(const LocatedJson& file, Machine& machine) {
    if (!file.has("packet")) return;
    const MachineSection packet(file, "/packet", {"payload", "header"});
    packet.quantity("payload", parse_positive_bytes, machine.packet_payload_bytes);
    packet.quantity("header", parse_bytes, machine.packet_header_bytes);
}

}  // namespace

void parse_machine_parameters(const LocatedJson& file, Machine& machine) {
    parse_router(file, machine.router);
    parse_packet(file, machine);
    parse_node(file, machine.node);
}

}  // namespace haichi
