#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "netmodel/packetsim/packet_machine.h"
#include "netmodel/packetsim/time_wheel.h"

namespace haichi {

/// What has happened so far.
struct PacketCounts {
    std::int64_t packet_hops = 0;  ///< passages over a link or an ejection channel
    std::int64_t packets_injected = 0;
    std::int64_t packets_ejected = 0;
    std::int64_t payload_bytes_injected = 0;
    std::int64_t payload_bytes_delivered = 0;
    std::int64_t messages_under_way = 0;
    std::int64_t events = 0;  ///< of the simulator's own; depends on the number of partitions, unlike the others

    PacketCounts& operator+=(const PacketCounts& other) {
        packet_hops += other.packet_hops;
        packets_injected += other.packets_injected;
        packets_ejected += other.packets_ejected;
        payload_bytes_injected += other.payload_bytes_injected;
        payload_bytes_delivered += other.payload_bytes_delivered;
        messages_under_way += other.messages_under_way;
        events += other.events;
        return *this;
    }
};

/// A packet that was granted the output it waited for in a watched router.
struct PacketPassage {
    std::int64_t time_ps = 0;     ///< of the grant
    std::int64_t arrival_ps = 0;  ///< of the head at the buffer
    std::int32_t buffer = 0;      ///< as PacketPorts numbers them
    std::int32_t output = 0;
    PacketMessage message;

    friend bool operator<(const PacketPassage& a, const PacketPassage& b) {
        return std::tie(a.time_ps, a.buffer) < std::tie(b.time_ps, b.buffer);
    }
};

/// What one partition sends to another between two windows, a plain value that a process boundary could be crossed
/// with: a packet for a buffer behind a cut link, a credit for its shadow, a timer of a node, a message's number.
struct PacketMail {
    enum class Kind : std::uint8_t { kPacket, kCredit, kTimer, kMessageDone };

    PacketSlot packet;        ///< kCredit, kTimer: time_ps alone, and the timer's data in message_and_last
    std::int32_t entity = 0;  ///< the buffer, its shadow, the node, or the message
    Kind kind = Kind::kPacket;
};
static_assert(sizeof(PacketMail) == 24);

/// The events of one partition of a PacketMachine, in the order of (time, priority, port or node, data).
///
/// At one instant: first outputs that become free, or get credit, choose among the packets that wait, round robin over
/// (port, VC); then heads that have just come to the front, lowest (router, port, VC) first; then packets that a NIC
/// has received ask for DMA; then NICs send; then messages are posted, copied on their node, delivered; then timers.
template <class Client>
class alignas(64) PacketPartition {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    PacketPartition(PacketMachine& machine, Client& client, int index);

    // As PacketEngine, for nodes of this partition.
    MessageId inject(const PacketMessage& message, std::int64_t time_ps);
    void call_at(NodeId node, std::uint32_t data, std::int64_t time_ps) { push(time_ps, kTimer, node.value, data); }
    void send(int partition, const PacketMail& mail);

    /// Makes what this partition has sent to `to` ready to be taken there.
    void hand_over(PacketPartition& to) {
        std::swap(outboxes_[static_cast<std::size_t>(to.index_)], to.inboxes_[static_cast<std::size_t>(index_)]);
    }
    /// Takes what other partitions have handed over.
    void take_mail();
    /// Takes the mail, then works through all events up to and including `until_ps`.
    void run(std::int64_t until_ps);
    /// No event of this partition, and no mail that it has sent, is earlier; kForEver when there is none.
    [[nodiscard]] std::int64_t next_ps();

    /// No event is left.
    [[nodiscard]] bool is_idle() const { return wheel_.empty(); }
    [[nodiscard]] std::int64_t now_ps() const { return now_ps_; }
    /// The last instant at which anything happened that results can tell.
    [[nodiscard]] std::int64_t last_change_ps() const { return last_change_ps_; }
    void set_now(std::int64_t time_ps) { now_ps_ = std::max(now_ps_, time_ps); }
    [[nodiscard]] const PacketCounts& counts() const { return counts_; }
    [[nodiscard]] std::vector<PacketPassage>& passages() { return passages_; }
    [[nodiscard]] std::size_t memory_bytes() const { return wheel_.memory_bytes(); }

