#pragma once

#include <cstdint>

namespace haichi {

/// What the packet simulator has to know of a machine besides its network, as users state it.
struct PacketTimingOptions {
    std::int64_t link_bandwidth_bytes_per_s = 0;    ///< of every link; 0: each as the Network says
    std::int64_t switch_bandwidth_bytes_per_s = 0;  ///< of a passage through a router; 0: no limit
    std::int64_t nic_bandwidth_bytes_per_s = 0;     ///< injection and ejection; 0: that of the fastest link
    std::int64_t routing_ps = 0;
    std::int64_t vc_allocation_ps = 0;
    std::int64_t switch_allocation_ps = 0;
    std::int64_t switch_latency_ps = 0;
    std::int64_t cable_latency_ps = 0;
    std::int64_t packet_payload_bytes = 2048;  ///< the MTU: most payload of a packet
    std::int64_t packet_header_bytes = 0;
    std::int32_t buffer_packets = 8;  ///< of one virtual channel of one input
    std::int32_t virtual_channels = 2;
};

/// The timing of packets, checked. Durations are integer picoseconds. A value.
class PacketTiming {
  public:
    static constexpr std::int64_t kLongestLatencyPs = 1'000'000'000'000;
    static constexpr std::int64_t kLargestPacketBytes = std::int64_t{1} << 24;
    static constexpr std::int32_t kMostBufferPackets = 4096;
    static constexpr std::int32_t kMostVirtualChannels = 8;

    /// Throws OptionError for negative values, those beyond the limits above, and packets without payload.
    explicit PacketTiming(const PacketTimingOptions& options);

    [[nodiscard]] const PacketTimingOptions& options() const { return options_; }
    /// Routing, allocation and switch: what a passage takes besides the cable.
    [[nodiscard]] std::int64_t router_latency_ps() const { return router_latency_ps_; }
    [[nodiscard]] std::int64_t cable_latency_ps() const { return options_.cable_latency_ps; }
    /// Payload and header of a packet that is not the last of its message.
    [[nodiscard]] std::int64_t full_packet_bytes() const {
        return options_.packet_payload_bytes + options_.packet_header_bytes;
    }
    /// The packets a message is cut into: a message of 0 bytes is one packet of a header only.
    [[nodiscard]] std::int64_t packet_count(std::int64_t message_bytes) const {
        return message_bytes == 0 ? 1 : (message_bytes - 1) / options_.packet_payload_bytes + 1;
    }
    /// Payload and header of the last packet of a message.
    [[nodiscard]] std::int64_t last_packet_bytes(std::int64_t message_bytes) const {
        return message_bytes - (packet_count(message_bytes) - 1) * options_.packet_payload_bytes +
               options_.packet_header_bytes;
    }

  private:
    PacketTimingOptions options_;
    std::int64_t router_latency_ps_ = 0;
};

/// Time that `bytes` (at most PacketTiming::kLargestPacketBytes) take, rounded up to a picosecond.
[[nodiscard]] constexpr std::int64_t transfer_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s) {
    constexpr std::uint64_t kPsPerS = 1'000'000'000'000;  // times 2^24 bytes is below 2^64
    const auto rate = static_cast<std::uint64_t>(bandwidth_bytes_per_s);
    const std::uint64_t product = static_cast<std::uint64_t>(bytes) * kPsPerS;
    return static_cast<std::int64_t>(product / rate + (product % rate != 0 ? 1 : 0));
}

}  // namespace haichi
