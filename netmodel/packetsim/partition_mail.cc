// What passes between partitions.

#include <algorithm>
#include <utility>

#include "netmodel/packetsim/packet_partition_inl.h"

namespace haichi {

void PacketPartition::join(Transport& transport, std::vector<std::size_t> arriving, std::vector<std::size_t> leaving) {
    transport_ = &transport;
    arriving_ = std::move(arriving);
    leaving_ = std::move(leaving);
}

void PacketPartition::take_mail() {
    earliest_mail_ps_ = kForEver;
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
        transport_->receive(arriving_[i], inbox_);
        if (inbox_.empty()) continue;
        take(inbox_, i < state_->neighbours.size() ? &state_->neighbours[i] : nullptr);
        inbox_.clear();
    }
}

inline void PacketPartition::take(const MailBatch& batch, PartitionState::Neighbour* from) {
    std::size_t announced = 0;
    for (const PacketMail& item : batch.items) {
        switch (item.kind) {
            case PacketMail::Kind::kAnnouncement:
                take_announcement(item, batch.messages[announced++], *from);
                break;
            case PacketMail::Kind::kPacket:
                take_packet(item, *from);
                break;
            case PacketMail::Kind::kCredit:
                take_credit(item.buffer, item.time_ps);
                break;
            case PacketMail::Kind::kTimer:
                push_node(item.time_ps, kTimer, item.buffer, item.message);
                break;
        }
    }
}

/// The message's packets will come by this link, in order, the last one too: until that is gone we know the message by
/// a number of ours.
inline void PacketPartition::take_announcement(const PacketMail& item, const PacketMessage& message,
                                               PartitionState::Neighbour& from) {
    const std::int32_t id = add_message(message);
    MessageTable::Entry& entry = state_->messages[id];
    entry.is_injected = true;
    entry.of_nic = item.of_nic;
    if (steps_ == nullptr) find_hops(entry, state_->links[static_cast<std::size_t>(PacketPort::port_of(item.buffer))]);
    if (from.message_of.size() <= item.message) from.message_of.resize(item.message + 1, -1);
    from.message_of[item.message] = id;
}

inline void PacketPartition::take_packet(const PacketMail& item, const PartitionState::Neighbour& from) {
    const std::int32_t message = from.message_of[item.message / 2];
    const std::uint32_t packet = state_->new_packet();
    state_->packets[packet] = {item.time_ps,
                               state_->messages[message].way,
                               static_cast<std::uint32_t>(message) * 2 + item.message % 2,
                               item.duration_ps,
                               item.bytes,
                               Packet::kNone};
    put(item.buffer, state_->port(PacketPort::port_of(item.buffer)), state_->buffer(item.buffer), packet);
}

/// The same as give_place_back() for a buffer behind a cut link, in the partition that sends to it.
inline void PacketPartition::take_credit(std::int32_t b, std::int64_t usable_ps) {
    const std::int32_t port = PacketPort::port_of(b);
    PacketPort& at = state_->port(port);
    PacketBuffer& to = state_->buffer(b);
    const std::int64_t leave_ps = usable_ps - machine_->class_of(at).latency_ps;
    to.leave_ps = std::max(to.leave_ps, leave_ps);
    state_->add_credit(to, b, leave_ps);
    --to.count;
    if (!state_->stop_awaiting_place(b)) return;
    wake_at(at, port, std::max(usable_ps, at.busy_until_ps));
}

/// Hands a packet over to the partition behind a cut link, its message before the first one.
void PacketPartition::cross(Packet& packet, std::int32_t port, std::int32_t vc) {
    const PacketPort& at = state_->port(port);
    const std::int32_t id = packet.message();
    MessageTable::Entry& entry = state_->messages[id];
    const std::int32_t target = PacketPort::buffer(static_cast<std::int32_t>(at.peer_port), vc);
    if (!std::exchange(entry.is_announced, true)) {
        outboxes_[at.channel].messages.push_back(entry.message);
        send(at.channel, {.time_ps = packet.time_ps,
                          .message = static_cast<std::uint32_t>(id),
                          .of_nic = entry.of_nic,
                          .buffer = target,
                          .kind = PacketMail::Kind::kAnnouncement});
    }
    send(at.channel, {.time_ps = packet.time_ps,
                      .message = packet.message_and_last,
                      .duration_ps = packet.duration_ps,
                      .bytes = packet.bytes,
                      .buffer = target,
                      .kind = PacketMail::Kind::kPacket});
    if (!packet.is_last()) return;
    entry.has_left = true;
    if (entry.is_injected) state_->messages.remove(id);
}

void PacketPartition::send_mail() {
    for (std::size_t n = 0; n < outboxes_.size(); ++n) {
        if (!outboxes_[n].empty()) transport_->send(leaving_[n], outboxes_[n]);
    }
}

}  // namespace haichi
