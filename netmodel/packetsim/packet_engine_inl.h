#pragma once

// The bodies of packet_engine.h.

#include <utility>

#include "netmodel/packetsim/packet_engine.h"

namespace haichi {

namespace packet_engine_detail {

/// Beyond the longest passage: only waiting for a slow client or a far timer lies behind it.
inline std::int64_t horizon_ps(const PacketPorts& ports) {
    std::int64_t longest = 1;
    for (const PacketPorts::Class& port : ports.classes()) {
        longest = std::max(longest, port.latency_ps + 2 * port.full_packet_ps);
    }
    return longest;
}

}  // namespace packet_engine_detail

template <class Client>
PacketEngine<Client>::PacketEngine(const Network& network, const PacketTiming& timing, Client& client,
                                   const PacketEngineOptions& options)
    : network_(&network),
      timing_(timing),
      client_(&client),
      virtual_channels_(network),
      ports_(network, timing),
      buffer_packets_(timing.options().buffer_packets),
      vcs_(timing.options().virtual_channels),
      first_injection_buffer_(ports_.link_count() * vcs_),
      wheel_(packet_engine_detail::horizon_ps(ports_)) {
    // Not a constraint of the template: a client may be incomplete where it keeps a pointer to its engine.
    static_assert(PacketClient<Client>);
    virtual_channels_.check(vcs_);
    const auto* grid = std::get_if<GridFabric>(&network.fabric());
    if (grid != nullptr && network.routes_are_shortest()) steps_.emplace(grid->topology, grid->routing);
    build_buffers();
    nics_.resize(static_cast<std::size_t>(network.node_count()));
    if (options.count_bytes) bytes_passed_.assign(outputs_.size(), 0);
}

template <class Client>
void PacketEngine<Client>::build_buffers() {
    const auto routers = static_cast<std::size_t>(ports_.vertex_count());
    buffers_.resize(static_cast<std::size_t>(ports_.buffer_count()));
    slots_.resize(buffers_.size() * static_cast<std::size_t>(buffer_packets_));
    for (std::int32_t l = 0; l < ports_.link_count(); ++l) {
        for (std::int32_t vc = 0; vc < vcs_; ++vc) {
            buffers_[static_cast<std::size_t>(l * vcs_ + vc)].vertex =
                ports_.link_target()[static_cast<std::size_t>(l)];
        }
    }
    for (std::int32_t n = 0; n < network_->node_count(); ++n) {
        buffers_[static_cast<std::size_t>(first_injection_buffer_ + n)].vertex = network_->vertex(NodeId(n));
    }
    std::vector<std::uint32_t> first(routers + 1, 0);
    for (const PacketBuffer& buffer : buffers_) {
        if (buffer.vertex.valid()) ++first[buffer.vertex.index() + 1];
    }
    const std::uint32_t most = *std::ranges::max_element(first);
    for (std::size_t v = 0; v < routers; ++v) first[v + 1] += first[v];
    buffers_of_routers_.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
        PacketBuffer& buffer = buffers_[b];
        if (!buffer.vertex.valid()) continue;
        const std::uint32_t place = next[buffer.vertex.index()]++;
        buffers_of_routers_[place] = static_cast<std::int32_t>(b);
        buffer.number = place - first[buffer.vertex.index()];
    }
    outputs_.resize(static_cast<std::size_t>(ports_.output_count()));
    waiting_.emplace(outputs_.size(), most);
    for (std::int32_t o = 0; o < ports_.output_count(); ++o) {
        const VertexId at = o < ports_.link_count() ? ports_.link_source()[static_cast<std::size_t>(o)]
                                                    : network_->vertex(NodeId(o - ports_.link_count()));
        PacketOutput& output = outputs_[static_cast<std::size_t>(o)];
        if (!at.valid()) continue;
        output.first_buffer = first[at.index()];
        output.last_granted = first[at.index() + 1] - first[at.index()] - 1;  // the first turn starts at the lowest
        output.port_class = ports_.class_of_output()[static_cast<std::size_t>(o)];
    }
}

