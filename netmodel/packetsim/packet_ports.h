#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// The properties of a link that determine its timing. All links of a kind have the same timing.
struct LinkKind {
    std::size_t link_class = 0;
    std::size_t router_class = 0;  ///< class of the router that the link leaves, if routers have classes
    bool leaves_host = false;      ///< leaves a node without a router (Topology::is_host)
    bool enters_host = false;

    friend bool operator==(const LinkKind&, const LinkKind&) = default;
};
LinkKind kind_of_link(const Topology& topology, LinkId link);

/// Timing of a link traversal: out of a router and over a link.
struct LinkPassage {
    std::int64_t switch_bandwidth_bytes_per_s = 0;  ///< 0: no limit
    std::int64_t latency_ps = 0;
    std::int64_t packet_time_ps = 0;   ///< time that each packet occupies the output in addition to its bytes
    std::int64_t bus_bytes_per_s = 0;  ///< rate of all outputs of the router together; 0 means no limit
};
/// A link that leaves a node without a router ("NIC to router") has no router latency. A link that enters such a node
/// ("ejection") has no cable latency. A latency stated for a class of links replaces the cable latency, even on these
/// links. Values stated for a class of routers replace those of the machine.
LinkPassage passage_of(const Topology& topology, const PacketTiming& timing, const LinkKind& kind);

/// The numbering of the ports of a machine's routers; constant during a run.
///
/// Every vertex is a router, and every node has its own NICs: NIC i of node n has the number n * NICs + i.
/// - Output ports: link l of the fabric is output l, and the ejection channel of NIC k is output link_count() + k
/// - Input buffers: the buffer downstream of link l for VC v is l * VCs + v, the injection buffer of NIC k is
///   link_count() * VCs + k
///
/// The inputs of a router are numbered by link, with injection buffers last, so "lowest (port, VC)" is the lowest
/// buffer.
///
/// If a node has no router (Topology::is_host), its links are the channels of its NIC: see passage_of(). The channel
/// between the node and its NIC costs nothing.
class PacketPorts {
  public:
    /// Timing of an output; ports of one kind share it.
    struct Class {
        std::int64_t bandwidth_bytes_per_s = 0;  ///< the slower of channel and switch
        std::int64_t latency_ps = 0;             ///< L: from the grant to the head's arrival
        std::int64_t full_packet_ps = 0;         ///< time of a packet of the largest size on this output
        std::int32_t buffer_packets = 0;         ///< per buffer downstream
        bool stores = false;                     ///< the router downstream stores whole packets, with the delays below
        std::int64_t delay_ps = 0;
        std::int64_t timer_ps = 0;
        std::int64_t packet_time_ps = 0;   ///< time that a packet occupies the output in addition to its bytes
        std::int64_t bus_bytes_per_s = 0;  ///< rate of all outputs of the router together; 0 means no limit

        /// Time at which a packet whose tail arrives at `tail_ps` may leave.
        [[nodiscard]] std::int64_t release_ps(std::int64_t tail_ps) const {
            if (delay_ps == 0) return tail_ps;
            const std::int64_t held_ps = later_ps(tail_ps, delay_ps);
            return timer_ps == 0 ? held_ps : (held_ps + timer_ps - 1) / timer_ps * timer_ps;
        }
        friend bool operator==(const Class&, const Class&) = default;
    };

    /// Throws OptionError if a packet takes 4.29 ms (2^32 ps) or more on some channel, UnsupportedError for too many
    /// ports.
    PacketPorts(const Network& network, const PacketTiming& timing, std::int32_t virtual_channels);

    [[nodiscard]] std::int32_t link_count() const { return link_count_; }
    [[nodiscard]] std::int32_t output_count() const { return link_count_ + nic_count_; }
    [[nodiscard]] std::int32_t buffer_count() const { return link_count_ * virtual_channels_ + nic_count_; }
    [[nodiscard]] std::int32_t virtual_channels() const { return virtual_channels_; }

    [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
    /// By output.
    [[nodiscard]] const std::vector<std::uint16_t>& class_of_output() const { return class_of_output_; }
    /// By link of the fabric; invalid for a link that does not exist.
    [[nodiscard]] const std::vector<VertexId>& link_source() const { return link_source_; }
    [[nodiscard]] const std::vector<VertexId>& link_target() const { return link_target_; }
    [[nodiscard]] std::int64_t nic_bandwidth_bytes_per_s() const { return nic_bandwidth_bytes_per_s_; }
    /// A packet takes the same time on all channels, injection included.
    [[nodiscard]] bool bandwidth_is_uniform() const { return bandwidth_is_uniform_; }
    /// All packets have the full size, except the last of a message.
    [[nodiscard]] bool packets_are_full() const { return packets_are_full_; }
    /// Maximum payload of a packet on the link. The downstream router limits it; kNoLimit if it does not.
    [[nodiscard]] std::int64_t most_payload_downstream(LinkId link) const;
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] std::int32_t vertex_count() const { return static_cast<std::int32_t>(is_host_.size()); }
    /// The vertex is a node without a router.
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
