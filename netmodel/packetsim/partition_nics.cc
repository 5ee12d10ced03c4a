// NICs and the hosts behind them, messages.

#include <algorithm>
#include <utility>

#include "netmodel/packetsim/packet_partition_inl.h"

namespace haichi {

/// A message of this partition, or one that comes through it.
std::int32_t PacketPartition::add_message(const PacketMessage& message) {
    const std::int32_t id = state_->messages.add(message);
    MessageTable::Entry& entry = state_->messages[id];
    const VertexId to = machine_->network->vertex(message.destination);
    if (machine_->partition_of(to) == index_) {
        entry.ejection = links_ + machine_->local_node(message.destination) * machine_->nics_per_node + message.nic;
    }
    if (steps_ != nullptr) entry.way = way(to, entry.ejection);
    return id;
}

/// See Packet::way.
inline std::uint64_t PacketPartition::way(VertexId to, std::int32_t ejection) const {
    const std::uint64_t position = steps_->position(to);
    if (ejection < 0) return position;
    const auto channel =
        static_cast<std::uint64_t>(ejection - state_->routers[machine_->local_router(to)].first_ejection);
    return position | channel << GridSteps::kPositionBits;
}

/// The hops of the message's route from the one behind `after` (from the first, if it is none) to the one that leaves
/// the partition. No route takes a link twice.
void PacketPartition::find_hops(MessageTable::Entry& entry, LinkId after) {
    hops_.clear();
    machine_->virtual_channels.append_route(*machine_->network, entry.message.source, entry.message.destination, hops_);
    auto hop = hops_.begin();
    if (after.valid()) hop = std::ranges::find(hops_, after, &ChannelHop::link) + 1;
    if (!are_full_ && !after.valid()) {
        for (const ChannelHop& passed : hops_) {
            entry.most_payload_bytes =
                std::min(entry.most_payload_bytes, machine_->ports.most_payload_behind(passed.link));
        }
    }
    entry.route.clear();
    for (bool is_here = true; is_here && hop != hops_.end(); ++hop) {
        const std::int32_t port = state_->port_of(hop->link);
        entry.route.push_back({port, hop->vc});
        is_here = state_->port(port).cut == PacketPort::Cut::kNone;
    }
}

void PacketPartition::eject(const Packet& packet, std::int32_t nic) {
    ++counts_.packets_ejected;
    const bool is_empty = packet.bytes == static_cast<std::uint32_t>(machine_->timing.options().packet_header_bytes);
    if (machine_->timing.host_bandwidth_bytes_per_s() != 0 && !is_empty) {
        auto pending = static_cast<std::int32_t>(received_.size());
        if (unused_received_.empty()) {
            received_.push_back(packet);
        } else {
            pending = unused_received_.back();
            unused_received_.pop_back();
            received_[static_cast<std::size_t>(pending)] = packet;
        }
        push_nic(packet.time_ps, kReceived, nic, static_cast<std::uint32_t>(pending));
        return;
    }
    const std::int64_t tail_ps = last_tail_ps(packet);
    if (packet.is_last()) push_nic(tail_ps, kDelivery, nic, static_cast<std::uint32_t>(packet.message()));
}

/// Of the packets of the message so far. Heads arrive in order; a short packet may overtake the tail of a long one
/// where channels differ.
std::int64_t PacketPartition::last_tail_ps(const Packet& packet) {
    const std::int64_t tail_ps = packet.time_ps + packet.duration_ps;
    if (is_uniform_) return tail_ps;
    std::int64_t& last_ps = state_->messages[packet.message()].last_tail_ps;
    return last_ps = std::max(last_ps, tail_ps);
}

inline void PacketPartition::receive(std::int32_t nic, std::int32_t pending) {
    const Packet packet = received_[static_cast<std::size_t>(pending)];
    unused_received_.push_back(pending);
    const std::int64_t payload_bytes = packet.bytes - machine_->timing.options().packet_header_bytes;
    const std::int64_t dma_end_ps = take_dma(nic / machine_->nics_per_node, payload_bytes);
    const std::int64_t tail_ps = last_tail_ps(packet);
    if (!packet.is_last()) return;
    push_nic(std::max(tail_ps, dma_end_ps), kDelivery, nic, static_cast<std::uint32_t>(packet.message()));
}

/// When DMA and memory, asked for now, have moved these bytes; they start that much earlier as the bytes take.
std::int64_t PacketPartition::take_dma(std::int32_t node, std::int64_t payload_bytes) {
    const std::int64_t bandwidth = machine_->timing.host_bandwidth_bytes_per_s();
    if (bandwidth == 0 || payload_bytes == 0) return now_ps_;
    PacketHost& host = state_->hosts[static_cast<std::size_t>(node)];
    host.dma_free_ps = std::max(host.dma_free_ps, now_ps_) + transfer_ps(payload_bytes, bandwidth);
    return host.dma_free_ps;
}

void PacketPartition::start(std::int32_t message) {
    MessageTable::Entry& entry = state_->messages[message];
    const PacketMessage& info = entry.message;
    const std::int32_t node = machine_->local_node(info.source);
    const std::int32_t number = node * machine_->nics_per_node + info.nic;
    PacketNic& nic = state_->nics[static_cast<std::size_t>(number)];
    entry.of_nic = nic.message_count++;
    if (info.source == info.destination) {
        const std::int64_t bandwidth = machine_->timing.options().shared_memory_bandwidth_bytes_per_s;
        std::int64_t& free_ps = state_->hosts[static_cast<std::size_t>(node)].shared_memory_free_ps;
        free_ps = later_ps(std::max(free_ps, now_ps_), bandwidth == 0 ? 0 : long_transfer_ps(info.bytes, bandwidth));
        push_nic(free_ps, kCopied, number, static_cast<std::uint32_t>(message));
        return;
    }
    add_last(nic, message);
    if (nic.is_idle) send_next(number);
}

void PacketPartition::add_last(PacketNic& nic, std::int32_t message) {
    state_->messages[message].next = PacketNic::kNone;
    if (nic.last_message == PacketNic::kNone) {
        nic.first_message = message;
    } else {
        state_->messages[nic.last_message].next = message;
    }
    nic.last_message = message;
}

void PacketPartition::remove_first(PacketNic& nic) {
    nic.first_message = state_->messages[nic.first_message].next;
    if (nic.first_message == PacketNic::kNone) nic.last_message = PacketNic::kNone;
}

inline void PacketPartition::nic_ready(std::int32_t number) {
    PacketNic& nic = state_->nics[static_cast<std::size_t>(number)];
    if (nic.leaving_message != PacketNic::kNone) {
        const std::int32_t id = std::exchange(nic.leaving_message, PacketNic::kNone);
        MessageTable::Entry& entry = state_->messages[id];
        const PacketMessage message = entry.message;
        entry.is_injected = true;
        if (entry.has_left) state_->messages.remove(id);
        client_->message_injected(message, now_ps_);
    }
    send_next(number);
}

/// Cuts the next packet, if there is one and room for it; else the NIC idles, or comes back when there is room.
void PacketPartition::send_next(std::int32_t number) {
    PacketNic& nic = state_->nics[static_cast<std::size_t>(number)];
    nic.is_idle = nic.first_message == PacketNic::kNone;
    if (nic.is_idle) return;
    if (nic.ready_ps > now_ps_) return push_nic(nic.ready_ps, kNic, number);
    const std::int32_t b = PacketPort::buffer(links_ + number, 0);
    PacketBuffer& injection = state_->buffer(b);
    const std::int64_t room_ps = credit_ps(injection, b, {machine_->buffer_packets, 0});
    if (room_ps == kForEver) return;
    if (room_ps > now_ps_) return push_nic(room_ps, kNic, number);

    const std::int32_t message = nic.first_message;
    MessageTable::Entry& entry = state_->messages[message];
    const PacketMessage& info = entry.message;
    if (steps_ == nullptr && entry.left_bytes == info.bytes) find_hops(entry, {});
    const PacketTimingOptions& timing = machine_->timing.options();
    const std::int64_t payload_bytes =
        std::min({entry.left_bytes, timing.packet_payload_bytes, entry.most_payload_bytes});
    entry.left_bytes -= payload_bytes;
    const bool is_last = entry.left_bytes == 0;
    const std::int64_t bytes = payload_bytes + timing.packet_header_bytes;
    std::int64_t duration_ps = transfer_ps(bytes, machine_->ports.nic_bandwidth_bytes_per_s());
    std::int64_t head_ps = now_ps_;
    if (const std::int64_t dma_bandwidth = machine_->timing.host_bandwidth_bytes_per_s();
        dma_bandwidth != 0 && payload_bytes > 0) {
        const std::int64_t dma_ps = transfer_ps(payload_bytes, dma_bandwidth);
        head_ps = take_dma(number / machine_->nics_per_node, payload_bytes) - dma_ps;
        duration_ps = std::max(duration_ps, dma_ps);
    }
    ++counts_.packets_injected;
    counts_.payload_bytes_injected += payload_bytes;
    nic.ready_ps = head_ps + duration_ps + info.gap_ps;
    if (is_last) {
        nic.leaving_message = message;
        remove_first(nic);
    } else if (timing.nic_interleaves_packets) {
        remove_first(nic);
        add_last(nic, message);
    }
    push_nic(head_ps + duration_ps, kNic, number);
    const std::uint32_t packet = state_->new_packet();
    state_->packets[packet] = {head_ps,
                               entry.way,
                               static_cast<std::uint32_t>(message) * 2 + (is_last ? 1 : 0),
                               static_cast<std::uint32_t>(duration_ps),
                               static_cast<std::uint32_t>(bytes),
                               Packet::kNone};
    const PacketPort& port = state_->port(links_ + number);
    if (injection.count > 0 || std::max(head_ps, injection.next_front_ps()) > now_ps_) {
        return put(b, port, injection, packet);
    }
    injection.count = 1;
    injection.first = injection.last = packet;
    come_to_front(b, next_request(state_->packets[packet], port.to_router));
}

/// The messages that were copied on their node, or delivered at a NIC, at this instant, in an order of their own.
inline void PacketPartition::finish(const WindowQueue::Event& first) {
    finished_.assign(1, static_cast<std::int32_t>(first.data()));
    for (const WindowQueue::Event* next = queue_.next_here(); next != nullptr && next->when == first.when;
         next = queue_.next_here()) {
        finished_.push_back(static_cast<std::int32_t>(next->data()));
        queue_.drop_next();
        ++counts_.events;
    }
    if (finished_.size() > 1) {
        std::ranges::sort(finished_,
                          [this](std::int32_t a, std::int32_t b) { return state_->messages[a] < state_->messages[b]; });
    }
    for (std::size_t i = 0; i < finished_.size(); ++i) {
        if (priority_of(first) == kCopied) {
            copied(finished_[i], entity_of(first));
        } else {
            deliver(finished_[i]);
        }
    }
}

inline void PacketPartition::copied(std::int32_t message, std::int32_t nic) {
    const PacketMessage info = state_->messages[message].message;
    counts_.on_node_bytes += info.bytes;
    push_nic(now_ps_ + machine_->timing.options().shared_memory_latency_ps, kDelivery, nic,
             static_cast<std::uint32_t>(message));
    client_->message_injected(info, now_ps_);
}

inline void PacketPartition::deliver(std::int32_t message) {
    const PacketMessage info = state_->messages[message].message;
    if (info.source != info.destination) counts_.payload_bytes_delivered += info.bytes;
    --counts_.messages_under_way;
    client_->message_delivered(info, now_ps_);
    state_->messages.remove(message);
}

[[gnu::noinline]] void PacketPartition::handle_host(const WindowQueue::Event& event) {
    const std::int32_t entity = entity_of(event);
    switch (priority_of(event)) {
        case kWake:
        case kFront:
            return;
        case kReceived:
            return receive(entity, static_cast<std::int32_t>(event.data()));
        case kNic:
            return nic_ready(entity);
        case kPost:
            return start(posts_.extract(event.data()).mapped());
        case kCopied:
        case kDelivery:
            return finish(event);
        case kTimer:
            client_->timer(state_->nodes[static_cast<std::size_t>(entity)], event.data(), now_ps_);
            return;
    }
}

}  // namespace haichi
