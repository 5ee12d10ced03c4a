#include "netmodel/machine/machine_parameters.h"

#include <algorithm>
#include <limits>

#include "base/quantity.h"
#include "netmodel/topology/machine_section.h"

namespace haichi {

namespace {

constexpr std::int64_t kLargestPacket = 1 << 24;
constexpr QuantityRange kPayloads{parse_bytes, 1, kLargestPacket, "1 B to 16 MiB"};
constexpr QuantityRange kHeaders{parse_bytes, 0, kLargestPacket, "0 B to 16 MiB"};
constexpr QuantityRange kSendBuffers{parse_bytes, 1, std::int64_t{1} << 48, "1 B to 256 TiB"};

/// Parses "8 packets".
std::int64_t parse_packets(std::string_view text, const SourcePlace& place) {
    const auto blank = text.find(' ');
    const std::string_view unit = blank == std::string_view::npos ? "" : text.substr(blank + 1);
    if (unit != "packets" && unit != "packet") {
        throw InputError(place, "expected a number of packets, found " + shown(text), "an example is '8 packets'");
    }
    return parse_count(text.substr(0, blank), std::numeric_limits<std::int32_t>::max(), place);
}
constexpr QuantityRange kPacketBuffers{parse_packets, 1, 1 << 20, "1 packet to 1048576 packets"};

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
    throw section.error(key, "unknown word " + shown(word), "use " + all);
}

void parse_router(const LocatedJson& file, Machine::Router& router) {
    if (!file.has("router")) return;
    const MachineSection section(file, "/router",
                                 {"routing_time", "vc_allocation_time", "switch_allocation_time", "switch_latency",
                                  "bandwidth", "virtual_channels", "buffer", "arbiter"});
    section.quantity("routing_time", kTimes, router.routing_time_ps);
    section.quantity("vc_allocation_time", kTimes, router.vc_allocation_time_ps);
    section.quantity("switch_allocation_time", kTimes, router.switch_allocation_time_ps);
    section.quantity("switch_latency", kTimes, router.switch_latency_ps);
    section.quantity("bandwidth", kBandwidths, router.bandwidth_bytes_per_s);
    if (section.has("virtual_channels")) router.virtual_channels = section.integer("virtual_channels", 1, 64);
    if (section.has("buffer")) {
        router.buffer_packets = static_cast<std::int32_t>(section.quantity("buffer", kPacketBuffers));
    }
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
    section.quantity("nic_bandwidth", kBandwidths, node.nic_bandwidth_bytes_per_s);
    section.quantity("nic_packet_time", kTimes, node.nic_packet_time_ps);
    node.nic_order = parse_word(section, "nic_order", {"messages", "packets"});
    // "shared_bus" is another name for the DMA of a node, which serves both directions.
    section.quantity("dma_bandwidth", kBandwidths, node.dma_bandwidth_bytes_per_s);
    if (section.has("shared_bus") && node.dma_bandwidth_bytes_per_s) {
        throw section.error("shared_bus", "cannot be combined with 'node.dma_bandwidth'",
                            "state the lower of the two as 'node.shared_bus'");
    }
    section.quantity("shared_bus", kBandwidths, node.dma_bandwidth_bytes_per_s);
    section.quantity("memory_bandwidth", kBandwidths, node.memory_bandwidth_bytes_per_s);
    section.quantity("shared_memory_latency", kTimes, node.shared_memory_latency_ps);
    section.quantity("shared_memory_bandwidth", kBandwidths, node.shared_memory_bandwidth_bytes_per_s);
    section.quantity("mpi_call_overhead", kTimes, node.mpi_call_overhead_ps);
    section.quantity("eager_overhead", kTimes, node.eager_overhead_ps);
    section.quantity("rendezvous_overhead", kTimes, node.rendezvous_overhead_ps);
    section.quantity("rdma_overhead", kTimes, node.rdma_overhead_ps);
    section.quantity("eager_limit", kMessageSizes, node.eager_limit_bytes);
    node.send_copy = parse_word(section, "send_copy", {"eager", "always", "never"});
    if (section.has("rendezvous_round_trips")) {
        node.rendezvous_round_trips = section.integer("rendezvous_round_trips", 1, 64);
    }
    node.sends = parse_word(section, "sends", {"overlap", "one-by-one"});
    section.quantity("send_buffer", kSendBuffers, node.send_buffer_bytes);
    section.quantity("barrier", kTimes, node.barrier_ps);
    section.quantity("barrier_step", kTimes, node.barrier_step_ps);
    if (section.has("barrier_groups")) node.barrier_groups = section.integer("barrier_groups", 1, 1 << 20);
    if (section.has("trunk")) node.trunk = section.integer("trunk", 1, 64);
    if (node.trunk > node.nics) {
        throw section.error(
            "trunk",
            "invalid number: " + std::to_string(node.trunk) + " (a node has " + std::to_string(node.nics) + " NICs)",
            "use at most the value of 'node.nics'");
    }
    section.quantity("trunk_from", kMessageSizes, node.trunk_from_bytes);
    if (section.has("slots")) node.slots = section.integer("slots", 1, 1 << 16);
    node.progress = parse_word(section, "progress", {"nic", "calls"}).value_or("nic");
}

void parse_packet(const LocatedJson& file, Machine& machine) {
    if (!file.has("packet")) return;
    const MachineSection packet(file, "/packet", {"payload", "header"});
    packet.quantity("payload", kPayloads, machine.packet_payload_bytes);
    packet.quantity("header", kHeaders, machine.packet_header_bytes);
}

}  // namespace

void parse_machine_parameters(const LocatedJson& file, Machine& machine) {
    parse_router(file, machine.router);
    parse_packet(file, machine);
    parse_node(file, machine.node);
}

}  // namespace haichi
