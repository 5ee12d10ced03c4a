#pragma once

// The bodies of packet_partition.h: events, and the passage of packets through routers.

#include <bit>
#include <utility>

#include "netmodel/packetsim/packet_partition.h"

namespace haichi {

template <class Client>
PacketPartition<Client>::PacketPartition(PacketMachine& machine, Client& client, int index, std::int64_t window_ps)
    : machine_(&machine),
      state_(&machine.parts[static_cast<std::size_t>(index)]),
      client_(&client),
      index_(index),
      steps_(machine.steps ? &*machine.steps : nullptr),
      links_(state_->link_count()),
      is_uniform_(machine.ports.bandwidth_is_uniform()),
      are_full_(machine.ports.packets_are_full()),
      is_large_(state_->ports.size_bytes() > kNearCacheBytes),
      queue_(window_ps, state_->places),
      outboxes_(state_->neighbours.size()) {}

template <class Client>
void PacketPartition<Client>::inject(const PacketMessage& message, std::int64_t time_ps) {
    const std::int32_t id = add_message(message);
    ++counts_.messages_under_way;
    if (time_ps > now_ps_) {
        posts_.emplace(++last_post_, id);
        push_node(time_ps, kPost, machine_->local_node(message.source), last_post_);
    } else {
        start(id);
    }
}

// ---- Events ---------------------------------------------------------------------------------------------------------

template <class Client>
std::int64_t PacketPartition<Client>::next_ps() {
    return std::min(earliest_mail_ps_, queue_.next_ps());
}

template <class Client>
void PacketPartition<Client>::run(std::int64_t begin_ps, std::int64_t until_ps) {
    take_mail();
    queue_.begin(begin_ps, until_ps);
    looked_at_ = {};
    while (queue_.next_place()) {
        if (is_large_) look_ahead();
        for (WindowQueue::Event event; queue_.pop(event);) {
            now_ps_ = queue_.time_ps(event);
            ++counts_.events;
            handle(event);
        }
    }
    queue_.end();
    send_mail();
}

template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::handle(const WindowQueue::Event& event) {
    const std::int32_t entity = entity_of(event);
    if (priority_of(event) == kFront) [[likely]] {
        last_change_ps_ = std::max(last_change_ps_, now_ps_);
        return come_to_front(entity, static_cast<std::int32_t>(event.data()));
    }
    if (priority_of(event) == kWake) {
        // Which outputs are woken in vain depends on the partitions: no change by itself.
        if (state_->port(entity).wake_ps == now_ps_) wake_output(entity);
        return;
    }
    last_change_ps_ = std::max(last_change_ps_, now_ps_);
    handle_host(event);
}

template <class Client>
[[gnu::noinline]] void PacketPartition<Client>::handle_host(const WindowQueue::Event& event) {
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

template <class Client>
[[gnu::noinline]] void PacketPartition<Client>::look_ahead() {
    // In two steps, because the second finds its addresses in what the first has fetched.
    constexpr std::size_t kFar = 24;
    constexpr std::size_t kNear = 12;
    const std::span<const WindowQueue::Event> events = queue_.elsewhere();
    const WindowQueue::Event* const begin = events.data();
    const auto end = [&](std::size_t distance) { return begin + std::min(distance, events.size()); };
    LookedAt& at = looked_at_;
    for (at.far = std::max(at.far, begin); at.far < end(kFar); ++at.far) fetch_state(*at.far);
    for (at.near = std::max(at.near, begin); at.near < end(kNear); ++at.near) fetch_behind(*at.near);
}

// Both are inline: compilers drop calls of functions that do nothing but prefetch.

/// Into the caches, what is known of it by the event alone: of a head its buffer and the channel that it asks for.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::fetch_state(const WindowQueue::Event& event) {
    const std::int32_t entity = entity_of(event);
    switch (priority_of(event)) {
        case kWake:
            __builtin_prefetch(&state_->port(entity));
            return;
        case kFront: {
            const auto request = static_cast<std::int32_t>(event.data());
            __builtin_prefetch(&state_->buffer(entity));
            __builtin_prefetch(&state_->buffer(entity).count);
            __builtin_prefetch(&state_->port(PacketPort::port_of(request)));
            __builtin_prefetch(&state_->buffer(request).count);
            return;
        }
        case kNic:
            __builtin_prefetch(&state_->nics[static_cast<std::size_t>(entity)]);
            return;
        default:
            return;
    }
}

/// The packet at the front, where its credit goes, and the router that will be next; or the message to be delivered.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::fetch_behind(const WindowQueue::Event& event) {
    if (priority_of(event) == kDelivery) state_->messages.prefetch(static_cast<std::int32_t>(event.data()));
    if (priority_of(event) != kFront) return;
    const std::int32_t b = entity_of(event);
    const PacketBuffer& at = state_->buffer(b);
    __builtin_prefetch(&state_->packets[at.first]);
    state_->prefetch_credit(at, b);
    const PacketPort& out = state_->port(PacketPort::port_of(static_cast<std::int32_t>(event.data())));
    if (out.to_router != PacketPort::kNoRouter) __builtin_prefetch(&state_->routers[out.to_router]);
}

