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
/// A link that leads to another partition is a port in both. In the target's the buffers downstream are the real ones;
/// in the source's they hold no packets, but how many are there or on the way, and the credits.
class PartitionState {
  public:
    /// A partition that a link leads to, or comes from.
    struct Neighbour {
        int partition = 0;
        std::vector<MessageId> message_of;  ///< by the neighbour's number of an announced message: ours
    };

    [[nodiscard]] PacketPort& port(PortId p) { return *reinterpret_cast<PacketPort*>(at(p)); }
    [[nodiscard]] const PacketPort& port(PortId p) const { return *reinterpret_cast<const PacketPort*>(at(p)); }
    /// The buffer downstream of port p for virtual channel `vc`.
    [[nodiscard]] PacketBuffer& buffer(PortId p, std::int32_t vc) {
        return *(reinterpret_cast<PacketBuffer*>(at(p) + sizeof(PacketPort)) + vc);
    }
    [[nodiscard]] const PacketBuffer& buffer(PortId p, std::int32_t vc) const {
        return *(reinterpret_cast<const PacketBuffer*>(at(p) + sizeof(PacketPort)) + vc);
    }
    [[nodiscard]] PacketBuffer& buffer(BufferId b) { return buffer(PacketPort::port_of(b), PacketPort::vc_of(b)); }
    [[nodiscard]] const PacketBuffer& buffer(BufferId b) const {
        return buffer(PacketPort::port_of(b), PacketPort::vc_of(b));
    }
    [[nodiscard]] std::int32_t port_count() const { return static_cast<std::int32_t>(links.size() + nics.size()); }
    [[nodiscard]] std::int32_t link_count() const { return static_cast<std::int32_t>(links.size()); }
    [[nodiscard]] bool is_ejection(PortId port) const { return port.value >= link_count(); }
    /// The port of a link that leaves or enters the partition, or is in it.
    [[nodiscard]] PortId port_of(LinkId link) const;
    /// The ejection channel of a NIC, and the NIC.
    [[nodiscard]] PortId port_of(NicId nic) const { return PortId(link_count() + nic.value); }
    [[nodiscard]] NicId nic_of(PortId ejection) const { return NicId(ejection.value - link_count()); }
    [[nodiscard]] NicId nic_of(LocalNodeId node, std::int32_t number) const {
        return NicId(node.value * nics_per_node + number);
    }
    [[nodiscard]] LocalNodeId node_of(NicId nic) const { return LocalNodeId(nic.value / nics_per_node); }

    [[nodiscard]] std::uint32_t new_packet() {
        if (first_unused_packet_ == Packet::kNone) return used_packets_++;
        return std::exchange(first_unused_packet_, packets[first_unused_packet_].next);
    }
    void drop_packet(std::uint32_t packet) {
        packets[packet].next = first_unused_packet_;
        first_unused_packet_ = packet;
    }

    /// Notes when the tail of the packet leaves that was granted last.
    void add_credit(PacketBuffer& at, BufferId b, std::int64_t leave_ps) {
        const CreditRow row = credit_row(b);
        credits[row.first + at.next_credit] = leave_ps;
        at.next_credit = static_cast<std::uint16_t>(at.next_credit + 1 == row.entries ? 0 : at.next_credit + 1);
        ++at.leaving;
    }
    /// For add_credit().
    void prefetch_credit(const PacketBuffer& at, BufferId b) const {
        __builtin_prefetch(&credits[credit_row(b).first + at.next_credit], 1);
    }
    /// From now on the entries of the packets are known to be free that have left up to `time_ps`. When the first of
    /// the others leaves, if there are any.
    std::int64_t free_entries(PacketBuffer& at, BufferId b, std::int64_t time_ps) const {
        const CreditRow row = credit_row(b);
        std::int32_t entry = at.next_credit - at.leaving;
        if (entry < 0) entry += row.entries;
        while (at.leaving > 0 && credits[row.first + static_cast<std::size_t>(entry)] <= time_ps) {
            --at.leaving;
            if (++entry == row.entries) entry = 0;
        }
        return credits[row.first + static_cast<std::size_t>(entry)];
    }

    /// Whoever sends into buffer b is to be told when an entry of it is known to become free.
    void await_entry(BufferId b) {
        PacketPort& at = port(PacketPort::port_of(b));
        at.entries_awaited = static_cast<std::uint8_t>(at.entries_awaited | 1U << PacketPort::vc_of(b));
    }
    /// False when nobody is to be told.
    bool stop_awaiting_entry(BufferId b) {
        PacketPort& at = port(PacketPort::port_of(b));
        const std::uint32_t bit = 1U << PacketPort::vc_of(b);
        if ((at.entries_awaited & bit) == 0) return false;
        at.entries_awaited = static_cast<std::uint8_t>(at.entries_awaited & ~bit);
        return true;
    }

    std::int32_t vcs = 1;
    std::int32_t buffer_packets = 1;  ///< of a buffer without entries of its own
    /// Of a port: the rows of its buffers, one after the other.
    struct OwnEntries {
        PortId port;
        std::size_t first = 0;
        std::int32_t entries = 0;  ///< of each
    };
    std::vector<OwnEntries> own_entries;  ///< in the order of the ports
    std::int32_t nics_per_node = 1;
    std::vector<LinkId> links;  ///< by port
    std::vector<PacketRouter> routers;
    std::size_t turns = 1;          ///< of PacketRouter::turn
    std::vector<NodeId> nodes;      ///< by node of the partition
    std::vector<PacketNic> nics;    ///< of every node those of its NICs in order
    std::vector<PacketHost> hosts;  ///< by node
    std::vector<BufferId> buffers_of_routers;
    std::vector<Neighbour> neighbours;  ///< in the order of their numbers
    std::vector<std::uint64_t> wide_waiting;
    std::size_t words_per_row = 1;  ///< of wide_waiting
    MessageTable messages;
    // In memory of the machine:
    std::span<std::byte> ports;
    std::span<Packet> packets;        ///< as many as there are entries
    std::span<std::int64_t> credits;  ///< a row per buffer, those of own_entries after the others

    /// Of a port and its buffers, a power of two.
    static std::size_t port_bytes(std::int32_t vcs);
    void set_port_bytes() { port_shift_ = static_cast<std::uint32_t>(std::countr_zero(port_bytes(vcs))); }
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    [[nodiscard]] std::byte* at(PortId p) { return ports.data() + (p.index() << port_shift_); }
    [[nodiscard]] const std::byte* at(PortId p) const { return ports.data() + (p.index() << port_shift_); }
    struct CreditRow {
        std::size_t first = 0;
        std::int32_t entries = 0;
    };
    [[nodiscard, gnu::always_inline]] inline CreditRow credit_row(BufferId b) const {
        if (port(PacketPort::port_of(b)).has_own_entries != 0) [[unlikely]] {
            return own_credit_row(b);
        }
        const auto number = static_cast<std::size_t>(PacketPort::port_of(b).value * vcs + PacketPort::vc_of(b));
        return {number * static_cast<std::size_t>(buffer_packets), buffer_packets};
    }
    [[nodiscard]] CreditRow own_credit_row(BufferId b) const;

    std::uint32_t port_shift_ = 0;
    std::uint32_t used_packets_ = 0;
    std::uint32_t first_unused_packet_ = Packet::kNone;
};

}  // namespace haichi
