#include "netmodel/packetsim/packet_partition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "netmodel/packetsim/packet_partition_inl.h"

namespace haichi {

PacketPartition::PacketPartition(PacketMachine& machine, PacketClient& client, int index, std::int64_t window_ps)
    : machine_(&machine),
      state_(&machine.parts[static_cast<std::size_t>(index)]),
      client_(&client),
      index_(index),
      steps_(machine.steps ? &*machine.steps : nullptr),
      links_(state_->link_count()),
      is_uniform_(machine.ports.bandwidth_is_uniform()),
      are_full_(machine.ports.packets_are_full()),
      arbiter_(machine.timing.options().arbiter),
      is_large_(state_->ports.size_bytes() > kNearCacheBytes),
      queue_(window_ps, state_->turns),
      outgoing_(state_->neighbours.size()) {}

void PacketPartition::inject(const PacketMessage& message, std::int64_t time_ps) {
    if (message.source != message.destination) check_packet_count(machine_->timing, message.bytes);
    const MessageId id = add_message(message);
    ++counts_.messages_under_way;
    if (time_ps > now_ps_) {
        posts_.emplace(++last_post_, id);
        push_node(time_ps, kPost, machine_->local_node(message.source), last_post_);
    } else {
        start(id);
    }
}

// ---- Events ---------------------------------------------------------------------------------------------------------

std::int64_t PacketPartition::next_ps() { return std::min(earliest_remote_ps_, queue_.next_ps()); }

void PacketPartition::run(std::int64_t begin_ps, std::int64_t until_ps) {
    receive_remote_events();
    queue_.begin(begin_ps, until_ps);
    looked_at_ = {};
    while (queue_.next_turn()) {
        if (is_large_) look_ahead();
        for (WindowQueue::Event event; queue_.pop(event);) {
            now_ps_ = queue_.time_ps(event);
            ++counts_.events;
            handle(event);
        }
    }
    queue_.end();
    send_remote_events();
}

[[gnu::always_inline]] inline void PacketPartition::handle(const WindowQueue::Event& event) {
    if (priority_of(event) == kHeadArrived) [[likely]] {
        last_change_ps_ = std::max(last_change_ps_, now_ps_);
        return head_arrived(entity_of<BufferId>(event), data_of<BufferId>(event));
    }
    if (priority_of(event) == kArbitrate) {
        const auto port = entity_of<PortId>(event);
        // The number of useless wake-ups depends on the partitions, so a wake-up alone does not count as a change.
        if (state_->port(port).arbitrate_ps == now_ps_) arbitrate(port);
        return;
    }
    last_change_ps_ = std::max(last_change_ps_, now_ps_);
    handle_host(event);
}

[[gnu::noinline]] void PacketPartition::look_ahead() {
    // Prefetches in two steps. For events up to kFar ahead, the first fetches the state that contains further
    // addresses. The second fetches those addresses for events up to kNear ahead.
    constexpr std::size_t kFar = 24;
    constexpr std::size_t kNear = 12;
    const std::span<const WindowQueue::Event> events = queue_.elsewhere();
    const WindowQueue::Event* const begin = events.data();
    const auto end = [&](std::size_t distance) { return begin + std::min(distance, events.size()); };
    LookedAt& at = looked_at_;
    for (at.far = std::max(at.far, begin); at.far < end(kFar); ++at.far) fetch_state(*at.far);
    for (at.near = std::max(at.near, begin); at.near < end(kNear); ++at.near) fetch_downstream(*at.near);
}

// fetch_state() and fetch_downstream() must be inline, because compilers remove calls of functions that only prefetch.

/// Prefetches the state that the event itself names: for a head, its buffer and the requested channel.
[[gnu::always_inline]] inline void PacketPartition::fetch_state(const WindowQueue::Event& event) {
    switch (priority_of(event)) {
        case kArbitrate:
            __builtin_prefetch(&state_->port(entity_of<PortId>(event)));
            return;
        case kHeadArrived: {
            const auto request = data_of<BufferId>(event);
            const PacketBuffer& buffer = state_->buffer(entity_of<BufferId>(event));
            __builtin_prefetch(&buffer);
            __builtin_prefetch(&buffer.count);
            __builtin_prefetch(&state_->port(PacketPort::port_of(request)));
            __builtin_prefetch(&state_->buffer(request).count);
            return;
        }
        case kNic:
            __builtin_prefetch(&state_->nics[entity_of<NicId>(event).index()]);
            return;
        default:
            return;
    }
}

/// Prefetches the packet at the front, its credit and the next router, or the message to be delivered.
[[gnu::always_inline]] inline void PacketPartition::fetch_downstream(const WindowQueue::Event& event) {
    if (priority_of(event) == kDelivery) state_->messages.prefetch(data_of<MessageId>(event));
    if (priority_of(event) != kHeadArrived) return;
    const auto b = entity_of<BufferId>(event);
    const PacketBuffer& at = state_->buffer(b);
    __builtin_prefetch(&state_->packets[at.first]);
    state_->prefetch_credit(at, b);
    const PacketPort& out = state_->port(PacketPort::port_of(data_of<BufferId>(event)));
    if (out.to_router != PacketPort::kNoRouter) __builtin_prefetch(&state_->routers[out.to_router]);
}

// ---- Packets in routers ---------------------------------------------------------------------------------------------

/// The slow path of credit_ps(), for a buffer without an entry known to be free. Checks which packets have left.
[[gnu::noinline]] std::int64_t PacketPartition::late_credit_ps(PacketBuffer& to, BufferId b, Entries entries) {
    if (to.count == entries.count) {
        state_->await_entry(b);
        return kForEver;
    }
    const std::int64_t leave_ps = state_->free_entries(to, b, now_ps_ - entries.latency_ps);
    return to.count + to.leaving < entries.count ? now_ps_ : leave_ps + entries.latency_ps;
}

[[gnu::always_inline]] inline void PacketPartition::remove_waiting(const Channel& out, std::uint32_t number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    if (state_->words_per_row == 1) {
        out.to.waiting &= ~bit;
    } else {
        wide_row(out.request)[number / 64] &= ~bit;
    }
    bool has_waiting = false;
    for (std::int32_t vc = 0; vc < channels_of(out.id); ++vc) {
        has_waiting = has_waiting || any_waiting(PacketPort::buffer(out.id, vc));
    }
    out.port.has_waiting = has_waiting ? 1 : 0;
}

/// The number of the buffer whose front packet an arbiter other than round robin grants. `rows` has at least one bit.
[[gnu::noinline]] std::uint32_t PacketPartition::chosen_by_rank(const PacketPort& at,
                                                                std::span<std::uint64_t* const> rows) const {
    const std::uint32_t first_buffer = state_->routers[at.from_router].first_buffer;
    // Oldest first: the oldest packet, ties by turn. Fixed priority: the buffer with the lowest number.
    std::tuple<std::int64_t, bool, std::uint32_t> best{kForEver, true, 0};
    for (std::uint32_t word = 0; word < state_->words_per_row; ++word) {
        std::uint64_t set = 0;
        for (const std::uint64_t* row : rows) set |= row[word];
        for (; set != 0; set &= set - 1) {
            const std::uint32_t number = word * 64 + static_cast<std::uint32_t>(std::countr_zero(set));
            if (arbiter_ == Arbiter::kFixedPriority) return number;
            const PacketBuffer& buffer = state_->buffer(state_->buffers_of_routers[first_buffer + number]);
            best = std::min(best, {state_->entered_ps[buffer.first], number <= at.last_granted, number});
        }
    }
    return std::get<2>(best);
}

/// Grants the output to the next packet, round robin or by rank, among those that have credit.
[[gnu::always_inline]] inline void PacketPartition::arbitrate(PortId port) {
    PacketPort& at = state_->port(port);
    at.arbitrate_ps = PacketPort::kNotPlanned;
    const std::int32_t channels = channels_of(port);
    const auto words = static_cast<std::uint32_t>(state_->words_per_row);
    std::array<std::uint64_t*, PacketTiming::kMostVirtualChannels> rows;  // rows of the channels that have credit
    std::size_t row_count = 0;
    std::int64_t possible_ps = kForEver;
    for (std::int32_t vc = 0; vc < channels; ++vc) {
        const BufferId request = PacketPort::buffer(port, vc);
        if (!any_waiting(request)) continue;
        const Channel out = channel(request);
        const std::int64_t credit_at_ps = downstream_credit_ps(out);
        possible_ps = std::min(possible_ps, credit_at_ps);
        if (credit_at_ps <= now_ps_) rows[row_count++] = words == 1 ? &out.to.waiting : wide_row(request).data();
    }
    if (possible_ps == kForEver) return;
    possible_ps = std::max(possible_ps, at.busy_until_ps);
    if (possible_ps > now_ps_) return arbitrate_at(at, port, possible_ps);
    const auto candidates = [&rows, row_count](std::uint32_t word) {
        std::uint64_t set = 0;
        for (std::size_t row = 0; row < row_count; ++row) set |= rows[row][word];
        return set;
    };
    const auto next_in_turn = [&] {
        // Searches the bits after the last granted buffer in its word, the other words, then the start of its word.
        const std::uint32_t start = at.last_granted;
        const std::uint64_t up_to_it = ~std::uint64_t{0} >> (63 - start % 64);
        std::uint32_t word = start / 64 % words;
        std::uint64_t set = candidates(word) & ~up_to_it;
        while (set == 0) {
            word = word + 1 == words ? 0 : word + 1;
            set = candidates(word);
        }
        return word * 64 + static_cast<std::uint32_t>(std::countr_zero(set));
    };
    std::uint32_t chosen = 0;
    if (arbiter_ == Arbiter::kRoundRobin) [[likely]] {
        chosen = next_in_turn();
    } else {
        chosen = chosen_by_rank(at, std::span(rows).first(row_count));
    }
    const BufferId b = state_->buffers_of_routers[state_->routers[at.from_router].first_buffer + chosen];
    const Channel out = channel(std::exchange(state_->buffer(b).request, BufferId()));
    remove_waiting(out, chosen);
    last_change_ps_ = std::max(last_change_ps_, now_ps_);
    grant(b, out);
}

/// Occupies the bus of the output's router, and with it all outputs that share the bus. If several of these outputs
/// wait, the least recently granted one starts first. Each other one could start 1 ps after its predecessor.
[[gnu::noinline]] void PacketPartition::take_bus(const Channel& out, std::uint32_t bytes) {
    std::vector<PortId>& line = state_->buses.at(out.port.from_router);
    const auto granted = std::ranges::find(line, out.id);
    std::rotate(granted, granted + 1, line.end());
    std::int64_t free_ps = now_ps_ + transfer_ps(bytes, out.port_class.bus_bytes_per_s);
    for (const PortId other : line) {
        PacketPort& port = state_->port(other);
        port.busy_until_ps = std::max(port.busy_until_ps, free_ps);
        free_ps += port.has_waiting;
    }
}

void PacketPartition::watch(BufferId b, PortId port, const Packet& packet) {
    passages_.push_back({now_ps_, packet.time_ps, machine_->buffer_number(*state_, b),
                         machine_->output_number(*state_, port), state_->messages[packet.message()].message});
}

}  // namespace haichi