// ---- The passage of packets -----------------------------------------------------------------------------------------

/// What a packet asks for that has come, or will come, to a router.
template <class Client>
[[gnu::always_inline]] inline std::int32_t PacketPartition<Client>::next_request(const Packet& packet,
                                                                                 std::uint32_t at_router) const {
    if (steps_ == nullptr) return request_on_route(packet);
    const PacketRouter& router = state_->routers[at_router];
    const std::uint64_t to = packet.way & ((std::uint64_t{1} << GridSteps::kPositionBits) - 1);
    if (router.position == to) {
        const auto channel = static_cast<std::int32_t>(packet.way >> GridSteps::kPositionBits);
        return PacketPort::buffer(router.first_ejection + channel, 0);
    }
    const GridSteps::Step step = steps_->next(router.position, to);
    return PacketPort::buffer(router.first_port + step.link, step.vc);
}

template <class Client>
std::int32_t PacketPartition<Client>::request_on_route(const Packet& packet) const {
    const MessageTable::Entry& entry = state_->messages[packet.message()];
    if (packet.way == entry.route.size()) return PacketPort::buffer(entry.ejection, 0);
    const PortHop& hop = entry.route[packet.way];
    return PacketPort::buffer(hop.port, hop.vc);
}

template <class Client>
[[gnu::always_inline]] inline auto PacketPartition<Client>::channel(std::int32_t request) -> Channel {
    const std::int32_t number = PacketPort::port_of(request);
    PacketPort& port = state_->port(number);
    return {request, number, port, state_->buffer(request), machine_->class_of(port)};
}

template <class Client>
[[gnu::always_inline]] inline std::int64_t PacketPartition<Client>::credit_ps(PacketBuffer& to, std::int32_t b,
                                                                              Places places) {
    // Where all have left, the row of times begins anew, in memory that is in the caches. By arithmetic: nobody can
    // predict that branch.
    const std::uint16_t some_leave = to.leave_ps + places.latency_ps <= now_ps_ ? 0 : 0xffff;
    to.leaving &= some_leave;
    to.next_credit &= some_leave;
    if (to.count + to.leaving < places.count) [[likely]] {
        return now_ps_;
    }
    return late_credit_ps(to, b, places);
}

/// The same where no place is known to be free: looks which packets have left.
template <class Client>
[[gnu::noinline]] std::int64_t PacketPartition<Client>::late_credit_ps(PacketBuffer& to, std::int32_t b,
                                                                       Places places) {
    if (to.count == places.count) {
        state_->await_place(b);
        return kForEver;
    }
    const std::int64_t leave_ps = state_->free_places(to, b, now_ps_ - places.latency_ps);
    return to.count + to.leaving < places.count ? now_ps_ : leave_ps + places.latency_ps;
}

