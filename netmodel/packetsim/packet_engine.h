#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/errors.h"
#include "netmodel/packetsim/grid_steps.h"
#include "netmodel/packetsim/packet_ports.h"
#include "netmodel/packetsim/packet_state.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/time_wheel.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/packetsim/waiting_buffers.h"

namespace haichi {

/// Who feeds a PacketEngine. From these calls it may inject and set timers.
template <class C>
concept PacketClient = requires(C& client, MessageId id, const PacketMessage& message, std::int64_t time_ps) {
    /// The tail of the last packet has arrived at the destination's NIC; `id` is used again after the call.
    client.message_delivered(id, message, time_ps);
    /// The tail of the last packet has left the source's NIC.
    client.message_injected(id, message, time_ps);
    /// A timer set with call_at; `data` is the client's own.
    client.timer(NodeId{}, std::uint32_t{}, time_ps);
};

/// What has happened so far.
struct PacketCounts {
    std::int64_t packet_hops = 0;  ///< passages over a link or an ejection channel
    std::int64_t packets_injected = 0;
    std::int64_t packets_ejected = 0;
    std::int64_t payload_bytes_injected = 0;
    std::int64_t payload_bytes_delivered = 0;
    std::int64_t messages_under_way = 0;
    std::int64_t events = 0;
};

/// How a PacketEngine is run; nothing here changes a result.
struct PacketEngineOptions {
    int threads = 1;
    /// Effects of one node on another that the client brings about itself (call_across) come at least this much later.
    std::int64_t shortest_client_latency_ps = std::numeric_limits<std::int64_t>::max();
    bool count_bytes = false;  ///< per link and ejection channel, for bytes_passed()
};

/// The packet-level simulator: virtual cut-through, an input buffer per virtual channel, credits, round robin.
///
/// A packet's head arrives at the front of a buffer, asks for an output and is granted it as soon as the output is free
/// and there is a slot for the whole packet downstream. With L the latency of the output, P the packet's size:
///     head' = grant + L,  tail' = max(head' + P / slowest bandwidth so far, tail + L),
///     the output is busy for P / its bandwidth, the tail leaves the buffer L before tail'.
/// The tail comes at most P / slowest bandwidth after the head, so the maximum is always its first term: a packet
/// carries that one duration. When the tail has left, the next packet is at the front, and the slot is free; upstream
/// may use it L (its own) later. NIC to router takes no time, ejection is a passage without cable and always drains.
///
/// At one instant: first outputs that become free, or get credit, choose among the packets that wait, round robin over
/// (port, VC); then heads that have just come to the front, lowest (router, port, VC) first; then NICs send. Results
/// depend on nothing else.
///
/// One event per hop: the head at the front of its buffer. Where it is granted at once, the events are done with; else
/// the output is woken when it is free or its credit is known. Credits are times in the slots themselves. State is
/// O(links * VCs * buffer), events and messages are what is under way; nothing is quadratic in nodes.
template <class Client>
class PacketEngine {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    /// `network` and `client` must outlive it. Throws what VirtualChannels and PacketPorts throw.
    PacketEngine(const Network& network, const PacketTiming& timing, Client& client,
                 const PacketEngineOptions& options = {});
    PacketEngine(const PacketEngine&) = delete;
    PacketEngine& operator=(const PacketEngine&) = delete;

    /// Hands a message to its source's NIC at `time_ps`, now or later; at one time, in the order of the calls. Throws
    /// OptionError for nodes that are none or faulty, negative sizes and times that are over.
    MessageId inject(const PacketMessage& message, std::int64_t time_ps);
    /// client.timer(node, data) at `time_ps`, now or later; of one node at one instant in the order of `data`.
    void call_at(NodeId node, std::uint32_t data, std::int64_t time_ps);
    /// The same for another node than that of the callback, `from`, at least shortest_client_latency_ps from now.
    void call_across(NodeId from, NodeId node, std::uint32_t data, std::int64_t time_ps);

    /// Runs until nothing is left to happen, or up to and including `until_ps`. Throws InternalError when messages are
    /// under way and nothing happens any more: a deadlock.
    void run(std::int64_t until_ps = kForEver);
    /// The same, and asks go_on() every now and then, at instants that depend on nothing but the traffic; no callback
    /// runs meanwhile. False ends the run there.
    void run_while(const std::function<bool()>& go_on, std::int64_t until_ps = kForEver);

