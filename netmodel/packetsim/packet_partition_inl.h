#pragma once

// The bodies of packet_partition.h: events, and the passage of packets through routers.

#include <utility>

#include "netmodel/packetsim/packet_partition.h"

namespace haichi {

template <class Client>
PacketPartition<Client>::PacketPartition(PacketMachine& machine, Client& client, int index)
    : machine_(&machine),
      client_(&client),
      index_(index),
      wheel_(machine.ports.longest_passage_ps()),
      outboxes_(static_cast<std::size_t>(machine.partition_count)),
      inboxes_(outboxes_.size()) {}

template <class Client>
MessageId PacketPartition<Client>::inject(const PacketMessage& message, std::int64_t time_ps) {
    const VertexId to = machine_->network->vertex(message.destination);
    const std::int32_t id = machine_->messages.add(index_, message, to, machine_->timing);
    ++counts_.messages_under_way;
    if (time_ps > now_ps_) {
        posts_.emplace(++last_post_, id);
        push(time_ps, kPost, message.source.value, last_post_);
    } else {
        start(id);
    }
    return MessageId(id);
}

template <class Client>
void PacketPartition<Client>::send(int partition, const PacketMail& mail) {
    std::int64_t felt_ps = mail.packet.time_ps;
    if (mail.kind == PacketMail::Kind::kMessageDone) felt_ps = kForEver;
    earliest_mail_ps_ = std::min(earliest_mail_ps_, felt_ps);
    outboxes_[static_cast<std::size_t>(partition)].push_back(mail);
}

template <class Client>
void PacketPartition<Client>::take_mail() {
    earliest_mail_ps_ = kForEver;
    for (std::vector<PacketMail>& mail : inboxes_) {
        for (const PacketMail& item : mail) take(item);
        mail.clear();
    }
}

template <class Client>
void PacketPartition<Client>::take(const PacketMail& item) {
    switch (item.kind) {
        case PacketMail::Kind::kPacket:
            return put(item.entity, item.packet);
        case PacketMail::Kind::kCredit:
            return give_credit(item.entity, item.packet);
        case PacketMail::Kind::kTimer:
            return push(item.packet.time_ps, kTimer, item.entity, item.packet.message_and_last);
        case PacketMail::Kind::kMessageDone:
            return machine_->messages.remove(item.entity);
    }
}

template <class Client>
std::int64_t PacketPartition<Client>::next_ps() {
    return std::min(earliest_mail_ps_, wheel_.empty() ? kForEver : wheel_.next_time_ps());
}

template <class Client>
void PacketPartition<Client>::run(std::int64_t until_ps) {
    take_mail();
    while (!wheel_.empty() && wheel_.next_time_ps() <= until_ps) {
        const TimeWheel::Event event = wheel_.pop();
        now_ps_ = event.time_ps;
        ++counts_.events;
        look_ahead();
        handle(event);
    }
}

template <class Client>
void PacketPartition<Client>::handle(const TimeWheel::Event& event) {
    const std::int32_t entity = entity_of(event);
    // Which outputs are woken in vain depends on the partitions.
    if (priority_of(event) != kWake) last_change_ps_ = now_ps_;
    switch (priority_of(event)) {
        case kWake:
            if (output(entity).wake_ps == now_ps_) wake_output(entity);
            return;
        case kFront:
            return come_to_front(entity);
        case kReceived:
            return receive(entity, static_cast<std::int32_t>(event.data));
        case kNic:
            return nic_ready(entity);
        case kPost:
            return start(posts_.extract(event.data).mapped());
        case kCopied:
        case kDelivery:
            return finish(event);
        case kTimer:
            client_->timer(NodeId(entity), event.data, now_ps_);
            return;
    }
}

template <class Client>
void PacketPartition<Client>::look_ahead() {
    // In three steps, because each finds its address in what the one before has fetched.
    PacketMachine& machine = *machine_;
    if (const TimeWheel::Event* far = wheel_.ahead(12)) {
        const auto entity = static_cast<std::size_t>(entity_of(*far));
        if (priority_of(*far) == kFront) __builtin_prefetch(&machine.buffers[entity]);
        if (priority_of(*far) == kWake) __builtin_prefetch(&machine.outputs[entity]);
    }
    if (const TimeWheel::Event* event = wheel_.ahead(8); event != nullptr && priority_of(*event) == kFront) {
        const std::int32_t at = entity_of(*event);
        __builtin_prefetch(&machine.slot(at, buffer(at).first));
    }
    if (const TimeWheel::Event* near = wheel_.ahead(4); near != nullptr && priority_of(*near) == kFront) {
        const PacketBuffer& at = buffer(entity_of(*near));
        choose_hop(entity_of(*near));
        __builtin_prefetch(&output(at.request));
        if (at.request < machine.ports.link_count()) {
            __builtin_prefetch(&buffer(machine.buffer_behind(at.request, at.request_vc)));
        }
    }
    if (const TimeWheel::Event* next = wheel_.ahead(1); next != nullptr && priority_of(*next) == kFront) {
        const PacketBuffer& at = buffer(entity_of(*next));
        if (at.request >= 0 && at.request < machine.ports.link_count() && !output(at.request).is_cut) {
            const std::int32_t target = machine.buffer_behind(at.request, at.request_vc);
            __builtin_prefetch(&machine.slot(target, buffer(target).first + buffer(target).count), 1);
        }
    }
}

/// The packet at the front; its head need not have arrived yet.
template <class Client>
void PacketPartition<Client>::choose_hop(std::int32_t at_buffer) {
    PacketBuffer& at = buffer(at_buffer);
    if (at.request != PacketBuffer::kNotRouted) return;
    const std::int32_t message = machine_->slot(at_buffer, at.first).message();
    const auto ejection = [&] {
        const PacketMessage& info = machine_->messages.entry(message).message;
        return machine_->ports.link_count() + info.destination.value * machine_->nics_per_node + info.nic;
    };
    if (machine_->steps) {
        const VertexId destination = machine_->messages.destination(message);
        if (at.vertex == destination) {
            at.request = ejection();
            return;
        }
        const ChannelHop hop = machine_->steps->next(at.vertex, destination);
        at.request = hop.link.value;
        at.request_vc = hop.vc;
        return;
    }
    // No route takes a link twice, so the link that a packet came by tells where on its route it is.
    const std::vector<ChannelHop>& route = machine_->messages.route(message);
    auto next = route.begin();
    if (at_buffer < machine_->first_injection_buffer) {
        next = std::ranges::find(route, LinkId(at_buffer / machine_->vcs), &ChannelHop::link) + 1;
    }
    if (next == route.end()) {
        at.request = ejection();
        return;
    }
    at.request = next->link.value;
    at.request_vc = next->vc;
}

template <class Client>
std::int64_t PacketPartition<Client>::credit_ps(const PacketBuffer& from) {
    if (from.request >= machine_->ports.link_count()) return now_ps_;  // the NIC always drains
    const PacketOutput& port = output(from.request);
    const std::int32_t target = port.is_cut ? machine_->shadow_behind(from.request, from.request_vc)
                                            : machine_->buffer_behind(from.request, from.request_vc);
    PacketBuffer& downstream = buffer(target);
    if (downstream.count == machine_->buffer_packets) {
        downstream.upstream_waits = true;
        return kForEver;
    }
    return machine_->slot(target, downstream.first + downstream.count).free_since_ps() +
           machine_->class_of(port).latency_ps;
}

template <class Client>
void PacketPartition<Client>::come_to_front(std::int32_t at_buffer) {
    PacketBuffer& at = buffer(at_buffer);
    choose_hop(at_buffer);
    PacketOutput& port = output(at.request);
    std::int64_t possible_ps = port.busy_until_ps;
    if (possible_ps <= now_ps_) {
        possible_ps = credit_ps(at);
        if (possible_ps <= now_ps_) return grant(at_buffer);
    }
    machine_->waiting->add(static_cast<std::size_t>(at.request), at.number);
    port.has_waiting = true;
    if (possible_ps != kForEver) wake_at(at.request, possible_ps);
}

template <class Client>
void PacketPartition<Client>::wake_at(std::int32_t o, std::int64_t time_ps) {
    PacketOutput& at = output(o);
    if (time_ps >= at.wake_ps) return;
    at.wake_ps = time_ps;
    push(time_ps, kWake, o);
}

template <class Client>
void PacketPartition<Client>::wake_output(std::int32_t o) {
    PacketOutput& at = output(o);
    at.wake_ps = PacketOutput::kNoWake;
    const auto index = static_cast<std::size_t>(o);
    if (at.busy_until_ps > now_ps_) {
        if (at.has_waiting) wake_at(o, at.busy_until_ps);
        return;
    }
    std::int64_t earliest_ps = kForEver;
    const std::uint32_t chosen = machine_->waiting->first_after(index, at.last_granted, [&](std::uint32_t number) {
        const std::int64_t possible_ps = credit_ps(buffer(machine_->buffers_of_routers[at.first_buffer + number]));
        earliest_ps = std::min(earliest_ps, possible_ps);
        return possible_ps <= now_ps_;
    });
    if (chosen != WaitingBuffers::kNone) {
        machine_->waiting->remove(index, chosen);
        at.has_waiting = machine_->waiting->any(index);
        grant(machine_->buffers_of_routers[at.first_buffer + chosen]);
    } else if (earliest_ps != kForEver) {
        wake_at(o, earliest_ps);
    }
}

template <class Client>
std::uint32_t PacketPartition<Client>::duration_ps(const PacketSlot& packet, const PacketPorts::Class& port) const {
    if (machine_->ports.bandwidth_is_uniform()) return packet.duration_ps;
    if (!packet.is_last()) return static_cast<std::uint32_t>(port.full_packet_ps);
    return static_cast<std::uint32_t>(
        transfer_ps(machine_->messages.last_packet_bytes(packet.message()), port.bandwidth_bytes_per_s));
}

/// How long a packet takes to leave its buffer for the output's queue: as long as it took the channel that feeds the
/// buffer, so that slower outputs hold back their own packets only.
template <class Client>
std::uint32_t PacketPartition<Client>::reading_ps(std::int32_t at_buffer, const PacketSlot& packet) const {
    if (machine_->ports.bandwidth_is_uniform()) return packet.duration_ps;
    if (at_buffer < machine_->first_injection_buffer) {
        const PacketOutput& feeding = machine_->outputs[static_cast<std::size_t>(at_buffer / machine_->vcs)];
        return duration_ps(packet, machine_->class_of(feeding));
    }
    return static_cast<std::uint32_t>(transfer_ps(packet_bytes(packet), machine_->ports.nic_bandwidth_bytes_per_s()));
}

template <class Client>
std::int64_t PacketPartition<Client>::packet_bytes(const PacketSlot& packet) const {
    if (!packet.is_last()) return machine_->timing.full_packet_bytes();
    return machine_->messages.last_packet_bytes(packet.message());
}

template <class Client>
void PacketPartition<Client>::grant(std::int32_t at_buffer) {
    PacketBuffer& at = buffer(at_buffer);
    const std::int32_t requested = at.request;
    PacketOutput& port = output(requested);
    const PacketPorts::Class& port_class = machine_->class_of(port);
    PacketSlot& from = machine_->slot(at_buffer, at.first);
    PacketSlot packet = from;
    if (at.is_watched) watch(at_buffer, packet);
    const std::uint32_t output_ps = duration_ps(packet, port_class);
    packet.duration_ps = std::max(packet.duration_ps, output_ps);
    packet.time_ps = now_ps_ + port_class.latency_ps;
    port.busy_until_ps = now_ps_ + output_ps;
    port.last_granted = at.number;
    last_change_ps_ = now_ps_;
    ++counts_.packet_hops;
    if (!machine_->bytes_passed.empty()) {
        machine_->bytes_passed[static_cast<std::size_t>(requested)] += packet_bytes(packet);
    }
    if (requested >= machine_->ports.link_count()) {
        eject(packet, requested - machine_->ports.link_count());
    } else if (!port.is_cut) {
        put(machine_->buffer_behind(requested, at.request_vc), packet);
    } else {
        ++buffer(machine_->shadow_behind(requested, at.request_vc)).count;
        const std::int32_t target = machine_->buffer_behind(requested, at.request_vc);
        send(machine_->partition_of(buffer(target).vertex), {packet, target, PacketMail::Kind::kPacket});
    }

    at.next_front_ps = now_ps_ + reading_ps(at_buffer, from);
    at.request = PacketBuffer::kNotRouted;
    give_slot_back(at_buffer, now_ps_ + packet.duration_ps);
    if (at.count > 0) push(std::max(machine_->slot(at_buffer, at.first).time_ps, at.next_front_ps), kFront, at_buffer);
    if (port.has_waiting) wake_at(requested, port.busy_until_ps);
}

/// The tail of the packet at the front leaves then: its slot is free, and whoever waits for that is told.
template <class Client>
void PacketPartition<Client>::give_slot_back(std::int32_t at_buffer, std::int64_t leave_ps) {
    PacketBuffer& at = buffer(at_buffer);
    machine_->slot(at_buffer, at.first).set_free_since(leave_ps);
    at.first = static_cast<std::uint16_t>(at.first + 1 == machine_->buffer_packets ? 0 : at.first + 1);
    --at.count;
    if (at.is_cut) {
        const std::int32_t link = at_buffer / machine_->vcs;
        const VertexId upstream = machine_->ports.link_source()[static_cast<std::size_t>(link)];
        const std::int64_t usable_ps = leave_ps + machine_->class_of(output(link)).latency_ps;
        const std::int32_t shadow = machine_->shadow_behind(link, at_buffer % machine_->vcs);
        send(machine_->partition_of(upstream),
             {{usable_ps, static_cast<std::uint32_t>(link), 0}, shadow, PacketMail::Kind::kCredit});
    } else if (at.upstream_waits) {
        at.upstream_waits = false;
        if (at_buffer >= machine_->first_injection_buffer) {
            push(leave_ps, kNic, at_buffer - machine_->first_injection_buffer);
        } else {
            const std::int32_t link = at_buffer / machine_->vcs;
            wake_at(link, leave_ps + machine_->class_of(output(link)).latency_ps);
        }
    }
}

/// The same for the shadow of a buffer, whose real slot has been given back.
template <class Client>
void PacketPartition<Client>::give_credit(std::int32_t shadow, const PacketSlot& credit) {
    PacketBuffer& at = buffer(shadow);
    const auto link = static_cast<std::int32_t>(credit.message_and_last);
    const std::int64_t usable_ps = credit.time_ps;
    machine_->slot(shadow, at.first).set_free_since(usable_ps - machine_->class_of(output(link)).latency_ps);
    at.first = static_cast<std::uint16_t>(at.first + 1 == machine_->buffer_packets ? 0 : at.first + 1);
    --at.count;
    if (at.upstream_waits) {
        at.upstream_waits = false;
        wake_at(link, usable_ps);
    }
}

template <class Client>
void PacketPartition<Client>::put(std::int32_t target, const PacketSlot& packet) {
    PacketBuffer& at = buffer(target);
    machine_->slot(target, at.first + at.count) = packet;
    if (at.count++ == 0) push(std::max(packet.time_ps, at.next_front_ps), kFront, target);
}

template <class Client>
void PacketPartition<Client>::watch(std::int32_t at_buffer, const PacketSlot& packet) {
    passages_.push_back({now_ps_, packet.time_ps, at_buffer, buffer(at_buffer).request,
                         machine_->messages.entry(packet.message()).message});
}

}  // namespace haichi
