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

/// Run-time settings of a PacketEngine; none of them changes a result.
struct PacketEngineOptions {
    int threads = 1;
    /// Maximum number of partitions of the machine; 0 means chosen by the size of their state.
    int partitions = 0;
    /// Carries remote events between partitions and must outlive the engine. Null means through memory.
    Transport* transport = nullptr;
    /// A window runs on one thread if the previous window had fewer events than this.
    std::int64_t least_events_for_threads = 4000;
    /// Minimum delay of effects that the client itself carries from one node to another (call_across).
    std::int64_t shortest_client_latency_ps = std::numeric_limits<std::int64_t>::max();
};

/// The packet-level simulator: virtual cut-through, an input buffer per virtual channel, credits, round robin.
///
/// A packet's head arrives at the front of a buffer and requests an output. The output grants the request as soon as it
/// is free and the buffer downstream has a free entry for the whole packet. With L the latency of the output and P the
/// packet's size:
///     head' = grant + L,  tail' = max(head' + P / slowest bandwidth so far, tail + L),
///     the output is busy for P / its bandwidth, the tail leaves the buffer L before tail'.
/// The tail follows the head by at most P / slowest bandwidth, so the maximum is always its first term. A packet
/// therefore stores only this duration. The next packet reaches the front of the buffer when its predecessor has been
/// read out. Reading a packet out takes as long as its transfer on the channel that feeds the buffer. Packets that
/// arrived slowly therefore share a fast link, and a slow output holds back only its own packets. A buffer entry is
/// free when the tail has left, and entries are returned in the order of their packets. The upstream port may use an
/// entry after a further L, the upstream port's own latency. Injection from NIC to router takes no time. Ejection is a
/// link traversal without cable, and it always drains. At both ends, DMA and memory are one more traversal, without
/// latency. The payload of a packet occupies both for the time that the slower one needs. All NICs of the node share
/// them, first come, first served.
///
/// A hop is one event: the head reaches the front of its buffer. If the output grants the request at once, the hop
/// needs no other event. Otherwise the output is woken when it is free or its credit is known. A credit is the time at
/// which a buffer entry becomes free.
///
/// The machine is cut into partitions (PacketMachine), each small enough that its state stays in the caches. A thread
/// always has the same partitions, and processes each lookahead window for all of them before the next window. A
/// lookahead window is no longer than the least latency between routers, so its events cannot affect another partition
/// before it ends. Partitions exchange plain values, which a Transport carries between windows. The order of events at
/// one instant (PacketPartition) does not depend on partitions, so results are the same with any number of them.
/// Windows lie on a fixed grid of time for the same reason: a caller that inspects the state between them (run_while)
/// sees the same state.
class PacketEngine {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    /// `network` and `client` must outlive the engine. Throws what VirtualChannels and PacketPorts throw, and
    /// OptionError for invalid threads or an invalid client latency.
    PacketEngine(const Network& network, const PacketTiming& timing, PacketClient& client,
                 const PacketEngineOptions& options = {});
    PacketEngine(const PacketEngine&) = delete;
    PacketEngine& operator=(const PacketEngine&) = delete;

    /// Hands a message to its source's NIC at `time_ps`, now or later. Messages of the same instant keep the order of
    /// the calls. Throws OptionError for invalid or faulty nodes, invalid NICs, negative sizes and past times.
    void inject(const PacketMessage& message, std::int64_t time_ps);
    /// Calls client.timer(node, data) at `time_ps`, now or later. Timers of one node at one instant are ordered by
    /// `data`.
    void call_at(NodeId node, std::uint32_t data, std::int64_t time_ps);
    /// Sets a timer for `node` from a callback of another node, `from`. `time_ps` must be at least
    /// shortest_client_latency_ps from now.
    void call_across(NodeId from, NodeId node, std::uint32_t data, std::int64_t time_ps);

    /// Runs until no event is left, or up to and including `until_ps`. Throws InternalError for a deadlock: messages
    /// are in flight and no event is left.
    void run(std::int64_t until_ps = kForEver);
    /// Runs like run(), and calls go_on() after every window. The run ends if go_on() returns false. The instants of
    /// these calls depend only on the traffic, and no callback runs during a call.
    void run_while(const std::function<bool()>& go_on, std::int64_t until_ps = kForEver);

    /// Simulated time at the end of the last run. This is `until_ps` if events remain, and the time of the last change
    /// if none is left. A run that go_on() ended stops at the end of a window.
    [[nodiscard]] std::int64_t now_ps() const { return now_ps_; }
    /// End of the last window. Use this in go_on(): until the run ends, now_ps() returns the time at which it began.
    [[nodiscard]] std::int64_t window_end_ps() const { return window_end_ps_; }
    [[nodiscard]] std::int64_t window_ps() const { return window_ps_; }
    /// No event is left.
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] PacketCounts counts() const;
    /// Payload and headers that each link of the fabric carried, then those of the ejection channels (node by node,
    /// NICs in order). O(links).
    [[nodiscard]] std::vector<std::int64_t> bytes_passed() const;
    [[nodiscard]] const PacketPorts& ports() const { return machine_.ports; }
    [[nodiscard]] const PacketMachine& machine() const { return machine_; }
    [[nodiscard]] int partition_count() const { return machine_.partition_count(); }
    [[nodiscard]] int partition_of(NodeId node) const { return machine_.partition_of(node); }
    /// No packet is in a buffer, and every buffer entry has been returned.
    [[nodiscard]] bool is_drained() const;
    /// Current number of ungranted packets in the fullest buffer, including packets on their way to that buffer.
    [[nodiscard]] std::int32_t most_packets_waiting() const;
    /// Number of ungranted packets in the buffer or on their way to it.
    [[nodiscard]] std::int32_t packets_waiting(InputId buffer) const { return machine_.packets_waiting(buffer); }
    /// Starts or ends the recording of every packet that leaves a buffer of this router, for take_passages().
    /// O(buffers).
    void watch(VertexId router, bool is_on = true);
    /// Recorded packets, in the order of time and buffer.
    [[nodiscard]] std::vector<PacketPassage> take_passages();
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    [[nodiscard]] PacketPartition& partition_at(NodeId node) {
        return partitions_[static_cast<std::size_t>(machine_.partition_of(node))];
    }
    /// The channel that carries timers from one partition to another. The first call opens it.
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
    std::unique_ptr<ThreadTeam> threads_;  ///< created for the first window with enough events
    std::int64_t events_of_last_window_ = 0;
    std::int64_t window_ps_;
    std::int64_t window_end_ps_ = 0;  ///< end of the running window; effects reach other partitions only after it
    std::int64_t now_ps_ = 0;
};

}  // namespace haichi
