#pragma once

#include <cstdint>

namespace haichi {

/// The rule by which an output chooses among the packets that wait for it.
enum class Arbiter : std::uint8_t {
    kRoundRobin,     ///< the buffers take turns
    kOldestFirst,    ///< the packet that entered the network first; buffers take turns among equally old packets
    kFixedPriority,  ///< the buffer with the lowest number: links before NICs
};

/// Timing parameters of the packet simulator, as users state them; the network is separate.
struct PacketTimingOptions {
    std::int64_t link_bandwidth_bytes_per_s = 0;    ///< per link; 0 means the bandwidth in the Network
    std::int64_t switch_bandwidth_bytes_per_s = 0;  ///< bandwidth of a router; 0 means no limit
    std::int64_t nic_bandwidth_bytes_per_s = 0;     ///< injection and ejection; 0 means the rate of the fastest link
    std::int64_t nic_packet_ps = 0;                 ///< work of a NIC on each packet before it sends the packet
    std::int64_t routing_ps = 0;
    std::int64_t vc_allocation_ps = 0;
    std::int64_t switch_allocation_ps = 0;
    std::int64_t switch_latency_ps = 0;
    std::int64_t cable_latency_ps = 0;
    std::int64_t host_cable_latency_ps = 0;  ///< latency of a cable between a host and its switch
    Arbiter arbiter = Arbiter::kRoundRobin;
    std::int64_t packet_payload_bytes = 2048;  ///< the MTU: maximum payload per packet
    std::int64_t packet_header_bytes = 0;
    std::int32_t buffer_packets = 8;  ///< per virtual channel of an input
    /// 0 means as many as the routes need, at least 2 (VirtualChannels::count).
    std::int32_t virtual_channels = 2;
    std::int32_t nics = 1;  ///< per node, each with an injection and an ejection channel
    /// True if a NIC sends one packet of each of its messages in turn, instead of one message after the other.
    bool nic_interleaves_packets = false;
    /// The NICs of a node share DMA and memory: first come, first served, one packet's payload at a time, both
    /// directions.
    std::int64_t dma_bandwidth_bytes_per_s = 0;     ///< 0: no limit
    std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< 0: no limit
    /// A node copies messages to itself one after the other through its memory.
    std::int64_t shared_memory_latency_ps = 0;
    std::int64_t shared_memory_bandwidth_bytes_per_s = 0;  ///< 0: no limit
};

/// Checked timing parameters, a value. Durations are integer picoseconds.
class PacketTiming {
  public:
    static constexpr std::int64_t kLongestLatencyPs = 1'000'000'000'000;
    static constexpr std::int64_t kLargestPacketBytes = std::int64_t{1} << 24;
    static constexpr std::int32_t kMostBufferPackets = 4096;
    static constexpr std::int32_t kMostVirtualChannels = 8;
    static constexpr std::int32_t kMostNics = 64;

    /// Throws OptionError for negative values, values above these limits, and packets without payload.
    explicit PacketTiming(const PacketTimingOptions& options);

    [[nodiscard]] const PacketTimingOptions& options() const { return options_; }
    /// Latency of a hop without the cable: routing, allocation and switch.
    [[nodiscard]] std::int64_t router_latency_ps() const { return router_latency_ps_; }
    [[nodiscard]] std::int64_t cable_latency_ps() const { return options_.cable_latency_ps; }
    [[nodiscard]] std::int64_t host_cable_latency_ps() const { return options_.host_cable_latency_ps; }
    /// The lower of the DMA and memory bandwidths, since each packet takes both at once. 0: no limit.
    [[nodiscard]] std::int64_t host_bandwidth_bytes_per_s() const { return host_bandwidth_bytes_per_s_; }
    /// Payload and header of every packet of a message but the last.
    [[nodiscard]] std::int64_t full_packet_bytes() const {
        return options_.packet_payload_bytes + options_.packet_header_bytes;
    }
    /// Number of packets of a message. A message of 0 bytes is one packet with a header only.
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
    std::int64_t host_bandwidth_bytes_per_s_ = 0;
};

/// Maximum number of packets per message; simulating that many takes about an hour. Messages of 2^48 bytes would take
/// days.
inline constexpr std::int64_t kMostPacketsOfMessage = std::int64_t{1} << 32;
/// Throws UnsupportedError for a message with more packets.
void check_packet_count(const PacketTiming& timing, std::int64_t message_bytes);

/// Latest simulated time (26 days), far below an overflow of sums.
inline constexpr std::int64_t kLongestSimulationPs = std::int64_t{1} << 61;

/// Throws UnsupportedError: the simulated time exceeds kLongestSimulationPs.
[[noreturn]] void refuse_too_late();
/// The end of a time span that starts at `time_ps`. Throws UnsupportedError above kLongestSimulationPs.
[[nodiscard]] inline std::int64_t later_ps(std::int64_t time_ps, std::int64_t span_ps) {
    if (span_ps > kLongestSimulationPs - time_ps) [[unlikely]]
        refuse_too_late();
    return time_ps + span_ps;
}

/// Transfer time of a whole message of up to 2^48 bytes, rounded up to a picosecond; at most about 9e18 ps.
[[nodiscard]] std::int64_t long_transfer_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s);

/// Transfer time of `bytes` (at most PacketTiming::kLargestPacketBytes), rounded up to a picosecond.
[[nodiscard]] constexpr std::int64_t transfer_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s) {
    constexpr std::uint64_t kPsPerS = 1'000'000'000'000;  // times 2^24 bytes is below 2^64
    const auto rate = static_cast<std::uint64_t>(bandwidth_bytes_per_s);
    const std::uint64_t product = static_cast<std::uint64_t>(bytes) * kPsPerS;
    return static_cast<std::int64_t>(product / rate + (product % rate != 0 ? 1 : 0));
}

}  // namespace haichi