template <class Client>
[[gnu::always_inline]] inline std::int64_t PacketPartition<Client>::credit_behind_ps(const Channel& out) {
    if (out.number >= links_) return now_ps_;  // the NIC always drains
    return credit_ps(out.to, out.request, {out.port_class.buffer_packets, out.port_class.latency_ps});
}

template <class Client>
std::span<std::uint64_t> PacketPartition<Client>::wide_row(std::int32_t request) {
    const std::size_t words = state_->words_per_row;
    const std::int32_t row = PacketPort::port_of(request) * machine_->vcs + PacketPort::vc_of(request);
    return std::span(state_->wide_waiting).subspan(static_cast<std::size_t>(row) * words, words);
}

template <class Client>
void PacketPartition<Client>::add_waiting(const Channel& out, std::uint32_t number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    out.port.has_waiting = 1;
    if (state_->words_per_row == 1) {
        out.to.waiting |= bit;
    } else {
        wide_row(out.request)[number / 64] |= bit;
    }
}

template <class Client>
void PacketPartition<Client>::remove_waiting(const Channel& out, std::uint32_t number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    if (state_->words_per_row == 1) {
        out.to.waiting &= ~bit;
    } else {
        wide_row(out.request)[number / 64] &= ~bit;
    }
    bool has_waiting = false;
    for (std::int32_t vc = 0; vc < channels_of(out.number); ++vc) {
        has_waiting = has_waiting || any_waiting(PacketPort::buffer(out.number, vc));
    }
    out.port.has_waiting = has_waiting ? 1 : 0;
}

template <class Client>
[[gnu::always_inline]] inline bool PacketPartition<Client>::any_waiting(std::int32_t request) {
    if (state_->words_per_row == 1) return state_->buffer(request).waiting != 0;
    return std::ranges::any_of(wide_row(request), [](std::uint64_t word) { return word != 0; });
}

template <class Client>
std::int64_t PacketPartition<Client>::next_grant_ps(std::int32_t port) {
    std::int64_t earliest_ps = kForEver;
    for (std::int32_t vc = 0; vc < channels_of(port); ++vc) {
        const std::int32_t request = PacketPort::buffer(port, vc);
        if (any_waiting(request)) earliest_ps = std::min(earliest_ps, credit_behind_ps(channel(request)));
    }
    return earliest_ps == kForEver ? kForEver : std::max(earliest_ps, state_->port(port).busy_until_ps);
}

template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::come_to_front(std::int32_t b, std::int32_t request) {
    const Channel out = channel(request);
    const std::int64_t possible_ps = std::max(out.port.busy_until_ps, credit_behind_ps(out));
    if (possible_ps <= now_ps_) return grant(b, out);
    PacketBuffer& at = state_->buffer(b);
    at.request = request;
    add_waiting(out, at.number);
    if (possible_ps != kForEver) wake_at(out.port, out.number, possible_ps);
}

template <class Client>
void PacketPartition<Client>::wake_at(PacketPort& at, std::int32_t port, std::int64_t time_ps) {
    if (time_ps >= at.wake_ps) return;
    at.wake_ps = time_ps;
    push(state_->routers[at.from_router].place, time_ps, kWake, port);
}

