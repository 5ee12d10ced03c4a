#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_team.h"
#include "netmodel/packetsim/packet_client.h"
#include "netmodel/packetsim/packet_counts.h"
#include "netmodel/packetsim/packet_machine.h"
#include "netmodel/packetsim/packet_partition.h"
#include "netmodel/packetsim/packet_passage.h"
#include "netmodel/packetsim/transport.h"

namespace haichi {

/// How a PacketEngine is run; nothing here changes a result.
struct PacketEngineOptions {
    int threads = 1;
    /// Parts of the machine that are worked through one by one: as many at most; 0: by the size of their state.
    int partitions = 0;
    /// How they talk to each other; must outlive the engine. Null: through memory.
    Transport* transport = nullptr;
    /// Windows with fewer events than the last one had are worked through by one thread.
    std::int64_t least_events_for_threads = 4000;
    /// Effects of one node on another that the client brings about itself (call_across) come at least this much later.
    std::int64_t shortest_client_latency_ps = std::numeric_limits<std::int64_t>::max();
};

/// The packet-level simulator: virtual cut-through, an input buffer per virtual channel, credits, round robin.
///
/// A packet's head arrives at the front of a buffer, asks for an output and is granted it as soon as the output is free
/// and there is a slot for the whole packet downstream. With L the latency of the output, P the packet's size:
///     head' = grant + L,  tail' = max(head' + P / slowest bandwidth so far, tail + L),
///     the output is busy for P / its bandwidth, the tail leaves the buffer L before tail'.
/// The tail comes at most P / slowest bandwidth after the head, so the maximum is always its first term: a packet
/// carries that one duration. The next packet is at the front of the buffer when its predecessor has been read out, in
/// the time that it took the channel which feeds the buffer: packets that came slowly share a fast link, and a slow
/// output holds back its own packets only. The slot is free when the tail has left, and slots are given back in the
/// order of their packets; upstream may use one L (its own) later. NIC to router takes no time, ejection is a passage
/// without cable and always drains. DMA and memory are a passage more at both ends, without latency: a packet's payload
/// takes them for as long as the slower of the two needs, first come, first served over all NICs of the node.
///
/// One event per hop: the head at the front of its buffer. Where it is granted at once, the events are done with; else
/// the output is woken when it is free or its credit is known. Credits are times in the slots themselves.
///
/// The machine is cut into partitions (PacketMachine), so small that what one works with stays in the caches. They work
/// through windows of simulated time one after the other, and side by side in threads, each of which always has the
/// same ones. A lookahead window is no longer than the least latency between routers, so nothing that happens in it is
/// felt in another partition before it ends; what passes between them are values, sent then over a Transport. Events at
/// one instant have an order (PacketPartition) that does not know of partitions, so results are the same with any
/// number. Windows lie on a fixed grid of time for the same reason: whoever looks in between them (run_while) sees the
/// same.
class PacketEngine {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    /// `network` and `client` must outlive it. Throws what VirtualChannels and PacketPorts throw, and OptionError for
    /// threads or a client latency below what is possible.
    PacketEngine(const Network& network, const PacketTiming& timing, PacketClient& client,
                 const PacketEngineOptions& options = {});
    PacketEngine(const PacketEngine&) = delete;
    PacketEngine& operator=(const PacketEngine&) = delete;

    /// Hands a message to its source's NIC at `time_ps`, now or later; at one time, in the order of the calls. Throws
    /// OptionError for nodes that are none or faulty, NICs that are none, negative sizes and times that are over.
    void inject(const PacketMessage& message, std::int64_t time_ps);
    /// client.timer(node, data) at `time_ps`, now or later; of one node at one instant in the order of `data`.
    void call_at(NodeId node, std::uint32_t data, std::int64_t time_ps);
    /// The same for another node than that of the callback, `from`, at least shortest_client_latency_ps from now.
    void call_across(NodeId from, NodeId node, std::uint32_t data, std::int64_t time_ps);

    /// Runs until nothing is left to happen, or up to and including `until_ps`. Throws InternalError when messages are
    /// under way and nothing happens any more: a deadlock.
    void run(std::int64_t until_ps = kForEver);
    /// The same, and asks go_on() after every window, at instants that depend on nothing but the traffic; no callback
    /// runs meanwhile. False ends the run there.
    void run_while(const std::function<bool()>& go_on, std::int64_t until_ps = kForEver);

    /// What the simulation has come to: `until_ps`, the end of the last window, or when the last thing happened.
    [[nodiscard]] std::int64_t now_ps() const { return now_ps_; }
    /// For go_on(): the end of the last window, while now_ps() is still where the run began.
    [[nodiscard]] std::int64_t window_end_ps() const { return window_end_ps_; }
    /// Length of a window.
    [[nodiscard]] std::int64_t window_ps() const { return window_ps_; }
    /// Nothing is left to happen.
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] PacketCounts counts() const;
    /// Payload and headers that went over each link of the fabric, then through the ejection channels (of every node
    /// those of its NICs in order). O(links).
    [[nodiscard]] std::vector<std::int64_t> bytes_passed() const;
    [[nodiscard]] const PacketPorts& ports() const { return machine_.ports; }
    [[nodiscard]] const PacketMachine& machine() const { return machine_; }
    [[nodiscard]] int partition_count() const { return machine_.partition_count(); }
    [[nodiscard]] int partition_of(NodeId node) const { return machine_.partition_of(node); }
    /// No packet is in a buffer, and every slot has been given back.
    [[nodiscard]] bool is_drained() const;
    /// Of any buffer at this moment: packets in it, or on the way to it, that are not granted yet.
    [[nodiscard]] std::int32_t most_packets_waiting() const;
    /// Packets in the buffer, or on the way to it, that are not granted yet.
    [[nodiscard]] std::int32_t packets_waiting(InputId buffer) const { return machine_.packets_waiting(buffer); }
    /// From now on every packet that leaves a buffer of this router is remembered, until take_passages(); or not any
    /// more. O(buffers).
    void watch(VertexId router, bool is_on = true);
    /// In the order of time and buffer.
    [[nodiscard]] std::vector<PacketPassage> take_passages();
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    [[nodiscard]] PacketPartition& partition_at(NodeId node) {
        return partitions_[static_cast<std::size_t>(machine_.partition_of(node))];
    }
    /// The number of a channel from one partition to another that carries timers; opens it the first time.
    std::size_t timer_channel(int from, int to);
    void join_partitions();
    void run_window(std::int64_t begin_ps, std::int64_t until_ps);
    void send_remote_timers();
    std::int64_t next_ps();
    void check_for_deadlock() const;
    [[nodiscard]] std::string waiting_packets() const;

    PacketEngineOptions options_;
    PacketMachine machine_;
    std::deque<PacketPartition> partitions_;
    MemoryTransport memory_;
    Transport* transport_;
    std::map<std::pair<int, int>, std::size_t> timer_channels_;
    std::vector<int> first_of_thread_;
    std::unique_ptr<ThreadTeam> threads_;  ///< from the first window that is worth them
    std::int64_t events_of_last_window_ = 0;
    std::int64_t window_ps_;
    std::int64_t window_end_ps_ = 0;  ///< of the running one: nothing is felt elsewhere before
    std::int64_t now_ps_ = 0;
};

}  // namespace haichi
