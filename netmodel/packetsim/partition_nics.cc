// NICs, their nodes, and messages.

#include <algorithm>
#include <utility>

#include "netmodel/packetsim/packet_partition_inl.h"

namespace haichi {

/// Adds a message that starts in this partition or enters it.
MessageId PacketPartition::add_message(const PacketMessage& message) {
    const MessageId id = state_->messages.add(message);
    MessageTable::Entry& entry = state_->messages[id];
    const VertexId to = machine_->network->vertex(message.destination);
    if (machine_->partition_of(to) == index_) {
        entry.ejection = ejection_of(state_->nic_of(machine_->local_node(message.destination), message.nic));
    }
    if (steps_ != nullptr) entry.way = way(to, entry.ejection);
    return id;
}

/// Computes Packet::way.
inline std::uint64_t PacketPartition::way(VertexId to, PortId ejection) const {
    const std::uint64_t position = steps_->position(to);
    if (!ejection.valid()) return position;
    const auto channel =
        static_cast<std::uint64_t>(ejection.value - state_->routers[machine_->local_router(to)].first_ejection.value);
    return position | channel << GridSteps::kPositionBits;
}

/// Finds the hops of the message's route after the link `after` (all if `after` is invalid), up to the hop that leaves
/// the partition. No route contains a link twice.
void PacketPartition::find_hops(MessageTable::Entry& entry, LinkId after) {
    hops_.clear();
    machine_->virtual_channels.append_route(*machine_->network, entry.message.source, entry.message.destination, hops_);
    auto hop = hops_.begin();
    if (after.valid()) hop = std::ranges::find(hops_, after, &ChannelHop::link) + 1;
    if (!are_full_ && !after.valid()) {
        for (const ChannelHop& passed : hops_) {
            entry.most_payload_bytes =
                std::min(entry.most_payload_bytes, machine_->ports.most_payload_downstream(passed.link));
        }
    }
    entry.route.clear();
    for (bool is_here = true; is_here && hop != hops_.end(); ++hop) {
        const PortId port = state_->port_of(hop->link);
        entry.route.push_back({port, hop->vc});
        is_here = state_->port(port).cut == PacketPort::Cut::kNone;
    }
}

void PacketPartition::eject(const Packet& packet, NicId nic) {
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
    if (packet.is_last()) push_nic(tail_ps, kDelivery, nic, as_data(packet.message()));
}

/// The latest tail of the message's packets so far. Heads arrive in order, but with channels of different speed a short
/// packet may overtake the tail of a long one.
std::int64_t PacketPartition::last_tail_ps(const Packet& packet) {
    const std::int64_t tail_ps = packet.time_ps + packet.duration_ps;
    if (is_uniform_) return tail_ps;
    std::int64_t& last_ps = state_->messages[packet.message()].last_tail_ps;
    return last_ps = std::max(last_ps, tail_ps);
}

inline void PacketPartition::receive(NicId nic, std::int32_t pending) {
    const Packet packet = received_[static_cast<std::size_t>(pending)];
    unused_received_.push_back(pending);
    const std::int64_t payload_bytes = packet.bytes - machine_->timing.options().packet_header_bytes;
    const std::int64_t dma_end_ps = take_dma(state_->node_of(nic), payload_bytes);
    const std::int64_t tail_ps = last_tail_ps(packet);
    if (!packet.is_last()) return;
    push_nic(std::max(tail_ps, dma_end_ps), kDelivery, nic, as_data(packet.message()));
}

/// Requests DMA and memory now. Returns the time at which they have moved these bytes. The transfer starts one transfer
/// time earlier.
std::int64_t PacketPartition::take_dma(LocalNodeId node, std::int64_t payload_bytes) {
    const std::int64_t bandwidth = machine_->timing.host_bandwidth_bytes_per_s();
    if (bandwidth == 0 || payload_bytes == 0) return now_ps_;
    PacketHost& host = state_->hosts[node.index()];
    host.dma_free_ps = std::max(host.dma_free_ps, now_ps_) + transfer_ps(payload_bytes, bandwidth);
    return host.dma_free_ps;
}

void PacketPartition::start(MessageId message) {
    MessageTable::Entry& entry = state_->messages[message];
    const PacketMessage& info = entry.message;
    const LocalNodeId node = machine_->local_node(info.source);
    const NicId id = state_->nic_of(node, info.nic);
    PacketNic& nic = state_->nics[id.index()];
    entry.of_nic = nic.message_count++;
    if (info.source == info.destination) {
        const std::int64_t bandwidth = machine_->timing.options().shared_memory_bandwidth_bytes_per_s;
        std::int64_t& free_ps = state_->hosts[node.index()].shared_memory_free_ps;
        free_ps = later_ps(std::max(free_ps, now_ps_), bandwidth == 0 ? 0 : long_transfer_ps(info.bytes, bandwidth));
        push_nic(free_ps, kCopied, id, as_data(message));
        return;
    }
    add_last(nic, message);
    if (nic.is_idle) send_next(id);
}

void PacketPartition::add_last(PacketNic& nic, MessageId message) {
    state_->messages[message].next = MessageId();
    if (!nic.last_message.valid()) {
        nic.first_message = message;
    } else {
        state_->messages[nic.last_message].next = message;
    }
    nic.last_message = message;
}

void PacketPartition::remove_first(PacketNic& nic) {
    nic.first_message = state_->messages[nic.first_message].next;
    if (!nic.first_message.valid()) nic.last_message = MessageId();
}

inline void PacketPartition::nic_ready(NicId id) {
    PacketNic& nic = state_->nics[id.index()];
    if (nic.leaving_message.valid()) {
        const MessageId left = std::exchange(nic.leaving_message, MessageId());
        MessageTable::Entry& entry = state_->messages[left];
        const PacketMessage message = entry.message;
        entry.is_injected = true;
        if (entry.has_left) state_->messages.remove(left);
        client_->message_injected(message, now_ps_);
    }
    send_next(id);
}

/// Sends the next packet if there is one and a buffer entry is free. Otherwise the NIC idles, or tries again when an
/// entry is free.
void PacketPartition::send_next(NicId id) {
    PacketNic& nic = state_->nics[id.index()];
    nic.is_idle = !nic.first_message.valid();
    if (nic.is_idle) return;
    if (nic.ready_ps > now_ps_) return push_nic(nic.ready_ps, kNic, id);
    const PortId feeding = ejection_of(id);
    const BufferId b = PacketPort::buffer(feeding, 0);
    PacketBuffer& injection = state_->buffer(b);
    const std::int64_t room_ps = credit_ps(injection, b, {machine_->buffer_packets, 0});
    if (room_ps == kForEver) return;
    if (room_ps > now_ps_) return push_nic(room_ps, kNic, id);

    const MessageId message = nic.first_message;
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
        head_ps = take_dma(state_->node_of(id), payload_bytes) - dma_ps;
        duration_ps = std::max(duration_ps, dma_ps);
    }
    head_ps += timing.nic_packet_ps;
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
    push_nic(head_ps + duration_ps, kNic, id);
    const std::uint32_t packet = state_->new_packet();
    state_->packets[packet] = {head_ps,
                               entry.way,
                               as_data(message) * 2 + (is_last ? 1 : 0),
                               static_cast<std::uint32_t>(duration_ps),
                               static_cast<std::uint32_t>(bytes),
                               Packet::kNone};
    if (!state_->entered_ps.empty()) state_->entered_ps[packet] = head_ps;
    const PacketPort& port = state_->port(feeding);
    if (injection.count > 0 || std::max(head_ps, injection.next_front_ps()) > now_ps_) {
        return put(b, port, injection, packet);
    }
    injection.count = 1;
    injection.first = injection.last = packet;
    head_arrived(b, next_request(state_->packets[packet], port.to_router));
}

