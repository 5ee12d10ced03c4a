#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "netmodel/packetsim/packet_client.h"
#include "netmodel/packetsim/packet_counts.h"
#include "netmodel/packetsim/packet_machine.h"
#include "netmodel/packetsim/packet_passage.h"
#include "netmodel/packetsim/remote_event.h"
#include "netmodel/packetsim/transport.h"
#include "netmodel/packetsim/window_queue.h"

namespace haichi {

/// Processes the events of one partition of a PacketMachine window by window. Within a window, events are ordered by
/// turn (WindowQueue), then by (time, priority, port or node, data).
///
/// Order at one instant:
/// 1. outputs that become free or receive credit choose among the waiting packets, by default round robin over (port,
/// VC);
/// 2. heads that have just reached the front, lowest (port, VC) first, injection buffers last;
/// 3. packets that a NIC has received request DMA;
/// 4. NICs send;
/// 5. messages are posted, copied on their node, delivered;
/// 6. timers.
class alignas(64) PacketPartition {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();
    /// A timer for a node of another partition.
    struct RemoteTimer {
        NodeId node;
        std::uint32_t data = 0;
        std::int64_t time_ps = 0;
    };

    PacketPartition(PacketMachine& machine, PacketClient& client, int index, std::int64_t window_ps);

    // Like the functions of PacketEngine, for nodes of this partition.
    void inject(const PacketMessage& message, std::int64_t time_ps);
    void call_at(NodeId node, std::uint32_t data, std::int64_t time_ps) {
        push_node(time_ps, kTimer, machine_->local_node(node), data);
    }
    void call_remote(const RemoteTimer& timer) {
        earliest_remote_ps_ = std::min(earliest_remote_ps_, timer.time_ps);
        remote_timers_.push_back(timer);
    }
    /// Timers for nodes of other partitions, requested since the last window.
    [[nodiscard]] std::vector<RemoteTimer>& remote_timers() { return remote_timers_; }

    /// Sets the channels from and to the neighbours, in the order of the neighbours.
    void join(Transport& transport, std::vector<std::size_t> arriving, std::vector<std::size_t> leaving);
    /// Adds a channel that carries timers to this partition.
    void add_arriving(std::size_t channel) { arriving_.push_back(channel); }
    void receive_remote_events();
    /// Sends the events for other partitions; called once between two ends of windows.
    void send_remote_events();
    /// Receives remote events, then processes the events of the window of `begin_ps` up to and including `until_ps`.
    /// Sends the resulting remote events.
    void run(std::int64_t begin_ps, std::int64_t until_ps);
    /// A lower bound on the times of all events of this partition and of all events that it has sent. kForEver without
    /// events.
    [[nodiscard]] std::int64_t next_ps();

    [[nodiscard]] bool is_idle() const { return queue_.empty(); }
    [[nodiscard]] std::int64_t now_ps() const { return now_ps_; }
    /// The time of the last change that affects results.
    [[nodiscard]] std::int64_t last_change_ps() const { return last_change_ps_; }
    void set_now(std::int64_t time_ps) { now_ps_ = std::max(now_ps_, time_ps); }
    [[nodiscard]] const PacketCounts& counts() const { return counts_; }
    [[nodiscard]] std::vector<PacketPassage>& passages() { return passages_; }
    [[nodiscard]] std::size_t memory_bytes() const { return queue_.memory_bytes(); }