template <class Client>
MessageId PacketEngine<Client>::inject(const PacketMessage& message, std::int64_t time_ps) {
    for (const NodeId node : {message.source, message.destination}) {
        if (node.value < 0 || node.value >= network_->node_count() || !network_->is_usable(node)) {
            throw OptionError("node " + std::to_string(node.value) + " cannot send or receive");
        }
    }
    if (message.bytes < 0) throw OptionError("a message cannot have " + std::to_string(message.bytes) + " bytes");
    if (time_ps < now_ps_) {
        throw OptionError("a message cannot be sent at " + std::to_string(time_ps) + " ps: it is " +
                          std::to_string(now_ps_) + " ps already");
    }
    const std::int32_t id = messages_.add(message, network_->vertex(message.destination), timing_);
    ++counts_.messages_under_way;
    if (time_ps > now_ps_) {
        posts_.emplace(++last_post_, id);
        push(time_ps, kPost, message.source.value, last_post_);
    } else {
        queue(id);
    }
    return MessageId(id);
}

template <class Client>
void PacketEngine<Client>::call_at(NodeId node, std::uint32_t data, std::int64_t time_ps) {
    if (time_ps < now_ps_) throw OptionError("a timer cannot be set for a time that is over");
    push(time_ps, kTimer, node.value, data);
}

template <class Client>
void PacketEngine<Client>::call_across(NodeId, NodeId node, std::uint32_t data, std::int64_t time_ps) {
    call_at(node, data, time_ps);
}

template <class Client>
void PacketEngine<Client>::run(std::int64_t until_ps) {
    run_while([] { return true; }, until_ps);
}

template <class Client>
void PacketEngine<Client>::run_while(const std::function<bool()>& go_on, std::int64_t until_ps) {
    constexpr std::int64_t kWindowPs = 1'000'000;
    std::int64_t window_end_ps = now_ps_;
    while (!wheel_.empty() && wheel_.next_time_ps() <= until_ps) {
        if (wheel_.next_time_ps() >= window_end_ps) {
            if (!go_on()) return;
            window_end_ps = wheel_.next_time_ps() + kWindowPs;
        }
        const TimeWheel::Event event = wheel_.pop();
        now_ps_ = event.time_ps;
        ++counts_.events;
        look_ahead();
        handle(event);
    }
    if (wheel_.empty() && counts_.messages_under_way > 0) {
        throw InternalError("deadlock in the packet simulator: " + std::to_string(counts_.messages_under_way) +
                            " messages are under way at " + std::to_string(now_ps_) + " ps and nothing moves");
    }
    if (until_ps != kForEver) now_ps_ = std::max(now_ps_, until_ps);
}

template <class Client>
void PacketEngine<Client>::handle(const TimeWheel::Event& event) {
    const std::int32_t entity = entity_of(event);
    switch (priority_of(event)) {
        case kWake:
            if (outputs_[static_cast<std::size_t>(entity)].wake_ps == now_ps_) wake_output(entity);
            return;
        case kFront:
            return come_to_front(entity);
        case kNic:
            return nic_ready(entity);
        case kPost:
            return queue(posts_.extract(event.data).mapped());
        case kDelivery:
            return deliver(static_cast<std::int32_t>(event.data));
        case kTimer:
            client_->timer(NodeId(entity), event.data, now_ps_);
            return;
    }
}

template <class Client>
void PacketEngine<Client>::look_ahead() {
    // In three steps, because each finds its address in what the one before has fetched.
    if (const TimeWheel::Event* far = wheel_.ahead(12)) {
        const auto entity = static_cast<std::size_t>(entity_of(*far));
        if (priority_of(*far) == kFront) __builtin_prefetch(&buffers_[entity]);
        if (priority_of(*far) == kWake) __builtin_prefetch(&outputs_[entity]);
    }
    if (const TimeWheel::Event* event = wheel_.ahead(8); event != nullptr && priority_of(*event) == kFront) {
        const std::int32_t buffer = entity_of(*event);
        __builtin_prefetch(&slot(buffer, buffers_[static_cast<std::size_t>(buffer)].first));
    }
    if (const TimeWheel::Event* near = wheel_.ahead(4); near != nullptr && priority_of(*near) == kFront) {
        const std::int32_t buffer = entity_of(*near);
        const PacketBuffer& at = buffers_[static_cast<std::size_t>(buffer)];
        choose_hop(buffer);
        __builtin_prefetch(&outputs_[static_cast<std::size_t>(at.request)]);
        if (at.request < ports_.link_count()) {
            const std::int32_t target = at.request * vcs_ + at.request_vc;
            __builtin_prefetch(&buffers_[static_cast<std::size_t>(target)]);
        }
    }
    if (const TimeWheel::Event* next = wheel_.ahead(1); next != nullptr && priority_of(*next) == kFront) {
        const PacketBuffer& at = buffers_[static_cast<std::size_t>(entity_of(*next))];
        if (at.request >= 0 && at.request < ports_.link_count()) {
            const std::int32_t target = at.request * vcs_ + at.request_vc;
            const PacketBuffer& downstream = buffers_[static_cast<std::size_t>(target)];
            __builtin_prefetch(&slot(target, downstream.first + downstream.count), 1);
        }
    }
}

