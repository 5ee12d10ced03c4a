#include "netmodel/packetsim/packet_engine.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/packetsim/run_statistics.h"

namespace haichi {

namespace {

PacketMachine::Division division(const PacketEngineOptions& options) {
    if (options.threads < 1) throw OptionError("threads must be at least 1, not " + std::to_string(options.threads));
    if (options.partitions < 0) throw OptionError("partitions cannot be negative");
    if (options.shortest_client_latency_ps < 0) throw OptionError("a latency cannot be negative");
    return {options.partitions, options.threads, options.shortest_client_latency_ps};
}

}  // namespace

PacketEngine::PacketEngine(const Network& network, const PacketTiming& timing, PacketClient& client,
                           const PacketEngineOptions& options)
    : options_(options),
      machine_(network, timing, division(options)),
      transport_(options.transport != nullptr ? options.transport : &memory_) {
    constexpr std::int64_t kLongestWindowPs = 1'000'000;  // for callers that inspect the state between windows
    window_ps_ = std::min(machine_.lookahead_ps, kLongestWindowPs);
    if (window_ps_ == 0) window_ps_ = kLongestWindowPs;  // nothing limits the window: one partition with one turn
    for (int p = 0; p < machine_.partition_count(); ++p) partitions_.emplace_back(machine_, client, p, window_ps_);
    join_partitions();
}

/// Opens channels in both directions between neighbours, and assigns partitions to threads.
void PacketEngine::join_partitions() {
    const int count = machine_.partition_count();
    std::map<std::pair<int, int>, std::size_t> channels;
    for (int p = 0; p < count; ++p) {
        for (const auto& neighbour : machine_.parts[static_cast<std::size_t>(p)].neighbours) {
            channels[{p, neighbour.partition}] = transport_->open();
        }
    }
    for (int p = 0; p < count; ++p) {
        std::vector<std::size_t> arriving;
        std::vector<std::size_t> leaving;
        for (const auto& neighbour : machine_.parts[static_cast<std::size_t>(p)].neighbours) {
            arriving.push_back(channels.at({neighbour.partition, p}));
            leaving.push_back(channels.at({p, neighbour.partition}));
        }
        partitions_[static_cast<std::size_t>(p)].join(*transport_, std::move(arriving), std::move(leaving));
    }
    const int threads = std::min(options_.threads, count);
    for (int t = 0; t <= threads; ++t) first_of_thread_.push_back(count * t / threads);
}

void PacketEngine::inject(const PacketMessage& message, std::int64_t time_ps) {
    const Network& network = *machine_.network;
    for (const NodeId node : {message.source, message.destination}) {
        if (node.value < 0 || node.value >= network.node_count() || !network.is_usable(node)) {
            throw OptionError("node " + std::to_string(node.value) + " cannot send or receive");
        }
    }
    if (message.nic < 0 || message.nic >= machine_.nics_per_node) {
        throw OptionError("invalid NIC: " + std::to_string(message.nic) + " (a node has " +
                          std::to_string(machine_.nics_per_node) + ")");
    }
    if (message.bytes < 0) throw OptionError("invalid message size: " + std::to_string(message.bytes) + " bytes");
    if (message.gap_ps < 0) throw OptionError("a packet gap cannot be negative");
    PacketPartition& partition = partition_at(message.source);
    if (time_ps < partition.now_ps()) {
        throw OptionError("a message cannot be sent at " + std::to_string(time_ps) + " ps: the simulated time is " +
                          std::to_string(partition.now_ps()) + " ps");
    }
    partition.inject(message, time_ps);
}

void PacketEngine::call_at(NodeId node, std::uint32_t data, std::int64_t time_ps) {
    PacketPartition& partition = partition_at(node);
    if (time_ps < partition.now_ps()) throw OptionError("a timer cannot be set for a time in the past");
    partition.call_at(node, data, time_ps);
}

void PacketEngine::call_across(NodeId from, NodeId node, std::uint32_t data, std::int64_t time_ps) {
    const int to = machine_.partition_of(node);
    if (machine_.partition_of(from) == to) return call_at(node, data, time_ps);
    if (time_ps < window_end_ps_) throw InternalError("a timer of another node is due within the lookahead window");
    partitions_[static_cast<std::size_t>(machine_.partition_of(from))].call_remote({node, data, time_ps});
}

void PacketEngine::run(std::int64_t until_ps) {
    run_while([] { return true; }, until_ps);
}

void PacketEngine::run_while(const std::function<bool()>& go_on, std::int64_t until_ps) {
    for (PacketPartition& partition : partitions_)
        partition.send_remote_events();  // events of messages injected since the last run
    bool is_over = false;
    std::int64_t next_ps = 0;
    while (!is_over) {
        next_ps = this->next_ps();
        if (next_ps == kForEver || next_ps > until_ps) break;
        const std::int64_t start_ps = next_ps - next_ps % window_ps_;
        window_end_ps_ = start_ps > kForEver - window_ps_ ? kForEver : start_ps + window_ps_;
        run_window(start_ps, std::min(window_end_ps_ - 1, until_ps));
        is_over = !go_on();
    }
    if (is_over) this->next_ps();  // makes the events sent in the last window receivable
    for (PacketPartition& partition : partitions_) partition.receive_remote_events();
    if (is_over) {
        now_ps_ = std::max(now_ps_, std::min(window_end_ps_ - 1, until_ps));
    } else if (next_ps != kForEver) {
        now_ps_ = std::max(now_ps_, until_ps);
    } else {
        for (PacketPartition& partition : partitions_) now_ps_ = std::max(now_ps_, partition.last_change_ps());
    }
    for (PacketPartition& partition : partitions_) partition.set_now(now_ps_);
    if (!is_over) check_for_deadlock();
}

/// The time of the next event. Makes the events sent in the last window receivable.
std::int64_t PacketEngine::next_ps() {
    std::int64_t next_ps = kForEver;
    for (PacketPartition& partition : partitions_) next_ps = std::min(next_ps, partition.next_ps());
    send_remote_timers();
    return transport_->end_window(next_ps);
}

/// Processes the events from `begin_ps` up to and including `until_ps`, both in the same window.
void PacketEngine::run_window(std::int64_t begin_ps, std::int64_t until_ps) {
    const auto run = [=, this](int thread) {
        const int end = first_of_thread_[static_cast<std::size_t>(thread) + 1];
        for (int p = first_of_thread_[static_cast<std::size_t>(thread)]; p < end; ++p) {
            partitions_[static_cast<std::size_t>(p)].run(begin_ps, until_ps);
        }
    };
    const std::int64_t events_before = counts().events;
    const int threads = static_cast<int>(first_of_thread_.size()) - 1;
    if (threads == 1 || events_of_last_window_ < options_.least_events_for_threads) {
        for (int thread = 0; thread < threads; ++thread) run(thread);
    } else {
        if (!threads_) threads_ = std::make_unique<ThreadTeam>(threads);
        threads_->run(run);
    }
    events_of_last_window_ = counts().events - events_before;
}

std::size_t PacketEngine::timer_channel(int from, int to) {
    const auto [entry, is_new] = timer_channels_.try_emplace({from, to}, 0);
    if (is_new) {
        entry->second = transport_->open();
        partitions_[static_cast<std::size_t>(to)].add_arriving(entry->second);
    }
    return entry->second;
}

void PacketEngine::send_remote_timers() {
    for (std::size_t p = 0; p < partitions_.size(); ++p) {
        std::map<int, RemoteEventBatch> batches;
        for (const auto& timer : partitions_[p].remote_timers()) {
            batches[machine_.partition_of(timer.node)].events.push_back(
                {.time_ps = timer.time_ps,
                 .message = timer.data,
                 .target = machine_.local_node(timer.node).value,
                 .kind = RemoteEvent::Kind::kTimer});
        }
        partitions_[p].remote_timers().clear();
        for (auto& [to, batch] : batches) transport_->send(timer_channel(static_cast<int>(p), to), batch);
    }
}

bool PacketEngine::is_idle() const {
    return std::ranges::all_of(partitions_, [](const PacketPartition& partition) { return partition.is_idle(); });
}

void PacketEngine::check_for_deadlock() const {
    const PacketCounts total = counts();
    if (total.messages_under_way == 0 || !is_idle()) return;
    throw InternalError("deadlock in the packet simulator: " + std::to_string(total.messages_under_way) +
                        " messages are in flight at " + std::to_string(now_ps_) + " ps and no packet moves" +
                        waiting_packets());
}

/// Names up to kMost waiting packets, each with the channel for which it waits.
std::string PacketEngine::waiting_packets() const {
    constexpr int kMost = 8;
    std::string text;
    int count = 0;
    std::map<InputId, std::string> texts;  // by the buffer's number in the machine
    for (const PartitionState& part : machine_.parts) {
        for (const BufferId b : part.buffers_of_routers) {
            const PacketBuffer& buffer = part.buffer(b);
            if (!buffer.request.valid()) continue;
            const PacketMessage& info = part.messages[part.packets[buffer.first].message()].message;
            texts[machine_.buffer_number(part, b)] =
                "; a packet from node " + std::to_string(info.source.value) + " to node " +
                std::to_string(info.destination.value) + " waits for " +
                channel_name(machine_, machine_.output_number(part, PacketPort::port_of(buffer.request)));
        }
    }
    for (const auto& [buffer, waiting] : texts) {
        if (++count <= kMost) text += waiting;
    }
    return text;
}

PacketCounts PacketEngine::counts() const {
    PacketCounts total;
    for (const PacketPartition& partition : partitions_) total += partition.counts();
    return total;
}

std::vector<std::int64_t> PacketEngine::bytes_passed() const {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(machine_.ports.output_count()), 0);
    for (const PartitionState& part : machine_.parts) {
        for (PortId port(0); port.value < part.port_count(); ++port.value) {
            if (part.port(port).cut == PacketPort::Cut::kIn) continue;
            bytes[machine_.output_number(part, port).index()] = part.port(port).bytes_passed;
        }
    }
    return bytes;
}

