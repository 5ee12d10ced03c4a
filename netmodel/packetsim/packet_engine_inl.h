#pragma once

// The bodies of packet_engine.h.

#include "netmodel/packetsim/packet_engine.h"

namespace haichi {

namespace packet_engine_detail {

/// How many partitions are of use.
inline int partition_count(const PacketEngineOptions& options) {
    if (options.threads < 1) throw OptionError("threads must be at least 1, not " + std::to_string(options.threads));
    if (options.shortest_client_latency_ps < 0) throw OptionError("a latency cannot be negative");
    return options.shortest_client_latency_ps == 0 ? 1 : options.threads;
}

}  // namespace packet_engine_detail

template <class Client>
PacketEngine<Client>::PacketEngine(const Network& network, const PacketTiming& timing, Client& client,
                                   const PacketEngineOptions& options)
    : options_(options), machine_(network, timing, packet_engine_detail::partition_count(options)) {
    // Not a constraint of the template: a client may be incomplete where it keeps a pointer to its engine.
    static_assert(PacketClient<Client>);
    constexpr std::int64_t kLongestWindowPs = 1'000'000;  // for whoever wants to look in between
    window_ps_ = std::min({machine_.lookahead_ps, options.shortest_client_latency_ps, kLongestWindowPs});
    if (window_ps_ == 0) window_ps_ = kLongestWindowPs;  // there is one partition
    if (options.count_bytes) machine_.bytes_passed.assign(machine_.outputs.size(), 0);
    for (int p = 0; p < machine_.partition_count; ++p) partitions_.emplace_back(machine_, client, p);
}

template <class Client>
MessageId PacketEngine<Client>::inject(const PacketMessage& message, std::int64_t time_ps) {
    const Network& network = *machine_.network;
    for (const NodeId node : {message.source, message.destination}) {
        if (node.value < 0 || node.value >= network.node_count() || !network.is_usable(node)) {
            throw OptionError("node " + std::to_string(node.value) + " cannot send or receive");
        }
    }
    if (message.nic < 0 || message.nic >= machine_.nics_per_node) {
        throw OptionError("a node has no NIC " + std::to_string(message.nic));
    }
    if (message.bytes < 0) throw OptionError("a message cannot have " + std::to_string(message.bytes) + " bytes");
    if (message.gap_ps < 0) throw OptionError("a packet gap cannot be negative");
    Partition& partition = partition_of(message.source);
    if (time_ps < partition.now_ps()) {
        throw OptionError("a message cannot be sent at " + std::to_string(time_ps) + " ps: it is " +
                          std::to_string(partition.now_ps()) + " ps already");
    }
    return partition.inject(message, time_ps);
}

template <class Client>
void PacketEngine<Client>::call_at(NodeId node, std::uint32_t data, std::int64_t time_ps) {
    Partition& partition = partition_of(node);
    if (time_ps < partition.now_ps()) throw OptionError("a timer cannot be set for a time that is over");
    partition.call_at(node, data, time_ps);
}

template <class Client>
void PacketEngine<Client>::call_across(NodeId from, NodeId node, std::uint32_t data, std::int64_t time_ps) {
    const int to = machine_.partition_of(node);
    if (machine_.partition_of(from) == to) return call_at(node, data, time_ps);
    if (time_ps < window_end_ps_) throw InternalError("a timer of another node comes too early to be told in time");
    partition_of(from).send(to, {{time_ps, data, 0}, node.value, PacketMail::Kind::kTimer});
}

template <class Client>
void PacketEngine<Client>::run(std::int64_t until_ps) {
    run_while([] { return true; }, until_ps);
}

template <class Client>
void PacketEngine<Client>::run_while(const std::function<bool()>& go_on, std::int64_t until_ps) {
    bool is_over = false;
    while (!is_over) {
        std::int64_t next_ps = kForEver;
        for (Partition& partition : partitions_) next_ps = std::min(next_ps, partition.next_ps());
        if (next_ps == kForEver || next_ps > until_ps) break;
        const std::int64_t start_ps = next_ps - next_ps % window_ps_;
        window_end_ps_ = start_ps > kForEver - window_ps_ ? kForEver : start_ps + window_ps_;
        run_window(std::min(window_end_ps_ - 1, until_ps));
        is_over = !go_on();
    }
    hand_over();
    for (Partition& partition : partitions_) partition.take_mail();
    if (is_over) {
        now_ps_ = std::max(now_ps_, std::min(window_end_ps_ - 1, until_ps));
    } else if (until_ps != kForEver) {
        now_ps_ = std::max(now_ps_, until_ps);
    } else {
        for (Partition& partition : partitions_) now_ps_ = std::max(now_ps_, partition.last_change_ps());
    }
    for (Partition& partition : partitions_) partition.set_now(now_ps_);
    if (!is_over) check_for_deadlock();
}

/// Everything that happens up to and including `until_ps`; at most a window.
template <class Client>
void PacketEngine<Client>::run_window(std::int64_t until_ps) {
    const std::int64_t events_before = counts().events;
    hand_over();
    if (machine_.partition_count == 1 || events_of_last_window_ < options_.least_events_for_threads) {
        for (Partition& partition : partitions_) partition.run(until_ps);
    } else {
        if (!threads_) threads_ = std::make_unique<WindowThreads>(machine_.partition_count);
        threads_->run([this, until_ps](int p) { partitions_[static_cast<std::size_t>(p)].run(until_ps); });
    }
    events_of_last_window_ = counts().events - events_before;
}

template <class Client>
void PacketEngine<Client>::hand_over() {
    for (Partition& from : partitions_) {
        for (Partition& to : partitions_) {
            if (&from != &to) from.hand_over(to);
        }
    }
}

template <class Client>
bool PacketEngine<Client>::is_idle() const {
    return std::ranges::all_of(partitions_, [](const Partition& partition) { return partition.is_idle(); });
}

template <class Client>
void PacketEngine<Client>::check_for_deadlock() const {
    const PacketCounts total = counts();
    if (total.messages_under_way == 0 || !is_idle()) return;
    throw InternalError("deadlock in the packet simulator: " + std::to_string(total.messages_under_way) +
                        " messages are under way at " + std::to_string(now_ps_) + " ps and nothing moves" +
                        waiting_packets());
}

/// The first packets that wait for a channel, and which.
template <class Client>
std::string PacketEngine<Client>::waiting_packets() const {
    constexpr int kMost = 8;
    std::string text;
    int count = 0;
    for (std::int32_t b = 0; b < machine_.ports.buffer_count() && count < kMost; ++b) {
        const PacketBuffer& buffer = machine_.buffers[static_cast<std::size_t>(b)];
        if (buffer.count == 0 || buffer.request == PacketBuffer::kNotRouted) continue;
        ++count;
        const std::int32_t message = machine_.slot(b, buffer.first).message();
        const PacketMessage& info = machine_.messages.entry(message).message;
        text += "; a packet from node " + std::to_string(info.source.value) + " to node " +
                std::to_string(info.destination.value) + " waits for " + channel_name(machine_, buffer.request);
    }
    return text;
}

template <class Client>
PacketCounts PacketEngine<Client>::counts() const {
    PacketCounts total;
    for (const Partition& partition : partitions_) total += partition.counts();
    return total;
}

template <class Client>
bool PacketEngine<Client>::is_drained() const {
    for (std::size_t b = 0; b < static_cast<std::size_t>(machine_.ports.buffer_count()); ++b) {
        if (machine_.buffers[b].count != 0) return false;
    }
    for (std::size_t s = 0; s < machine_.slots.size(); ++s) {
        if (machine_.slots[s].free_since_ps() > now_ps_) return false;
    }
    return true;
}

template <class Client>
std::int32_t PacketEngine<Client>::most_packets_waiting() const {
    return std::ranges::max_element(machine_.buffers, {}, &PacketBuffer::count)->count;
}

template <class Client>
void PacketEngine<Client>::watch(VertexId router, bool is_on) {
    for (PacketBuffer& buffer : machine_.buffers) {
        if (buffer.vertex == router) buffer.is_watched = is_on;
    }
}

template <class Client>
std::vector<PacketPassage> PacketEngine<Client>::take_passages() {
    std::vector<PacketPassage> all;
    for (Partition& partition : partitions_) {
        all.insert(all.end(), partition.passages().begin(), partition.passages().end());
        partition.passages().clear();
    }
    std::ranges::stable_sort(all, std::less<>());
    return all;
}

template <class Client>
std::size_t PacketEngine<Client>::memory_bytes() const {
    std::size_t bytes = machine_.memory_bytes();
    for (const Partition& partition : partitions_) bytes += partition.memory_bytes();
    return bytes;
}

}  // namespace haichi