  private:
    /// The data of kHeadArrived is the request of the packet (Channel::request).
    enum Priority : std::uint32_t { kArbitrate, kHeadArrived, kReceived, kNic, kPost, kCopied, kDelivery, kTimer };
    /// For a state below this size, prefetching costs more than it saves (measured: 5 % slower at 0.5 MiB, faster at 4
    /// MiB).
    static constexpr std::size_t kNearCacheBytes = std::size_t{1} << 20;
    static constexpr int kEntityBits = 29;
    static Priority priority_of(const WindowQueue::Event& event) {
        return static_cast<Priority>(event.key() >> kEntityBits);
    }
    /// The entity of the event: a PortId, BufferId, NicId or LocalNodeId, depending on the priority.
    template <class Id>
    static Id entity_of(const WindowQueue::Event& event) {
        return Id(static_cast<std::int32_t>(event.key() & ((std::uint32_t{1} << kEntityBits) - 1)));
    }
    /// The data of the event as a BufferId or MessageId.
    template <class Id>
    static Id data_of(const WindowQueue::Event& event) {
        return Id(static_cast<std::int32_t>(event.data()));
    }
    template <class Id>
    static std::uint32_t as_data(Id id) {
        return static_cast<std::uint32_t>(id.value);
    }
    template <class Id>
    void push(std::uint32_t turn, std::int64_t time_ps, Priority priority, Id entity, std::uint32_t data = 0) {
        const auto key = static_cast<std::uint32_t>(priority) << kEntityBits | static_cast<std::uint32_t>(entity.value);
        queue_.push(turn, time_ps, key, data);
    }
    void push_nic(std::int64_t time_ps, Priority priority, NicId nic, std::uint32_t data = 0) {
        push(state_->nics[nic.index()].turn, time_ps, priority, nic, data);
    }
    void push_node(std::int64_t time_ps, Priority priority, LocalNodeId node, std::uint32_t data) {
        push(state_->nics[state_->nic_of(node, 0).index()].turn, time_ps, priority, node, data);
    }
    void handle(const WindowQueue::Event& event);
    void handle_host(const WindowQueue::Event& event);
    /// Prefetches the state that the next events touch, because memory limits the speed at tens of thousands of nodes.
    /// Does not change results.
    void look_ahead();
    void fetch_state(const WindowQueue::Event& event);
    void fetch_downstream(const WindowQueue::Event& event);

    // Remote events.
    void take(const RemoteEventBatch& batch, PartitionState::Neighbour* from);
    void take_announcement(const RemoteEvent& event, const PacketMessage& message, PartitionState::Neighbour& from);
    void take_packet(const RemoteEvent& event, std::int64_t entered_ps, const PartitionState::Neighbour& from);
    void send(std::size_t neighbour, const RemoteEvent& event);

    // Packets in routers.
    /// The request of a packet at the front: an output, and the buffer downstream of it.
    struct Channel {
        BufferId request;
        PortId id;
        PacketPort& port;
        PacketBuffer& to;
        const PacketPorts::Class& port_class;
    };
    Channel channel(BufferId request);
    [[nodiscard]] std::int32_t channels_of(PortId port) const { return port.value < links_ ? machine_->vcs : 1; }
    void head_arrived(BufferId b, BufferId request);
    [[nodiscard]] BufferId next_request(const Packet& packet, std::uint32_t at_router) const;
    [[nodiscard]] BufferId request_on_route(const Packet& packet) const;
    void arbitrate(PortId port);
    std::uint32_t chosen_by_rank(const PacketPort& at, std::span<std::uint64_t* const> rows) const;
    void arbitrate_at(PacketPort& at, PortId port, std::int64_t time_ps);
    /// The time from which a buffer has a free entry, one latency after the tail has left. Returns kForEver if the time
    /// is not known yet. The output or NIC is then woken as soon as it is known.
    struct Entries {
        std::int32_t count = 0;       ///< number of entries in the buffer
        std::int64_t latency_ps = 0;  ///< time until the sender knows that an entry is free
    };
    std::int64_t credit_ps(PacketBuffer& to, BufferId b, Entries entries);
    std::int64_t late_credit_ps(PacketBuffer& to, BufferId b, Entries entries);
    /// credit_ps() for the buffer downstream of an output.
    std::int64_t downstream_credit_ps(const Channel& out);
    /// The earliest time at which an output can grant one of the packets that wait for it.
    std::int64_t next_grant_ps(PortId port);
    void add_waiting(const Channel& out, std::uint32_t number);
    void remove_waiting(const Channel& out, std::uint32_t number);
    [[nodiscard]] std::span<std::uint64_t> wide_row(BufferId request);
    [[nodiscard]] bool any_waiting(BufferId request);
    void grant(BufferId b, const Channel& out);
    void take_bus(const Channel& out, std::uint32_t bytes);
    void cross(std::uint32_t index, PortId port, std::int32_t vc);
    void put(BufferId b, const PacketPort& port, PacketBuffer& at, std::uint32_t packet);
    void push_front(BufferId b, const PacketPort& port, const PacketBuffer& at);
    void return_credit(BufferId b, PacketBuffer& at, std::int64_t leave_ps);
    void take_credit(BufferId b, std::int64_t usable_ps);
    void watch(BufferId b, PortId port, const Packet& packet);
    [[nodiscard]] std::uint32_t duration_ps(const Packet& packet, const PacketPorts::Class& port) const;
    [[nodiscard]] std::uint32_t reading_ps(BufferId b, const Packet& packet) const;

