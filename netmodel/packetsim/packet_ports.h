#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// Links of a kind let packets pass alike.
struct LinkKind {
    std::size_t link_class = 0;
    std::size_t router_class = 0;  ///< of the router that the link leaves, where there are classes
    bool leaves_host = false;      ///< a terminal without a router (Topology::is_host)
    bool enters_host = false;

    friend bool operator==(const LinkKind&, const LinkKind&) = default;
};
LinkKind kind_of_link(const Topology& topology, LinkId link);

/// What a passage is made of: the way out of a router and over a link.
struct LinkPassage {
    std::int64_t switch_bandwidth_bytes_per_s = 0;  ///< 0: no limit
    std::int64_t latency_ps = 0;
    std::int64_t packet_time_ps = 0;  ///< that each packet takes the output besides
};
/// "NIC to router" costs no latency, where the NIC is a host's, and "ejection" no cable; a latency that a class of
/// links states is that of their cables, also there, and what a class of routers states replaces the machine's.
LinkPassage passage_of(const Topology& topology, const PacketTiming& timing, const LinkKind& kind);

/// The ports of a machine's routers, numbered: what never changes during a run.
///
/// Every vertex is a router, and every node has NICs of its own: NIC i of node n is number n * NICs + i. Output ports:
/// link l of the fabric is output l, the ejection channel of NIC k is output link_count() + k. Input buffers: that
/// downstream of link l for VC v is l * VCs + v, the injection buffer of NIC k is link_count() * VCs + k. The inputs of
/// a router are numbered by link, the injection buffers last: "lowest (port, VC)" is the lowest buffer.
///
/// Where a terminal is a host without a router, its links are the channels of its NIC: see passage_of(). The passage
/// between host and its NIC costs nothing.
class PacketPorts {
  public:
    /// Bandwidth and latency of an output; ports of a kind share them.
    struct Class {
        std::int64_t bandwidth_bytes_per_s = 0;  ///< of the channel or the switch, whichever is slower
        std::int64_t latency_ps = 0;             ///< L: from the grant to the head's arrival
        std::int64_t full_packet_ps = 0;         ///< a packet of the largest size that passes it
        std::int32_t buffer_packets = 0;         ///< entries of a buffer downstream of it
        bool stores = false;                     ///< the router downstream takes packets in whole, and holds them:
        std::int64_t delay_ps = 0;
        std::int64_t timer_ps = 0;
        std::int64_t packet_time_ps = 0;  ///< that a packet takes the output longer than its bytes do

        /// When a packet that is in at `tail_ps` may go on.
        [[nodiscard]] std::int64_t release_ps(std::int64_t tail_ps) const {
            if (delay_ps == 0) return tail_ps;
            const std::int64_t held_ps = later_ps(tail_ps, delay_ps);
            return timer_ps == 0 ? held_ps : (held_ps + timer_ps - 1) / timer_ps * timer_ps;
        }
        friend bool operator==(const Class&, const Class&) = default;
    };

    /// Throws OptionError when a packet takes 4.29 ms (2^32 ps) or more on some channel, UnsupportedError for too many
    /// ports to number.
    PacketPorts(const Network& network, const PacketTiming& timing, std::int32_t virtual_channels);

    [[nodiscard]] std::int32_t link_count() const { return link_count_; }
    [[nodiscard]] std::int32_t output_count() const { return link_count_ + nic_count_; }
    [[nodiscard]] std::int32_t buffer_count() const { return link_count_ * virtual_channels_ + nic_count_; }
    [[nodiscard]] std::int32_t virtual_channels() const { return virtual_channels_; }

    [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
    /// By output.
    [[nodiscard]] const std::vector<std::uint16_t>& class_of_output() const { return class_of_output_; }
    /// By link of the fabric; invalid where it does not exist.
    [[nodiscard]] const std::vector<VertexId>& link_source() const { return link_source_; }
    [[nodiscard]] const std::vector<VertexId>& link_target() const { return link_target_; }
    [[nodiscard]] std::int64_t nic_bandwidth_bytes_per_s() const { return nic_bandwidth_bytes_per_s_; }
    /// All channels, injection included, let a packet through in the same time.
    [[nodiscard]] bool bandwidth_is_uniform() const { return bandwidth_is_uniform_; }
    /// All packets but the last of a message are full ones.
    [[nodiscard]] bool packets_are_full() const { return packets_are_full_; }
    /// Most payload of a packet that takes the link: of the router downstream, or kNoLimit.
    [[nodiscard]] std::int64_t most_payload_downstream(LinkId link) const;
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
    /// How far ahead an event of a passage can lie: latency and two packets.
    [[nodiscard]] std::int64_t longest_passage_ps() const;
    [[nodiscard]] std::int32_t vertex_count() const { return static_cast<std::int32_t>(is_host_.size()); }
    /// A terminal without a router.
    [[nodiscard]] bool is_host(VertexId v) const { return is_host_[v.index()] != 0; }

  private:
    void find_ends(const Topology& topology);
    [[nodiscard]] std::int64_t most_payload_of(VertexId router) const;
    void add_output(const PacketTiming& timing, std::int64_t bandwidth_bytes_per_s, std::int64_t full_packet_bytes,
                    const LinkPassage& passage, const PortClass* router_downstream);

    std::int32_t link_count_ = 0;
    std::int32_t nic_count_ = 0;
    std::int32_t virtual_channels_ = 1;
    std::int64_t nic_bandwidth_bytes_per_s_ = 0;
    bool bandwidth_is_uniform_ = true;
    bool packets_are_full_ = true;
    std::vector<Class> classes_;
    std::vector<std::uint16_t> class_of_output_;
    std::vector<VertexId> link_source_;
    std::vector<VertexId> link_target_;
    std::vector<std::uint8_t> is_host_;  ///< per vertex
    const Topology* topology_ = nullptr;
};

}  // namespace haichi
