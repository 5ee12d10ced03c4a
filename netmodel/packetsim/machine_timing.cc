#include "netmodel/packetsim/machine_timing.h"

#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

/// Replaces `target` when the machine has a value, which must be in range.
template <class Value>
void take(const Machine& machine, const char* key, const std::optional<Value>& stated, std::int64_t least,
          std::int64_t most, const char* unit, Value& target) {
    if (!stated) return;
    if (*stated < least || *stated > most) {
        throw OptionError("'" + std::string(key) + "' of machine " + machine.name + " is " + std::to_string(*stated) +
                              unit + ", which the packet simulator cannot have",
                          "it takes " + std::to_string(least) + " to " + std::to_string(most) + unit);
    }
    target = *stated;
}

}  // namespace

PacketTimingOptions packet_timing_of(const Machine& machine) {
    if (machine.link_bandwidth_bytes_per_s < 1) {
        throw OptionError("machine " + machine.name + " lacks 'link.bandwidth', which a simulation needs",
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
    bandwidth("router.bandwidth", router.bandwidth_bytes_per_s, options.switch_bandwidth_bytes_per_s);
    bandwidth("node.nic_bandwidth", machine.node.nic_bandwidth_bytes_per_s, options.nic_bandwidth_bytes_per_s);
    const auto& node = machine.node;
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
    return options;
}

}  // namespace haichi