/// The packet at the front; its head need not have arrived yet.
template <class Client>
void PacketEngine<Client>::choose_hop(std::int32_t buffer) {
    PacketBuffer& at = buffers_[static_cast<std::size_t>(buffer)];
    if (at.request != PacketBuffer::kNotRouted) return;
    const auto index = static_cast<std::size_t>(slot(buffer, at.first).message_and_last / 2);
    const auto ejection = [&] { return ports_.link_count() + messages_.entries[index].message.destination.value; };
    if (steps_) {
        const VertexId destination = messages_.destination[index];
        if (at.vertex == destination) {
            at.request = ejection();
            return;
        }
        const ChannelHop hop = steps_->next(at.vertex, destination);
        at.request = hop.link.value;
        at.request_vc = hop.vc;
        return;
    }
    // No route takes a link twice, so the link that a packet came by tells where on its route it is.
    const std::vector<ChannelHop>& route = messages_.routes[index];
    auto next = route.begin();
    if (buffer < first_injection_buffer_) next = std::ranges::find(route, LinkId(buffer / vcs_), &ChannelHop::link) + 1;
    if (next == route.end()) {
        at.request = ejection();
        return;
    }
    at.request = next->link.value;
    at.request_vc = next->vc;
}

template <class Client>
std::int64_t PacketEngine<Client>::credit_ps(const PacketBuffer& buffer) {
    if (buffer.request >= ports_.link_count()) return now_ps_;  // the NIC always drains
    const std::int32_t target = buffer.request * vcs_ + buffer.request_vc;
    PacketBuffer& downstream = buffers_[static_cast<std::size_t>(target)];
    if (downstream.count == buffer_packets_) {
        downstream.upstream_waits = true;
        return kForEver;
    }
    return slot(target, downstream.first + downstream.count).time_ps +
           class_of(outputs_[static_cast<std::size_t>(buffer.request)]).latency_ps;
}

template <class Client>
void PacketEngine<Client>::come_to_front(std::int32_t buffer) {
    PacketBuffer& at = buffers_[static_cast<std::size_t>(buffer)];
    choose_hop(buffer);
    PacketOutput& output = outputs_[static_cast<std::size_t>(at.request)];
    std::int64_t possible_ps = output.busy_until_ps;
    if (possible_ps <= now_ps_) {
        possible_ps = credit_ps(at);
        if (possible_ps <= now_ps_) return grant(buffer);
    }
    waiting_->add(static_cast<std::size_t>(at.request), at.number);
    output.has_waiting = true;
    if (possible_ps != kForEver) wake_at(at.request, possible_ps);
}

template <class Client>
void PacketEngine<Client>::wake_at(std::int32_t output, std::int64_t time_ps) {
    PacketOutput& at = outputs_[static_cast<std::size_t>(output)];
    if (time_ps >= at.wake_ps) return;
    at.wake_ps = time_ps;
    push(time_ps, kWake, output);
}

template <class Client>
void PacketEngine<Client>::wake_output(std::int32_t output) {
    PacketOutput& at = outputs_[static_cast<std::size_t>(output)];
    at.wake_ps = PacketOutput::kNoWake;
    const auto index = static_cast<std::size_t>(output);
    if (at.busy_until_ps > now_ps_) {
        if (at.has_waiting) wake_at(output, at.busy_until_ps);
        return;
    }
    std::int64_t earliest_ps = kForEver;
    const std::uint32_t chosen = waiting_->first_after(index, at.last_granted, [&](std::uint32_t number) {
        const std::int32_t buffer = buffers_of_routers_[at.first_buffer + number];
        const std::int64_t possible_ps = credit_ps(buffers_[static_cast<std::size_t>(buffer)]);
        earliest_ps = std::min(earliest_ps, possible_ps);
        return possible_ps <= now_ps_;
    });
    if (chosen != WaitingBuffers::kNone) {
        waiting_->remove(index, chosen);
        at.has_waiting = waiting_->any(index);
        grant(buffers_of_routers_[at.first_buffer + chosen]);
    } else if (earliest_ps != kForEver) {
        wake_at(output, earliest_ps);
    }
}

