#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "netmodel/packetsim/message_table.h"
#include "netmodel/packetsim/packet_state.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// The state of the routers and nodes of one partition; no other partition touches it. All ids start at 0 and follow
/// the machine's order. Events of one instant are therefore processed in the same order as on an undivided machine.
/// Ports are the links that leave or enter a router of the partition, then the NICs of its nodes.
///
/// A link to another partition is a port in both partitions. The partition at the link's target has the real buffers
/// downstream. The copies in the partition at its source hold no packets. They count credits, and the packets in the
/// real buffers or on their way to them.
class PartitionState {
  public:
    /// A partition at the other end of a cut link.
    struct Neighbour {
        int partition = 0;
        std::vector<MessageId> message_of;  ///< the id in this partition, by the neighbour's id of an announced message
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
    /// The port of a link inside, into or out of the partition.
    [[nodiscard]] PortId port_of(LinkId link) const;
    /// The ejection channel of a NIC, and its inverse.
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

    /// Records the time at which the tail of the packet granted last leaves.
    [[gnu::always_inline]] void add_credit(PacketBuffer& at, BufferId b, std::int64_t leave_ps) {
        const CreditRow row = credit_row(b);
        credits[row.first + at.next_credit] = leave_ps;
        at.next_credit = static_cast<std::uint16_t>(at.next_credit + 1 == row.entries ? 0 : at.next_credit + 1);
        ++at.leaving;
    }
    /// Prefetches the credit that add_credit() will write.
    void prefetch_credit(const PacketBuffer& at, BufferId b) const {
        __builtin_prefetch(&credits[credit_row(b).first + at.next_credit], 1);
    }
    /// Marks the entries of all packets that have left up to `time_ps` as free. Returns the time at which the next
    /// packet leaves, if there is one.
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

    /// Requests a wake-up of the sender into buffer b once the time of a free entry is known.
    void await_entry(BufferId b) {
        PacketPort& at = port(PacketPort::port_of(b));
        at.entries_awaited = static_cast<std::uint8_t>(at.entries_awaited | 1U << PacketPort::vc_of(b));
    }
    /// Ends the request of await_entry(). Returns false if no sender waits.
    bool stop_awaiting_entry(BufferId b) {
        PacketPort& at = port(PacketPort::port_of(b));
        const std::uint32_t bit = 1U << PacketPort::vc_of(b);
        if ((at.entries_awaited & bit) == 0) return false;
        at.entries_awaited = static_cast<std::uint8_t>(at.entries_awaited & ~bit);
        return true;
    }

    std::int32_t vcs = 1;
    std::int32_t buffer_packets = 1;  ///< entries of a buffer, except those in own_entries
    /// The rows of a port's buffers, one after the other.
    struct OwnEntries {
        PortId port;
        std::size_t first = 0;
        std::int32_t entries = 0;  ///< per buffer
    };
    std::vector<OwnEntries> own_entries;  ///< in the order of the ports
    std::int32_t nics_per_node = 1;
    std::vector<LinkId> links;  ///< by port
    std::vector<PacketRouter> routers;
    std::size_t turns = 1;          ///< number of turns (PacketRouter::turn)
    std::vector<NodeId> nodes;      ///< by LocalNodeId
    std::vector<PacketNic> nics;    ///< node by node, NICs in order
    std::vector<PacketHost> hosts;  ///< by LocalNodeId
    std::vector<BufferId> buffers_of_routers;
    std::vector<Neighbour> neighbours;  ///< in ascending order of their ids
    /// By router: the outputs that share its bus, the least recently granted one first.
    std::unordered_map<std::uint32_t, std::vector<PortId>> buses;
    std::vector<std::uint64_t> wide_waiting;
    std::size_t words_per_row = 1;  ///< words per row of wide_waiting
    MessageTable messages;
    // Slices of the machine's memory:
    std::span<std::byte> ports;
    std::span<Packet> packets;           ///< as many as there are buffer entries
    std::span<std::int64_t> entered_ps;  ///< by packet: when its head left its NIC, only for Arbiter::kOldestFirst
    std::span<std::int64_t> credits;     ///< a row per buffer; the rows of own_entries come last

    /// Size of a port with its buffers, a power of two.
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