    [[nodiscard]] std::int64_t now_ps() const { return now_ps_; }
    [[nodiscard]] const PacketCounts& counts() const { return counts_; }
    /// Payload and headers that went over each link of the fabric, then through the ejection channels (of every node
    /// those of its NICs in order). Only with count_bytes.
    [[nodiscard]] const std::vector<std::int64_t>& bytes_passed() const { return bytes_passed_; }
    [[nodiscard]] const PacketPorts& ports() const { return ports_; }
    /// No packet is in a buffer, and every slot has been given back.
    [[nodiscard]] bool is_drained() const;
    /// Of any buffer at this moment: packets in it, or on the way to it, that are not granted yet.
    [[nodiscard]] std::int32_t most_packets_waiting() const;
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    enum Priority : std::uint32_t { kWake, kFront, kNic, kPost, kDelivery, kTimer };
    static constexpr int kEntityBits = 29;
    static Priority priority_of(const TimeWheel::Event& event) {
        return static_cast<Priority>(event.key >> kEntityBits);
    }
    static std::int32_t entity_of(const TimeWheel::Event& event) {
        return static_cast<std::int32_t>(event.key & ((std::uint32_t{1} << kEntityBits) - 1));
    }

    void build_buffers();
    void push(std::int64_t time_ps, Priority priority, std::int32_t entity, std::uint32_t data = 0) {
        wheel_.push(
            {time_ps, static_cast<std::uint32_t>(priority) << kEntityBits | static_cast<std::uint32_t>(entity), data});
    }
    void handle(const TimeWheel::Event& event);
    /// Brings what the next events will touch into the caches, and routes their packets: at tens of thousands of nodes
    /// memory sets the pace. Changes no result.
    void look_ahead();

    // The passage of packets.
    void come_to_front(std::int32_t buffer);
    void choose_hop(std::int32_t buffer);
    void wake_output(std::int32_t output);
    void wake_at(std::int32_t output, std::int64_t time_ps);
    /// Since when, or from when on, there is a slot downstream for the front of `buffer`; kForEver when it is not
    /// known: then the output is woken once it is.
    std::int64_t credit_ps(const PacketBuffer& buffer);
    void grant(std::int32_t buffer);
    void send_downstream(std::int32_t target, PacketSlot packet);
    void eject(const PacketSlot& packet, NodeId node);
    [[nodiscard]] std::uint32_t duration_ps(const PacketSlot& packet, const PacketPorts::Class& port) const;
    [[nodiscard]] std::int64_t packet_bytes(const PacketSlot& packet) const;
    [[nodiscard]] PacketSlot& slot(std::int32_t buffer, std::int32_t place) {
        if (place >= buffer_packets_) place -= buffer_packets_;
        return slots_[static_cast<std::size_t>(buffer) * static_cast<std::size_t>(buffer_packets_) +
                      static_cast<std::size_t>(place)];
    }
    [[nodiscard]] const PacketPorts::Class& class_of(const PacketOutput& output) const {
        return ports_.classes()[output.port_class];
    }

    // NICs and messages.
    void queue(std::int32_t message);
    void nic_ready(std::int32_t node);
    void send_next(std::int32_t node);
    void deliver(std::int32_t message);

    const Network* network_;
    PacketTiming timing_;
    Client* client_;
    VirtualChannels virtual_channels_;
    PacketPorts ports_;
    std::optional<GridSteps> steps_;  ///< else every message has its route
    std::int32_t buffer_packets_;
    std::int32_t vcs_;
    std::int32_t first_injection_buffer_;
    std::int64_t now_ps_ = 0;
    PacketCounts counts_;
    std::vector<std::int64_t> bytes_passed_;
    TimeWheel wheel_;
    std::vector<PacketOutput> outputs_;
    std::vector<PacketBuffer> buffers_;
    std::vector<PacketSlot> slots_;
    std::vector<std::int32_t> buffers_of_routers_;
    std::optional<WaitingBuffers> waiting_;
    std::vector<PacketNic> nics_;
    MessagePool messages_;
    /// Messages posted ahead by a number of their own, which grows with the calls; message numbers do not.
    std::unordered_map<std::uint32_t, std::int32_t> posts_;
    std::uint32_t last_post_ = 0;
};

}  // namespace haichi

#include "netmodel/packetsim/packet_engine_inl.h"