  private:
    enum Priority : std::uint32_t { kWake, kFront, kReceived, kNic, kPost, kCopied, kDelivery, kTimer };
    static constexpr int kEntityBits = 29;
    static Priority priority_of(const TimeWheel::Event& event) {
        return static_cast<Priority>(event.key >> kEntityBits);
    }
    static std::int32_t entity_of(const TimeWheel::Event& event) {
        return static_cast<std::int32_t>(event.key & ((std::uint32_t{1} << kEntityBits) - 1));
    }
    void push(std::int64_t time_ps, Priority priority, std::int32_t entity, std::uint32_t data = 0) {
        wheel_.push(
            {time_ps, static_cast<std::uint32_t>(priority) << kEntityBits | static_cast<std::uint32_t>(entity), data});
    }
    void take(const PacketMail& item);
    void handle(const TimeWheel::Event& event);
    /// Brings what the next events will touch into the caches, and routes their packets: at tens of thousands of nodes
    /// memory sets the pace. Changes no result.
    void look_ahead();

    // The passage of packets.
    void come_to_front(std::int32_t at_buffer);
    void choose_hop(std::int32_t at_buffer);
    void wake_output(std::int32_t o);
    void wake_at(std::int32_t o, std::int64_t time_ps);
    /// Since when, or from when on, there is a slot downstream for the front of `from`; kForEver when it is not
    /// known: then the output is woken once it is.
    std::int64_t credit_ps(const PacketBuffer& from);
    void grant(std::int32_t at_buffer);
    void put(std::int32_t target, const PacketSlot& packet);
    void give_slot_back(std::int32_t at_buffer, std::int64_t leave_ps);
    void give_credit(std::int32_t shadow, const PacketSlot& credit);
    void watch(std::int32_t at_buffer, const PacketSlot& packet);
    void eject(const PacketSlot& packet, std::int32_t nic);
    void receive(std::int32_t nic, std::int32_t pending);
    std::int64_t last_tail_ps(const PacketSlot& packet);
    [[nodiscard]] std::uint32_t duration_ps(const PacketSlot& packet, const PacketPorts::Class& port) const;
    [[nodiscard]] std::uint32_t reading_ps(std::int32_t at_buffer, const PacketSlot& packet) const;
    [[nodiscard]] std::int64_t packet_bytes(const PacketSlot& packet) const;
    [[nodiscard]] PacketOutput& output(std::int32_t o) { return machine_->outputs[static_cast<std::size_t>(o)]; }
    [[nodiscard]] PacketBuffer& buffer(std::int32_t b) { return machine_->buffers[static_cast<std::size_t>(b)]; }

    // NICs and messages.
    void start(std::int32_t message);
    void add_last(PacketNic& nic, std::int32_t message);
    void remove_first(PacketNic& nic);
    void nic_ready(std::int32_t number);
    void send_next(std::int32_t number);
    std::int64_t take_dma(std::int32_t node, std::int64_t payload_bytes);
    void finish(const TimeWheel::Event& first);
    void copied(std::int32_t message, std::int32_t nic);
    void deliver(std::int32_t message);

    PacketMachine* machine_;
    Client* client_;
    int index_;
    std::int64_t now_ps_ = 0;
    std::int64_t last_change_ps_ = 0;
    PacketCounts counts_;
    TimeWheel wheel_;
    std::vector<std::vector<PacketMail>> outboxes_;  ///< by partition
    std::vector<std::vector<PacketMail>> inboxes_;
    std::int64_t earliest_mail_ps_ = kForEver;
    /// Messages posted ahead by a number of their own, which grows with the calls; message numbers do not.
    std::unordered_map<std::uint32_t, std::int32_t> posts_;
    std::uint32_t last_post_ = 0;
    std::vector<PacketSlot> received_;  ///< on their way to a NIC that has to ask for DMA
    std::vector<std::int32_t> unused_received_;
    std::vector<std::int32_t> finished_;  ///< at one NIC and instant
    std::vector<PacketPassage> passages_;
};

}  // namespace haichi

#include "netmodel/packetsim/packet_nic_inl.h"
#include "netmodel/packetsim/packet_partition_inl.h"