bool PacketEngine::is_drained() const {
    for (const PartitionState& part : machine_.parts) {
        for (PortId port(0); port.value < part.port_count(); ++port.value) {
            for (std::int32_t vc = 0; vc < machine_.vcs; ++vc) {
                const PacketBuffer& buffer = part.buffer(port, vc);
                if (buffer.count != 0 || buffer.leave_ps > now_ps_) return false;
            }
        }
    }
    return true;
}

std::int32_t PacketEngine::most_packets_waiting() const {
    std::int32_t most = 0;
    for (const PartitionState& part : machine_.parts) {
        for (const BufferId b : part.buffers_of_routers) most = std::max<std::int32_t>(most, part.buffer(b).count);
    }
    return most;
}

void PacketEngine::watch(VertexId router, bool is_on) {
    for (PartitionState& part : machine_.parts) {
        for (const BufferId b : part.buffers_of_routers) {
            PacketPort& feeding = part.port(PacketPort::port_of(b));
            if (part.routers[feeding.to_router].vertex == router) feeding.is_watched = is_on ? 1 : 0;
        }
    }
}

std::vector<PacketPassage> PacketEngine::take_passages() {
    std::vector<PacketPassage> all;
    for (PacketPartition& partition : partitions_) {
        all.insert(all.end(), partition.passages().begin(), partition.passages().end());
        partition.passages().clear();
    }
    std::ranges::stable_sort(all, std::less<>());
    return all;
}

std::size_t PacketEngine::memory_bytes() const {
    std::size_t bytes = machine_.memory_bytes();
    for (const PacketPartition& partition : partitions_) bytes += partition.memory_bytes();
    return bytes;
}

}  // namespace haichi