/// Lets the packet pass whose turn it is among those that have credit.
template <class Client>
void PacketPartition<Client>::wake_output(std::int32_t port) {
    PacketPort& at = state_->port(port);
    at.wake_ps = PacketPort::kNoWake;
    const std::int32_t channels = channels_of(port);
    const auto words = static_cast<std::uint32_t>(state_->words_per_row);
    std::array<std::uint64_t*, PacketTiming::kMostVirtualChannels> rows;  // of the channels that have credit
    std::size_t row_count = 0;
    std::int64_t possible_ps = kForEver;
    for (std::int32_t vc = 0; vc < channels; ++vc) {
        const std::int32_t request = PacketPort::buffer(port, vc);
        if (!any_waiting(request)) continue;
        const Channel out = channel(request);
        const std::int64_t credit_at_ps = credit_behind_ps(out);
        possible_ps = std::min(possible_ps, credit_at_ps);
        if (credit_at_ps <= now_ps_) rows[row_count++] = words == 1 ? &out.to.waiting : wide_row(request).data();
    }
    if (possible_ps == kForEver) return;
    possible_ps = std::max(possible_ps, at.busy_until_ps);
    if (possible_ps > now_ps_) return wake_at(at, port, possible_ps);
    const auto candidates = [&rows, row_count](std::uint32_t word) {
        std::uint64_t set = 0;
        for (std::size_t row = 0; row < row_count; ++row) set |= rows[row][word];
        return set;
    };
    // Round: behind the last one in its word, the other words, and up to it in its word.
    const std::uint32_t start = at.last_granted;
    const std::uint64_t up_to_it = ~std::uint64_t{0} >> (63 - start % 64);
    std::uint32_t word = start / 64 % words;
    std::uint64_t set = candidates(word) & ~up_to_it;
    while (set == 0) {
        word = word + 1 == words ? 0 : word + 1;
        set = candidates(word);
    }
    const std::uint32_t chosen = word * 64 + static_cast<std::uint32_t>(std::countr_zero(set));
    const std::int32_t b = state_->buffers_of_routers[state_->routers[at.from_router].first_buffer + chosen];
    const Channel out = channel(std::exchange(state_->buffer(b).request, PacketBuffer::kNotWaiting));
    remove_waiting(out, chosen);
    last_change_ps_ = std::max(last_change_ps_, now_ps_);
    grant(b, out);
}

/// On a channel.
template <class Client>
std::uint32_t PacketPartition<Client>::duration_ps(const Packet& packet, const PacketPorts::Class& port) const {
    if (is_uniform_) return packet.duration_ps;
    if (!packet.is_last() && are_full_) return static_cast<std::uint32_t>(port.full_packet_ps);
    return static_cast<std::uint32_t>(transfer_ps(packet.bytes, port.bandwidth_bytes_per_s));
}

/// How long a packet takes to leave its buffer for the output's queue: as long as it took the channel that feeds the
/// buffer, so that slower outputs hold back their own packets only.
template <class Client>
std::uint32_t PacketPartition<Client>::reading_ps(std::int32_t b, const Packet& packet) const {
    if (is_uniform_) return packet.duration_ps;
    const std::int32_t feeding = PacketPort::port_of(b);
    if (feeding < links_) return duration_ps(packet, machine_->class_of(state_->port(feeding)));
    return static_cast<std::uint32_t>(transfer_ps(packet.bytes, machine_->ports.nic_bandwidth_bytes_per_s()));
}