template <class Client>
std::uint32_t PacketEngine<Client>::duration_ps(const PacketSlot& packet, const PacketPorts::Class& port) const {
    if (ports_.bandwidth_is_uniform()) return packet.duration_ps;
    if (packet.message_and_last % 2 == 0) return static_cast<std::uint32_t>(port.full_packet_ps);
    const std::uint32_t bytes = messages_.entries[packet.message_and_last / 2].last_packet_bytes;
    return static_cast<std::uint32_t>(transfer_ps(bytes, port.bandwidth_bytes_per_s));
}

template <class Client>
std::int64_t PacketEngine<Client>::packet_bytes(const PacketSlot& packet) const {
    if (packet.message_and_last % 2 == 0) return timing_.full_packet_bytes();
    return messages_.entries[packet.message_and_last / 2].last_packet_bytes;
}

template <class Client>
void PacketEngine<Client>::grant(std::int32_t buffer) {
    PacketBuffer& at = buffers_[static_cast<std::size_t>(buffer)];
    PacketOutput& output = outputs_[static_cast<std::size_t>(at.request)];
    const PacketPorts::Class& port = class_of(output);
    PacketSlot& from = slot(buffer, at.first);
    PacketSlot packet = from;
    const std::uint32_t output_ps = duration_ps(packet, port);
    packet.duration_ps = std::max(packet.duration_ps, output_ps);
    packet.time_ps = now_ps_ + port.latency_ps;
    output.busy_until_ps = now_ps_ + output_ps;
    output.last_granted = at.number;
    ++counts_.packet_hops;
    if (!bytes_passed_.empty()) bytes_passed_[static_cast<std::size_t>(at.request)] += packet_bytes(packet);
    if (at.request < ports_.link_count()) {
        send_downstream(at.request * vcs_ + at.request_vc, packet);
    } else {
        eject(packet, NodeId(at.request - ports_.link_count()));
    }

    at.leave_ps = now_ps_ + packet.duration_ps;
    from.time_ps = at.leave_ps;
    at.first = static_cast<std::uint16_t>(at.first + 1 == buffer_packets_ ? 0 : at.first + 1);
    --at.count;
    if (at.count > 0) push(std::max(slot(buffer, at.first).time_ps, at.leave_ps), kFront, buffer);
    if (at.upstream_waits) {
        at.upstream_waits = false;
        if (buffer >= first_injection_buffer_) {
            push(at.leave_ps, kNic, buffer - first_injection_buffer_);
        } else {
            const std::int32_t upstream = buffer / vcs_;
            wake_at(upstream, at.leave_ps + class_of(outputs_[static_cast<std::size_t>(upstream)]).latency_ps);
        }
    }
    if (output.has_waiting) wake_at(at.request, output.busy_until_ps);
    at.request = PacketBuffer::kNotRouted;
}

template <class Client>
void PacketEngine<Client>::send_downstream(std::int32_t target, PacketSlot packet) {
    PacketBuffer& buffer = buffers_[static_cast<std::size_t>(target)];
    slot(target, buffer.first + buffer.count) = packet;
    if (buffer.count++ == 0) push(std::max(packet.time_ps, buffer.leave_ps), kFront, target);
}

template <class Client>
void PacketEngine<Client>::eject(const PacketSlot& packet, NodeId node) {
    ++counts_.packets_ejected;
    if (packet.message_and_last % 2 == 0) return;  // packets of a message arrive in order
    push(packet.time_ps + packet.duration_ps, kDelivery, node.value, packet.message_and_last / 2);
}

template <class Client>
void PacketEngine<Client>::queue(std::int32_t message) {
    MessagePool::Entry& entry = messages_.entries[static_cast<std::size_t>(message)];
    const std::int32_t node = entry.message.source.value;
    PacketNic& nic = nics_[static_cast<std::size_t>(node)];
    if (nic.last_message == PacketNic::kNone) {
        nic.first_message = message;
    } else {
        messages_.entries[static_cast<std::size_t>(nic.last_message)].next = message;
    }
    nic.last_message = message;
    if (nic.is_idle) send_next(node);
}

