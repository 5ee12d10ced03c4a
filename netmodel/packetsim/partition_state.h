#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "netmodel/packetsim/message_table.h"
#include "netmodel/packetsim/packet_state.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// The state of the routers and nodes of one partition, which nobody else touches. Everything is numbered anew, from 0
/// and in the machine's order, so that what happens at one instant is worked through in the same order as in one
/// partition: ports are the links that leave or enter a router of the partition, then the NICs of its nodes.
///
/// A link that leads to another partition is a port in both. In the target's the buffers behind it are the real ones;
/// in the source's they hold no packets, but how many are there or on the way, and the credits.
class PartitionState {
  public:
    /// A partition that a link leads to, or comes from.
    struct Neighbour {
        int partition = 0;
        std::vector<std::int32_t> message_of;  ///< by the neighbour's number of an announced message: ours
    };

    [[nodiscard]] PacketPort& port(std::int32_t p) { return *reinterpret_cast<PacketPort*>(at(p)); }
    [[nodiscard]] const PacketPort& port(std::int32_t p) const { return *reinterpret_cast<const PacketPort*>(at(p)); }
    /// The buffer behind port p for virtual channel `vc`.
    [[nodiscard]] PacketBuffer& buffer(std::int32_t p, std::int32_t vc) {
        return *(reinterpret_cast<PacketBuffer*>(at(p) + sizeof(PacketPort)) + vc);
    }
    [[nodiscard]] const PacketBuffer& buffer(std::int32_t p, std::int32_t vc) const {
        return *(reinterpret_cast<const PacketBuffer*>(at(p) + sizeof(PacketPort)) + vc);
    }
    [[nodiscard]] PacketBuffer& buffer(std::int32_t b) { return buffer(PacketPort::port_of(b), PacketPort::vc_of(b)); }
    [[nodiscard]] const PacketBuffer& buffer(std::int32_t b) const {
        return buffer(PacketPort::port_of(b), PacketPort::vc_of(b));
    }
    [[nodiscard]] std::int32_t port_count() const { return static_cast<std::int32_t>(links.size() + nics.size()); }
    [[nodiscard]] std::int32_t link_count() const { return static_cast<std::int32_t>(links.size()); }
    [[nodiscard]] bool is_ejection(std::int32_t port) const { return port >= link_count(); }
    /// The port of a link that leaves or enters the partition, or is in it.
    [[nodiscard]] std::int32_t port_of(LinkId link) const;

    [[nodiscard]] std::uint32_t new_packet() {
        if (first_unused_packet_ == Packet::kNone) return used_packets_++;
        return std::exchange(first_unused_packet_, packets[first_unused_packet_].next);
    }
    void drop_packet(std::uint32_t packet) {
        packets[packet].next = first_unused_packet_;
        first_unused_packet_ = packet;
    }

    /// Notes when the tail of the packet leaves that was granted last.
    void add_credit(PacketBuffer& at, std::int32_t b, std::int64_t leave_ps) {
        credits[credit_row(b) + at.next_credit] = leave_ps;
        if (++at.next_credit == buffer_packets) {
            at.next_credit = 0;
            at.has_all_credits = 1;
        }
    }
    /// When the tail left, or leaves, that was the `back`th before the next one; of a buffer with add_credit() only.
    [[nodiscard]] std::int64_t leaving_ps(const PacketBuffer& at, std::int32_t b, std::int32_t back) const {
        std::int32_t place = at.next_credit - back;
        if (place < 0) {
            if (at.has_all_credits == 0) return PacketBuffer::kAlwaysFree;
            place += buffer_packets;
        }
        return credits[credit_row(b) + static_cast<std::size_t>(place)];
    }
    /// All places are free: the row may begin anew, in memory that is in the caches.
    static void forget_credits(PacketBuffer& at) {
        at.next_credit = 0;
        at.has_all_credits = 0;
    }

    std::int32_t vcs = 1;
    std::int32_t buffer_packets = 1;
    std::int32_t nics_per_node = 1;
    std::vector<LinkId> links;  ///< by port
    std::vector<PacketRouter> routers;
    std::size_t places = 1;  ///< of PacketRouter::place
    std::vector<std::uint32_t> place_of_node;
    std::vector<NodeId> nodes;      ///< by node of the partition
    std::vector<PacketNic> nics;    ///< of every node those of its NICs in order
    std::vector<PacketHost> hosts;  ///< by node
    std::vector<std::int32_t> buffers_of_routers;
    std::vector<Neighbour> neighbours;  ///< in the order of their numbers
    std::vector<std::uint64_t> wide_waiting;
    std::size_t words_per_row = 1;  ///< of wide_waiting
    MessageTable messages;
    // In memory of the machine:
    std::span<std::byte> ports;
    std::span<Packet> packets;        ///< as many as there are places
    std::span<std::int64_t> credits;  ///< a row per buffer

    /// Of a port and the buffers behind it, a power of two.
    static std::size_t port_bytes(std::int32_t vcs);
    void set_port_bytes() { port_shift_ = static_cast<std::uint32_t>(std::countr_zero(port_bytes(vcs))); }
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    [[nodiscard]] std::byte* at(std::int32_t p) { return ports.data() + (static_cast<std::size_t>(p) << port_shift_); }
    [[nodiscard]] const std::byte* at(std::int32_t p) const {
        return ports.data() + (static_cast<std::size_t>(p) << port_shift_);
    }
    [[nodiscard]] std::size_t credit_row(std::int32_t b) const {
        return static_cast<std::size_t>(PacketPort::port_of(b) * vcs + PacketPort::vc_of(b)) *
               static_cast<std::size_t>(buffer_packets);
    }

    std::uint32_t port_shift_ = 0;
    std::uint32_t used_packets_ = 0;
    std::uint32_t first_unused_packet_ = Packet::kNone;
};

}  // namespace haichi