/// The packet at the front of a buffer passes its output.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::grant(std::int32_t b, const Channel& out) {
    PacketBuffer& at = state_->buffer(b);
    const std::int64_t latency_ps = out.port_class.latency_ps;
    const std::uint32_t index = at.first;
    Packet& packet = state_->packets[index];
    const PacketPort& from = state_->port(PacketPort::port_of(b));
    if (from.is_watched != 0) [[unlikely]] {
        watch(b, out.number, packet);
    }
    const std::uint32_t output_ps = duration_ps(packet, out.port_class);
    const std::uint32_t read_ps = reading_ps(b, packet);
    // A packet that is here as a whole begins anew.
    packet.duration_ps = from.has_own_places != 0 ? output_ps : std::max(packet.duration_ps, output_ps);
    packet.time_ps = now_ps_ + latency_ps;
    if (steps_ == nullptr) ++packet.way;
    out.port.busy_until_ps = now_ps_ + output_ps + out.port_class.packet_time_ps;
    out.port.last_granted = at.number;
    out.port.bytes_passed += packet.bytes;
    ++counts_.packet_hops;

    const std::int64_t leave_ps = now_ps_ + packet.duration_ps;
    at.first = packet.next;
    const bool is_empty = --at.count == 0;
    at.leave_ps = std::max(at.leave_ps, leave_ps);
    // A packet that is here as a whole may leave faster than it came.
    at.read_ahead_ps = static_cast<std::uint32_t>(std::max<std::int64_t>(at.leave_ps - now_ps_ - read_ps, 0));
    if (out.number >= links_) {
        eject(packet, out.number - links_);
        state_->drop_packet(index);
    } else {
        if (out.port.cut == PacketPort::Cut::kNone) [[likely]] {
            put(out.request, out.port, out.to, index);
        } else {
            ++out.to.count;
            cross(packet, out.number, PacketPort::vc_of(out.request));
            state_->drop_packet(index);
        }
    }
    give_place_back(b, at, leave_ps);
    if (!is_empty) {
        const PacketPort& feeding = state_->port(PacketPort::port_of(b));
        push_front(b, feeding, at);
    }
    if (out.port.has_waiting == 0) return;
    if (const std::int64_t next_ps = next_grant_ps(out.number); next_ps != kForEver) {
        wake_at(out.port, out.number, next_ps);
    }
}

/// The tail of the packet at the front leaves then: its place is free, and whoever waits for that is told.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::give_place_back(std::int32_t b, PacketBuffer& at,
                                                                            std::int64_t leave_ps) {
    const std::int32_t number = PacketPort::port_of(b);
    PacketPort& feeding = state_->port(number);
    if (feeding.cut == PacketPort::Cut::kIn) {
        send(feeding.channel,
             {.time_ps = leave_ps + machine_->class_of(feeding).latency_ps,
              .buffer = PacketPort::buffer(static_cast<std::int32_t>(feeding.peer_port), PacketPort::vc_of(b)),
              .kind = PacketMail::Kind::kCredit});
        return;
    }
    state_->add_credit(at, b, leave_ps);
    if (!state_->stop_awaiting_place(b)) return;
    if (number >= links_) {
        push_nic(leave_ps, kNic, number - links_);
    } else {
        wake_at(feeding, number, std::max(leave_ps + machine_->class_of(feeding).latency_ps, feeding.busy_until_ps));
    }
}

/// Behind the others in buffer b, `at`, of a port.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::put(std::int32_t b, const PacketPort& port,
                                                                PacketBuffer& at, std::uint32_t packet) {
    const std::uint32_t before = std::exchange(at.last, packet);
    if (at.count++ > 0) {
        state_->packets[before].next = packet;
        return;
    }
    at.first = packet;
    push_front(b, port, at);
}

/// The first packet of buffer b, `at`, of a port comes to the front.
template <class Client>
[[gnu::always_inline]] inline void PacketPartition<Client>::push_front(std::int32_t b, const PacketPort& port,
                                                                       const PacketBuffer& at) {
    const Packet& packet = state_->packets[at.first];
    std::int64_t arrival_ps = packet.time_ps;
    if (port.has_own_places != 0) [[unlikely]] {
        arrival_ps = machine_->class_of(port).release_ps(arrival_ps + packet.duration_ps);
    }
    push(port.to_place, std::max(arrival_ps, at.next_front_ps()), kFront, b,
         static_cast<std::uint32_t>(next_request(packet, port.to_router)));
}

template <class Client>
void PacketPartition<Client>::watch(std::int32_t b, std::int32_t port, const Packet& packet) {
    passages_.push_back({now_ps_, packet.time_ps, machine_->buffer_number(*state_, b),
                         machine_->output_number(*state_, port), state_->messages[packet.message()].message});
}

}  // namespace haichi
