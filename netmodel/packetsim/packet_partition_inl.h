#pragma once

// Packets in routers: functions that the sources of PacketPartition inline.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "netmodel/packetsim/packet_partition.h"

namespace haichi {

/// The request of a packet that is at a router, or on its way to it.
[[gnu::always_inline]] inline BufferId PacketPartition::next_request(const Packet& packet,
                                                                     std::uint32_t at_router) const {
    if (steps_ == nullptr) return request_on_route(packet);
    const PacketRouter& router = state_->routers[at_router];
    const std::uint64_t to = packet.way & ((std::uint64_t{1} << GridSteps::kPositionBits) - 1);
    if (router.position == to) {
        const auto channel = static_cast<std::int32_t>(packet.way >> GridSteps::kPositionBits);
        return PacketPort::buffer(PortId(router.first_ejection.value + channel), 0);
    }
    const GridSteps::Step step = steps_->next(router.position, to);
    return PacketPort::buffer(PortId(router.first_port.value + step.link), step.vc);
}

inline BufferId PacketPartition::request_on_route(const Packet& packet) const {
    const MessageTable::Entry& entry = state_->messages[packet.message()];
    if (packet.way == entry.route.size()) return PacketPort::buffer(entry.ejection, 0);
    const PortHop& hop = entry.route[packet.way];
    return PacketPort::buffer(hop.port, hop.vc);
}

[[gnu::always_inline]] inline auto PacketPartition::channel(BufferId request) -> Channel {
    const PortId id = PacketPort::port_of(request);
    PacketPort& port = state_->port(id);
    return {request, id, port, state_->buffer(request), machine_->class_of(port)};
}

[[gnu::always_inline]] inline std::int64_t PacketPartition::credit_ps(PacketBuffer& to, BufferId b, Entries entries) {
    // If all packets have left, the row of times restarts at its beginning, which is in the caches. This uses
    // arithmetic, since a branch would be unpredictable.
    const std::uint16_t some_leave = to.leave_ps + entries.latency_ps <= now_ps_ ? 0 : 0xffff;
    to.leaving &= some_leave;
    to.next_credit &= some_leave;
    if (to.count + to.leaving < entries.count) [[likely]] {
        return now_ps_;
    }
    return late_credit_ps(to, b, entries);
}

[[gnu::always_inline]] inline std::int64_t PacketPartition::downstream_credit_ps(const Channel& out) {
    if (out.id.value >= links_) return now_ps_;  // the NIC always drains
    return credit_ps(out.to, out.request, {out.port_class.buffer_packets, out.port_class.latency_ps});
}

inline std::span<std::uint64_t> PacketPartition::wide_row(BufferId request) {
    const std::size_t words = state_->words_per_row;
    const std::int32_t row = PacketPort::port_of(request).value * machine_->vcs + PacketPort::vc_of(request);
    return std::span(state_->wide_waiting).subspan(static_cast<std::size_t>(row) * words, words);
}

inline void PacketPartition::add_waiting(const Channel& out, std::uint32_t number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    out.port.has_waiting = 1;
    if (state_->words_per_row == 1) {
        out.to.waiting |= bit;
    } else {
        wide_row(out.request)[number / 64] |= bit;
    }
}

[[gnu::always_inline]] inline bool PacketPartition::any_waiting(BufferId request) {
    if (state_->words_per_row == 1) return state_->buffer(request).waiting != 0;
    return std::ranges::any_of(wide_row(request), [](std::uint64_t word) { return word != 0; });
}

inline std::int64_t PacketPartition::next_grant_ps(PortId port) {
    std::int64_t earliest_ps = kForEver;
    for (std::int32_t vc = 0; vc < channels_of(port); ++vc) {
        const BufferId request = PacketPort::buffer(port, vc);
        if (any_waiting(request)) earliest_ps = std::min(earliest_ps, downstream_credit_ps(channel(request)));
    }
    return earliest_ps == kForEver ? kForEver : std::max(earliest_ps, state_->port(port).busy_until_ps);
}

[[gnu::always_inline]] inline void PacketPartition::send(std::size_t neighbour, const RemoteEvent& event) {
    earliest_remote_ps_ = std::min(earliest_remote_ps_, event.time_ps);
    outgoing_[neighbour].events.push_back(event);
}

[[gnu::always_inline]] inline void PacketPartition::head_arrived(BufferId b, BufferId request) {
    const Channel out = channel(request);
    const std::int64_t possible_ps = std::max(out.port.busy_until_ps, downstream_credit_ps(out));
    if (possible_ps <= now_ps_) return grant(b, out);
    PacketBuffer& at = state_->buffer(b);
    at.request = request;
    add_waiting(out, at.number);
    if (possible_ps != kForEver) arbitrate_at(out.port, out.id, possible_ps);
}

inline void PacketPartition::arbitrate_at(PacketPort& at, PortId port, std::int64_t time_ps) {
    if (time_ps >= at.arbitrate_ps) return;
    at.arbitrate_ps = time_ps;
    push(state_->routers[at.from_router].turn, time_ps, kArbitrate, port);
}

/// Transfer time of the packet on a channel.
inline std::uint32_t PacketPartition::duration_ps(const Packet& packet, const PacketPorts::Class& port) const {
    if (is_uniform_) return packet.duration_ps;
    if (!packet.is_last() && are_full_) return static_cast<std::uint32_t>(port.full_packet_ps);
    return static_cast<std::uint32_t>(transfer_ps(packet.bytes, port.bandwidth_bytes_per_s));
}

/// Time that a packet takes from its buffer to the output's queue. It equals the time on the channel that feeds the
/// buffer, so that slow outputs hold back only their own packets.
inline std::uint32_t PacketPartition::reading_ps(BufferId b, const Packet& packet) const {
    if (is_uniform_) return packet.duration_ps;
    const PortId feeding = PacketPort::port_of(b);
    if (feeding.value < links_) return duration_ps(packet, machine_->class_of(state_->port(feeding)));
    return static_cast<std::uint32_t>(transfer_ps(packet.bytes, machine_->ports.nic_bandwidth_bytes_per_s()));
}

/// Sends the packet at the front of a buffer over its output.
[[gnu::always_inline]] inline void PacketPartition::grant(BufferId b, const Channel& out) {
    PacketBuffer& at = state_->buffer(b);
    const std::int64_t latency_ps = out.port_class.latency_ps;
    const std::uint32_t index = at.first;
    Packet& packet = state_->packets[index];
    const PacketPort& from = state_->port(PacketPort::port_of(b));
    if (from.is_watched != 0) [[unlikely]] {
        watch(b, out.id, packet);
    }
    const std::uint32_t output_ps = duration_ps(packet, out.port_class);
    const std::uint32_t read_ps = reading_ps(b, packet);
    // A router that stores whole packets sends at the output's own rate.
    packet.duration_ps = from.has_own_entries != 0 ? output_ps : std::max(packet.duration_ps, output_ps);
    packet.time_ps = now_ps_ + latency_ps;
    if (steps_ == nullptr) ++packet.way;
    out.port.busy_until_ps = now_ps_ + output_ps + out.port_class.packet_time_ps;
    if (out.port.shares_bus != 0) [[unlikely]] {
        take_bus(out, packet.bytes);
    }
    out.port.last_granted = at.number;
    out.port.bytes_passed += packet.bytes;
    ++counts_.packet_hops;

    const std::int64_t leave_ps = now_ps_ + packet.duration_ps;
    at.first = packet.next;
    const bool is_empty = --at.count == 0;
    at.leave_ps = std::max(at.leave_ps, leave_ps);
    // The difference may be negative for a stored packet, which may leave faster than it arrived.
    at.read_ahead_ps = static_cast<std::uint32_t>(std::max<std::int64_t>(at.leave_ps - now_ps_ - read_ps, 0));
    if (out.id.value >= links_) {
        eject(packet, nic_of(out.id));
        state_->drop_packet(index);
    } else {
        if (out.port.cut == PacketPort::Cut::kNone) [[likely]] {
            put(out.request, out.port, out.to, index);
        } else {
            ++out.to.count;
            cross(index, out.id, PacketPort::vc_of(out.request));
            state_->drop_packet(index);
        }
    }
    return_credit(b, at, leave_ps);
    if (!is_empty) {
        const PacketPort& feeding = state_->port(PacketPort::port_of(b));
        push_front(b, feeding, at);
    }
    if (out.port.has_waiting == 0) return;
    if (const std::int64_t next_ps = next_grant_ps(out.id); next_ps != kForEver) {
        arbitrate_at(out.port, out.id, next_ps);
    }
}

/// Frees the entry of the front packet when its tail leaves, and wakes the upstream port or NIC that waits for it.
[[gnu::always_inline]] inline void PacketPartition::return_credit(BufferId b, PacketBuffer& at, std::int64_t leave_ps) {
    const PortId id = PacketPort::port_of(b);
    PacketPort& feeding = state_->port(id);
    if (feeding.cut == PacketPort::Cut::kIn) {
        send(feeding.channel, {.time_ps = leave_ps + machine_->class_of(feeding).latency_ps,
                               .target = PacketPort::buffer(feeding.peer_port, PacketPort::vc_of(b)).value,
                               .kind = RemoteEvent::Kind::kCredit});
        return;
    }
    state_->add_credit(at, b, leave_ps);
    if (!state_->stop_awaiting_entry(b)) return;
    if (id.value >= links_) {
        push_nic(leave_ps, kNic, nic_of(id));
    } else {
        arbitrate_at(feeding, id, std::max(leave_ps + machine_->class_of(feeding).latency_ps, feeding.busy_until_ps));
    }
}

/// Appends a packet to buffer b of a port; `at` is its state.
[[gnu::always_inline]] inline void PacketPartition::put(BufferId b, const PacketPort& port, PacketBuffer& at,
                                                        std::uint32_t packet) {
    const std::uint32_t before = std::exchange(at.last, packet);
    if (at.count++ > 0) {
        state_->packets[before].next = packet;
        return;
    }
    at.first = packet;
    push_front(b, port, at);
}

/// Schedules the event at which the first packet of buffer b reaches the front; `at` is the buffer's state.
[[gnu::always_inline]] inline void PacketPartition::push_front(BufferId b, const PacketPort& port,
                                                               const PacketBuffer& at) {
    const Packet& packet = state_->packets[at.first];
    std::int64_t arrival_ps = packet.time_ps;
    if (port.has_own_entries != 0) [[unlikely]] {
        arrival_ps = machine_->class_of(port).release_ps(arrival_ps + packet.duration_ps);
    }
    push(port.to_turn, std::max(arrival_ps, at.next_front_ps()), kHeadArrived, b,
         as_data(next_request(packet, port.to_router)));
}

}  // namespace haichi
