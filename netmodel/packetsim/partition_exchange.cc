// Remote events of a partition.

#include <algorithm>
#include <utility>

#include "netmodel/packetsim/packet_partition_inl.h"

namespace haichi {

void PacketPartition::join(Transport& transport, std::vector<std::size_t> arriving, std::vector<std::size_t> leaving) {
    transport_ = &transport;
    arriving_ = std::move(arriving);
    leaving_ = std::move(leaving);
}

void PacketPartition::receive_remote_events() {
    earliest_remote_ps_ = kForEver;
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
        transport_->receive(arriving_[i], incoming_);
        if (incoming_.empty()) continue;
        take(incoming_, i < state_->neighbours.size() ? &state_->neighbours[i] : nullptr);
        incoming_.clear();
    }
}

inline void PacketPartition::take(const RemoteEventBatch& batch, PartitionState::Neighbour* from) {
    std::size_t announced = 0;
    std::int64_t entered_ps = 0;
    for (const RemoteEvent& event : batch.events) {
        switch (event.kind) {
            case RemoteEvent::Kind::kAnnouncement:
                take_announcement(event, batch.messages[announced++], *from);
                break;
            case RemoteEvent::Kind::kPacket:
                take_packet(event, entered_ps, *from);
                break;
            case RemoteEvent::Kind::kAge:
                entered_ps = event.time_ps;
                break;
            case RemoteEvent::Kind::kCredit:
                take_credit(BufferId(event.target), event.time_ps);
                break;
            case RemoteEvent::Kind::kTimer:
                push_node(event.time_ps, kTimer, LocalNodeId(event.target), event.message);
                break;
        }
    }
}

/// Gives the message an id in this partition until its last packet has gone. All its packets will arrive over this
/// link, in order.
inline void PacketPartition::take_announcement(const RemoteEvent& event, const PacketMessage& message,
                                               PartitionState::Neighbour& from) {
    const MessageId id = add_message(message);
    MessageTable::Entry& entry = state_->messages[id];
    entry.is_injected = true;
    entry.of_nic = event.of_nic;
    if (steps_ == nullptr) find_hops(entry, state_->links[PacketPort::port_of(BufferId(event.target)).index()]);
    if (from.message_of.size() <= event.message) from.message_of.resize(event.message + 1);
    from.message_of[event.message] = id;
}

inline void PacketPartition::take_packet(const RemoteEvent& event, std::int64_t entered_ps,
                                         const PartitionState::Neighbour& from) {
    const MessageId message = from.message_of[event.message / 2];
    const std::uint32_t packet = state_->new_packet();
    state_->packets[packet] = {event.time_ps,
                               state_->messages[message].way,
                               as_data(message) * 2 + event.message % 2,
                               event.duration_ps,
                               event.bytes,
                               Packet::kNone};
    if (!state_->entered_ps.empty()) state_->entered_ps[packet] = entered_ps;
    const BufferId b(event.target);
    put(b, state_->port(PacketPort::port_of(b)), state_->buffer(b), packet);
}

/// The counterpart of return_credit() for a buffer downstream of a cut link, in the partition that sends to it.
inline void PacketPartition::take_credit(BufferId b, std::int64_t usable_ps) {
    const PortId port = PacketPort::port_of(b);
    PacketPort& at = state_->port(port);
    PacketBuffer& to = state_->buffer(b);
    const std::int64_t leave_ps = usable_ps - machine_->class_of(at).latency_ps;
    to.leave_ps = std::max(to.leave_ps, leave_ps);
    state_->add_credit(to, b, leave_ps);
    --to.count;
    if (!state_->stop_awaiting_entry(b)) return;
    arbitrate_at(at, port, std::max(usable_ps, at.busy_until_ps));
}

/// Sends a packet to the partition downstream of a cut link. Announces the message before its first packet.
void PacketPartition::cross(std::uint32_t index, PortId port, std::int32_t vc) {
    const Packet& packet = state_->packets[index];
    const PacketPort& at = state_->port(port);
    const MessageId id = packet.message();
    MessageTable::Entry& entry = state_->messages[id];
    const std::int32_t target = PacketPort::buffer(at.peer_port, vc).value;
    if (!std::exchange(entry.is_announced, true)) {
        outgoing_[at.channel].messages.push_back(entry.message);
        send(at.channel, {.time_ps = packet.time_ps,
                          .message = as_data(id),
                          .of_nic = entry.of_nic,
                          .target = target,
                          .kind = RemoteEvent::Kind::kAnnouncement});
    }
    if (!state_->entered_ps.empty()) {
        // The age is not a separate event at the receiver, so it does not go through send().
        outgoing_[at.channel].events.push_back({.time_ps = state_->entered_ps[index], .kind = RemoteEvent::Kind::kAge});
    }
    send(at.channel, {.time_ps = packet.time_ps,
                      .message = packet.message_and_last,
                      .duration_ps = packet.duration_ps,
                      .bytes = packet.bytes,
                      .target = target,
                      .kind = RemoteEvent::Kind::kPacket});
    if (!packet.is_last()) return;
    entry.has_left = true;
    if (entry.is_injected) state_->messages.remove(id);
}

void PacketPartition::send_remote_events() {
    for (std::size_t n = 0; n < outgoing_.size(); ++n) {
        if (!outgoing_[n].empty()) transport_->send(leaving_[n], outgoing_[n]);
    }
}

}  // namespace haichi
