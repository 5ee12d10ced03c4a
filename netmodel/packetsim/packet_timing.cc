#include "netmodel/packetsim/packet_timing.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.h"
#include "netmodel/topology/bandwidth.h"

namespace haichi {

namespace {

void check_range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most, const char* unit) {
    if (value >= least && value <= most) return;
    throw OptionError(std::string(what) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
                      unit + ", not " + std::to_string(value));
}

}  // namespace

PacketTiming::PacketTiming(const PacketTimingOptions& options) : options_(options) {
    check_range("link bandwidth", options.link_bandwidth_bytes_per_s, 0, kLargestBandwidth, " bytes/s");
    check_range("switch bandwidth", options.switch_bandwidth_bytes_per_s, 0, kLargestBandwidth, " bytes/s");
    check_range("NIC bandwidth", options.nic_bandwidth_bytes_per_s, 0, kLargestBandwidth, " bytes/s");
    check_range("packet time of a NIC", options.nic_packet_ps, 0, kLongestLatencyPs, " ps");
    check_range("routing time", options.routing_ps, 0, kLongestLatencyPs, " ps");
    check_range("VC allocation time", options.vc_allocation_ps, 0, kLongestLatencyPs, " ps");
    check_range("switch allocation time", options.switch_allocation_ps, 0, kLongestLatencyPs, " ps");
    check_range("switch latency", options.switch_latency_ps, 0, kLongestLatencyPs, " ps");
    check_range("cable latency", options.cable_latency_ps, 0, kLongestLatencyPs, " ps");
    check_range("host cable latency", options.host_cable_latency_ps, 0, kLongestLatencyPs, " ps");
    check_range("packet payload", options.packet_payload_bytes, 1, kLargestPacketBytes, " bytes");
    check_range("packet header", options.packet_header_bytes, 0, kLargestPacketBytes, " bytes");
    check_range("payload and header of a packet", full_packet_bytes(), 1, kLargestPacketBytes, " bytes");
    check_range("buffer of a virtual channel", options.buffer_packets, 1, kMostBufferPackets, " packets");
    if (options.virtual_channels != 0)
        check_range("number of virtual channels", options.virtual_channels, 1, kMostVirtualChannels, "");
    check_range("number of NICs of a node", options.nics, 1, kMostNics, "");
    check_range("DMA bandwidth", options.dma_bandwidth_bytes_per_s, 0, kLargestBandwidth, " bytes/s");
    check_range("memory bandwidth", options.memory_bandwidth_bytes_per_s, 0, kLargestBandwidth, " bytes/s");
    check_range("shared-memory latency", options.shared_memory_latency_ps, 0, kLongestLatencyPs, " ps");
    check_range("shared-memory bandwidth", options.shared_memory_bandwidth_bytes_per_s, 0, kLargestBandwidth,
                " bytes/s");
    for (const std::int64_t bandwidth : {options.dma_bandwidth_bytes_per_s, options.memory_bandwidth_bytes_per_s}) {
        if (bandwidth == 0) continue;
        host_bandwidth_bytes_per_s_ =
            host_bandwidth_bytes_per_s_ == 0 ? bandwidth : std::min(host_bandwidth_bytes_per_s_, bandwidth);
    }
    router_latency_ps_ =
        options.routing_ps + options.vc_allocation_ps + options.switch_allocation_ps + options.switch_latency_ps;
}

void check_packet_count(const PacketTiming& timing, std::int64_t message_bytes) {
    const std::int64_t packets = timing.packet_count(message_bytes);
    if (packets <= kMostPacketsOfMessage) return;
    throw UnsupportedError("a message of " + std::to_string(message_bytes) + " bytes has " + std::to_string(packets) +
                               " packets; at most " + std::to_string(kMostPacketsOfMessage) + " can be simulated",
                           "simulate a part of it, as with §message-size 1GiB, and scale the time");
}

void refuse_too_late() {
    throw UnsupportedError("the simulated time exceeds the maximum of " + std::to_string(kLongestSimulationPs) + " ps",
                           "check computation times, latencies, message sizes and bandwidths");
}

std::int64_t long_transfer_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s) {
    // Splits off whole seconds, so that the product of the rest and 10^12 stays below 2^127.
    constexpr std::int64_t kPsPerS = 1'000'000'000'000;
    constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kPsPerS - 1;
    const std::int64_t seconds = std::min(bytes / bandwidth_bytes_per_s, kMostSeconds);
    __extension__ using Wide = unsigned __int128;
    const auto rate = static_cast<Wide>(bandwidth_bytes_per_s);
    const Wide product = static_cast<Wide>(bytes % bandwidth_bytes_per_s) * kPsPerS;
    return seconds * kPsPerS + static_cast<std::int64_t>((product + rate - 1) / rate);
}

}  // namespace haichi