/// Finishes all messages that are copied on their node, or delivered at a NIC, at this instant. Their order does not
/// depend on ids.
inline void PacketPartition::finish(const WindowQueue::Event& first) {
    finished_.assign(1, data_of<MessageId>(first));
    for (const WindowQueue::Event* next = queue_.next_here(); next != nullptr && next->when == first.when;
         next = queue_.next_here()) {
        finished_.push_back(data_of<MessageId>(*next));
        queue_.drop_next();
        ++counts_.events;
    }
    if (finished_.size() > 1) {
        std::ranges::sort(finished_,
                          [this](MessageId a, MessageId b) { return state_->messages[a] < state_->messages[b]; });
    }
    for (std::size_t i = 0; i < finished_.size(); ++i) {
        if (priority_of(first) == kCopied) {
            copied(finished_[i], entity_of<NicId>(first));
        } else {
            deliver(finished_[i]);
        }
    }
}

inline void PacketPartition::copied(MessageId message, NicId nic) {
    const PacketMessage info = state_->messages[message].message;
    counts_.on_node_bytes += info.bytes;
    push_nic(now_ps_ + machine_->timing.options().shared_memory_latency_ps, kDelivery, nic, as_data(message));
    client_->message_injected(info, now_ps_);
}

inline void PacketPartition::deliver(MessageId message) {
    const PacketMessage info = state_->messages[message].message;
    if (info.source != info.destination) counts_.payload_bytes_delivered += info.bytes;
    --counts_.messages_under_way;
    client_->message_delivered(info, now_ps_);
    state_->messages.remove(message);
}

[[gnu::noinline]] void PacketPartition::handle_host(const WindowQueue::Event& event) {
    switch (priority_of(event)) {
        case kArbitrate:
        case kHeadArrived:
            return;
        case kReceived:
            return receive(entity_of<NicId>(event), static_cast<std::int32_t>(event.data()));
        case kNic:
            return nic_ready(entity_of<NicId>(event));
        case kPost:
            return start(posts_.extract(event.data()).mapped());
        case kCopied:
        case kDelivery:
            return finish(event);
        case kTimer:
            client_->timer(state_->nodes[entity_of<LocalNodeId>(event).index()], event.data(), now_ps_);
            return;
    }
}

}  // namespace haichi