template <class Client>
void PacketEngine<Client>::nic_ready(std::int32_t node) {
    PacketNic& nic = nics_[static_cast<std::size_t>(node)];
    if (nic.leaving_message != PacketNic::kNone) {
        const std::int32_t message = std::exchange(nic.leaving_message, PacketNic::kNone);
        const PacketMessage info = messages_.entries[static_cast<std::size_t>(message)].message;
        client_->message_injected(MessageId(message), info, now_ps_);
    }
    send_next(node);
}

/// Cuts the next packet, if there is one and room for it; else the NIC idles, or comes back when there is room.
template <class Client>
void PacketEngine<Client>::send_next(std::int32_t node) {
    PacketNic& nic = nics_[static_cast<std::size_t>(node)];
    nic.is_idle = nic.first_message == PacketNic::kNone;
    if (nic.is_idle) return;
    const std::int32_t buffer = first_injection_buffer_ + node;
    PacketBuffer& injection = buffers_[static_cast<std::size_t>(buffer)];
    if (injection.count == buffer_packets_) {
        injection.upstream_waits = true;
        return;
    }
    PacketSlot& target = slot(buffer, injection.first + injection.count);
    if (target.time_ps > now_ps_) return push(target.time_ps, kNic, node);

    const std::int32_t message = nic.first_message;
    MessagePool::Entry& entry = messages_.entries[static_cast<std::size_t>(message)];
    if (!steps_ && entry.left_bytes == entry.message.bytes) {
        messages_.routes.resize(messages_.entries.size());
        std::vector<ChannelHop>& route = messages_.routes[static_cast<std::size_t>(message)];
        route.clear();
        virtual_channels_.append_route(*network_, entry.message.source, entry.message.destination, route);
    }
    const std::int64_t payload_bytes = std::min(entry.left_bytes, timing_.options().packet_payload_bytes);
    entry.left_bytes -= payload_bytes;
    const bool is_last = entry.left_bytes == 0;
    const std::int64_t duration_ps =
        transfer_ps(payload_bytes + timing_.options().packet_header_bytes, ports_.nic_bandwidth_bytes_per_s());
    target = {now_ps_, static_cast<std::uint32_t>(message) * 2 + (is_last ? 1 : 0),
              static_cast<std::uint32_t>(duration_ps)};
    ++counts_.packets_injected;
    counts_.payload_bytes_injected += payload_bytes;
    if (is_last) {
        nic.first_message = entry.next;
        if (nic.first_message == PacketNic::kNone) nic.last_message = PacketNic::kNone;
        nic.leaving_message = message;
    }
    push(now_ps_ + duration_ps, kNic, node);
    if (injection.count++ > 0) return;
    if (injection.leave_ps > now_ps_) {
        push(injection.leave_ps, kFront, buffer);
    } else {
        come_to_front(buffer);
    }
}

template <class Client>
void PacketEngine<Client>::deliver(std::int32_t message) {
    const PacketMessage info = messages_.entries[static_cast<std::size_t>(message)].message;
    counts_.payload_bytes_delivered += info.bytes;
    --counts_.messages_under_way;
    client_->message_delivered(MessageId(message), info, now_ps_);
    messages_.remove(message);
}

template <class Client>
bool PacketEngine<Client>::is_drained() const {
    const bool empty = std::ranges::all_of(buffers_, [](const PacketBuffer& buffer) { return buffer.count == 0; });
    return empty && std::ranges::all_of(slots_, [this](const PacketSlot& slot) { return slot.time_ps <= now_ps_; });
}

template <class Client>
std::int32_t PacketEngine<Client>::most_packets_waiting() const {
    return std::ranges::max_element(buffers_, {}, &PacketBuffer::count)->count;
}

template <class Client>
std::size_t PacketEngine<Client>::memory_bytes() const {
    return wheel_.memory_bytes() + outputs_.capacity() * sizeof(PacketOutput) +
           buffers_.capacity() * sizeof(PacketBuffer) + slots_.capacity() * sizeof(PacketSlot) +
           buffers_of_routers_.capacity() * sizeof(std::int32_t) + waiting_->memory_bytes() +
           nics_.capacity() * sizeof(PacketNic) + messages_.entries.capacity() * sizeof(MessagePool::Entry);
}

}  // namespace haichi