    // NICs and messages.
    [[nodiscard]] PortId ejection_of(NicId nic) const { return PortId(links_ + nic.value); }
    [[nodiscard]] NicId nic_of(PortId ejection) const { return NicId(ejection.value - links_); }
    void eject(const Packet& packet, NicId nic);
    void receive(NicId nic, std::int32_t pending);
    std::int64_t last_tail_ps(const Packet& packet);
    MessageId add_message(const PacketMessage& message);
    [[nodiscard]] std::uint64_t way(VertexId to, PortId ejection) const;
    void find_hops(MessageTable::Entry& entry, LinkId after);
    void start(MessageId message);
    void add_last(PacketNic& nic, MessageId message);
    void remove_first(PacketNic& nic);
    void nic_ready(NicId id);
    void send_next(NicId id);
    std::int64_t take_dma(LocalNodeId node, std::int64_t payload_bytes);
    void finish(const WindowQueue::Event& first);
    void copied(MessageId message, NicId nic);
    void deliver(MessageId message);

    PacketMachine* machine_;
    PartitionState* state_;
    PacketClient* client_;
    int index_;
    const GridSteps* steps_;  ///< null: messages carry their routes
    std::int32_t links_;      ///< number of link ports; later ports are ejection channels
    bool is_uniform_;         ///< PacketPorts::bandwidth_is_uniform()
    bool are_full_;           ///< PacketPorts::packets_are_full()
    Arbiter arbiter_;
    bool is_large_;  ///< the state is larger than the caches near the core
    /// How far look_ahead() has read in WindowQueue::elsewhere().
    struct LookedAt {
        const WindowQueue::Event* far = nullptr;
        const WindowQueue::Event* near = nullptr;
    };
    LookedAt looked_at_;
    std::int64_t now_ps_ = 0;
    std::int64_t last_change_ps_ = 0;
    PacketCounts counts_;
    WindowQueue queue_;
    Transport* transport_ = nullptr;
    std::vector<std::size_t> arriving_;  ///< channels from the neighbours in order, then those of add_arriving()
    std::vector<std::size_t> leaving_;
    std::vector<RemoteEventBatch> outgoing_;  ///< by neighbour
    RemoteEventBatch incoming_;
    std::vector<RemoteTimer> remote_timers_;
    std::int64_t earliest_remote_ps_ = kForEver;
    /// Messages to be posted later. The key is the value of last_post_ at the call, which grows with each call, unlike
    /// message ids.
    std::unordered_map<std::uint32_t, MessageId> posts_;
    std::uint32_t last_post_ = 0;
    std::vector<Packet> received_;  ///< packets on their way to a NIC whose node has a DMA limit
    std::vector<std::int32_t> unused_received_;
    std::vector<MessageId> finished_;  ///< messages finished at one NIC and instant
    std::vector<PacketPassage> passages_;
    std::vector<ChannelHop> hops_;  ///< work space
};

}  // namespace haichi
