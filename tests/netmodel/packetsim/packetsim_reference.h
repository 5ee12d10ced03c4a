#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "netmodel/packetsim/packet_engine.h"

namespace haichi::packetsim_reference {

/// A second packet simulator, slow and simple. It uses a priority queue, packets with their whole path, and credits as
/// counters. Every step is one event (a head arrives, a tail leaves, a credit returns, an output becomes free). It
/// follows the equations and shares only routes and virtual channels with the engine.
class ReferenceSimulator {
  public:
    struct Delivery {
        std::int64_t injected_ps = -1;
        std::int64_t delivered_ps = -1;
        friend bool operator==(const Delivery&, const Delivery&) = default;
    };

    /// `terminals_are_hosts`: terminals have no router, as on trees.
    ReferenceSimulator(const Network& network, const PacketTimingOptions& options, bool terminals_are_hosts)
        : network_(network), options_(options), channels_(network), hosts_(terminals_are_hosts) {
        links_ = network.link_count();
        nic_rate_ = options.nic_bandwidth_bytes_per_s != 0 ? options.nic_bandwidth_bytes_per_s : fastest_link();
    }

    /// Calls for the present instant run immediately, later calls run in the order in which they were made.
    void inject(const PacketMessage& message, std::int64_t time_ps) {
        const auto index = static_cast<std::int32_t>(messages_.size());
        messages_.push_back(message);
        results_.emplace_back();
        left_bytes_.push_back(message.bytes);
        if (time_ps == now_) return post(index);
        add(time_ps, kPost, message.source.value, index);
    }
    std::int32_t nic_of(const PacketMessage& message, NodeId node) const {
        return node.value * options_.nics + message.nic;
    }

    /// Returns the deliveries, indexed by message in the order of inject().
    std::vector<Delivery> run() {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = std::get<0>(event);
            step(static_cast<Step>(std::get<1>(event)), std::get<2>(event), std::get<3>(event));
        }
        for (const auto& [id, buffer] : buffers_) {
            if (!buffer.packets.empty()) throw std::runtime_error("packets are stuck");
        }
        for (const auto& [channel, taken] : taken_) {
            if (taken != 0) throw std::runtime_error("a credit was lost");
        }
        return results_;
    }

  private:
    // At the same instant, steps that change a state precede steps that choose.
    enum Step {
        kOutputFree,
        kCredit,
        kFrontLeft,
        kHeadArrived,
        kChoose,
        kAsk,
        kReceived,
        kNicFree,
        kPost,
        kCopied,
        kDelivered
    };
    using Event = std::tuple<std::int64_t, std::int32_t, std::int32_t, std::int32_t>;  // time, step, entity, data

    struct Packet {
        std::int32_t message = 0;
        std::int64_t bytes = 0;
        bool is_last = false;
        std::vector<std::int32_t> outputs;  ///< links, then the ejection channel
        std::vector<std::int32_t> buffers;  ///< the buffer in which the packet waits for each output
        std::size_t at = 0;
        std::int64_t slowest = 0;
        std::int64_t least_ps = 0;  ///< the minimum time that the source needed for the packet
        std::int64_t head_ps = 0;
        std::int64_t tail_ps = 0;
        std::int64_t entered_ps = 0;  ///< when its head left its NIC
    };
    struct Buffer {
        std::deque<Packet> packets;  ///< in arrival order; the first may be leaving
        std::int64_t credit_ps = 0;
        bool is_leaving = false;
        bool asks = false;
    };
    struct Output {
        std::int64_t free_ps = 0;
        std::int32_t last = -1;
        std::vector<std::int32_t> waiting;  ///< buffers, in order
    };
    struct Nic {
        std::deque<std::int32_t> messages;
        bool is_idle = true;
        std::int64_t free_ps = 0;
    };
    struct Host {
        std::int64_t dma_ps = 0;
        std::int64_t memory_ps = 0;
        std::int64_t copy_ps = 0;
    };

    static std::int64_t time_of(std::int64_t bytes, std::int64_t rate) {
        const auto exact = static_cast<__int128>(bytes) * 1'000'000'000'000;
        return static_cast<std::int64_t>((exact + rate - 1) / rate);
    }
    std::int64_t link_rate(std::int32_t link) const {
        return options_.link_bandwidth_bytes_per_s != 0 ? options_.link_bandwidth_bytes_per_s
                                                        : network_.bandwidth_bytes_per_s(LinkId(link));
    }
    std::int64_t fastest_link() const {
        std::int64_t fastest = 0;
        for (std::int32_t l = 0; l < links_; ++l) {
            if (network_.link_exists(LinkId(l))) fastest = std::max(fastest, link_rate(l));
        }
        return fastest;
    }
    std::int64_t output_rate(std::int32_t output) const {
        const std::int64_t rate = output < links_ ? link_rate(output) : nic_rate_;
        return options_.switch_bandwidth_bytes_per_s != 0 ? std::min(rate, options_.switch_bandwidth_bytes_per_s)
                                                          : rate;
    }
    /// Latency of link traversal `at` among `count` traversals of a packet.
    std::int64_t latency(std::size_t at, std::size_t count) const {
        const std::int64_t router = options_.routing_ps + options_.vc_allocation_ps + options_.switch_allocation_ps +
                                    options_.switch_latency_ps;
        const std::int64_t cable = options_.cable_latency_ps;
        const bool ejects = at + 1 == count;
        if (!hosts_) return ejects ? router : router + cable;
        const std::int64_t host_cable = options_.host_cable_latency_ps;
        if (ejects) return 0;                                    // host to its NIC
        if (at == 0) return host_cable;                          // NIC to the first switch
        return router + (at + 2 == count ? host_cable : cable);  // the last switch to the host
    }
    std::int64_t latency_of(const Packet& packet) const { return latency(packet.at, packet.outputs.size()); }
    bool is_injection(std::int32_t buffer) const { return buffer >= links_ * options_.virtual_channels; }

    void add(std::int64_t time_ps, Step step, std::int32_t entity, std::int32_t data = 0) {
        events_.emplace(time_ps, step, entity, data);
    }

    void step(Step what, std::int32_t entity, std::int32_t data) {
        if (what == kOutputFree) add(now_, kChoose, entity);
        if (what == kCredit) {  // for buffer `entity`, which output `data` feeds, or for a NIC
            --taken_[entity];
            if (is_injection(entity)) {
                add(now_, kNicFree, data);
            } else {
                add(now_, kChoose, data);
            }
        }
        if (what == kFrontLeft) {
            buffers_[entity].packets.pop_front();
            buffers_[entity].is_leaving = false;
            look_at_front(entity);
        }
        if (what == kHeadArrived) look_at_front(entity);
        if (what == kChoose) choose(entity);
        if (what == kAsk) ask(entity);
        if (what == kNicFree) send(entity);
        if (what == kPost) post(data);
        if (what == kReceived) receive(data);
        if (what == kCopied) {
            results_[static_cast<std::size_t>(data)].injected_ps = now_;
            add(now_ + options_.shared_memory_latency_ps, kDelivered, entity, data);
        }
        if (what == kDelivered) results_[static_cast<std::size_t>(data)].delivered_ps = now_;
    }

    void post(std::int32_t index) {
        const PacketMessage& message = messages_[static_cast<std::size_t>(index)];
        if (message.source != message.destination) {
            const std::int32_t nic = nic_of(message, message.source);
            nics_[nic].messages.push_back(index);
            // A busy NIC starts the message in a later step, even if its last packet needed no time.
            if (!nics_[nic].is_idle) return;
            return send(nic);
        }
        std::int64_t& copy_ps = hosts_by_node_[message.source.value].copy_ps;
        copy_ps = std::max(copy_ps, now_);
        if (options_.shared_memory_bandwidth_bytes_per_s != 0) {
            copy_ps += time_of(message.bytes, options_.shared_memory_bandwidth_bytes_per_s);
        }
        add(copy_ps, kCopied, message.source.value, index);
    }

    /// The instant from which DMA and memory move these bytes.
    std::int64_t reach_memory(std::int32_t node, std::int64_t payload) {
        Host& host = hosts_by_node_[node];
        const std::int64_t start_ps = std::max({now_, host.dma_ps, host.memory_ps});
        if (options_.dma_bandwidth_bytes_per_s != 0) {
            host.dma_ps = start_ps + time_of(payload, options_.dma_bandwidth_bytes_per_s);
        }
        if (options_.memory_bandwidth_bytes_per_s != 0) {
            host.memory_ps = start_ps + time_of(payload, options_.memory_bandwidth_bytes_per_s);
        }
        return start_ps;
    }
    std::int64_t slowest_of_host() const {
        std::int64_t rate = std::numeric_limits<std::int64_t>::max();
        for (const std::int64_t of : {options_.dma_bandwidth_bytes_per_s, options_.memory_bandwidth_bytes_per_s}) {
            if (of != 0) rate = std::min(rate, of);
        }
        return rate;
    }

    /// The head of a packet has arrived at its NIC.
    void receive(std::int32_t number) {
        const Packet packet = std::move(received_.at(number));
        received_.erase(number);
        const std::int64_t payload = packet.bytes - options_.packet_header_bytes;
        const std::int32_t node = messages_[static_cast<std::size_t>(packet.message)].destination.value;
        std::int64_t done_ps = packet.tail_ps;
        if (payload > 0) {
            const std::int64_t start_ps = reach_memory(node, payload);
            done_ps = std::max(done_ps, start_ps + time_of(payload, slowest_of_host()));
        }
        std::int64_t& last_ps = last_done_ps_[packet.message];
        last_ps = std::max(last_ps, done_ps);
        if (packet.is_last) add(last_ps, kDelivered, node, packet.message);
    }

    void look_at_front(std::int32_t id) {
        Buffer& buffer = buffers_[id];
        if (buffer.packets.empty() || buffer.is_leaving || buffer.asks) return;
        if (buffer.packets.front().head_ps > now_) return;
        buffer.asks = true;
        add(now_, kAsk, id);
    }
    /// Requests the output for a new packet of a NIC immediately.
    void ask_from_nic(std::int32_t id) {
        Buffer& buffer = buffers_[id];
        if (buffer.is_leaving || buffer.asks || buffer.packets.front().head_ps > now_) return;
        buffer.asks = true;
        ask(id);
    }

    bool can_go(std::int32_t id) {
        const Packet& packet = buffers_[id].packets.front();
        if (outputs_[packet.outputs[packet.at]].free_ps > now_) return false;
        if (packet.at + 1 == packet.outputs.size()) return true;
        return taken_[packet.buffers[packet.at + 1]] < options_.buffer_packets;
    }

    void ask(std::int32_t id) {
        if (can_go(id)) return grant(id);
        const Packet& packet = buffers_[id].packets.front();
        std::vector<std::int32_t>& waiting = outputs_[packet.outputs[packet.at]].waiting;
        waiting.insert(std::ranges::lower_bound(waiting, id), id);
    }

    void choose(std::int32_t id) {
        Output& output = outputs_[id];
        std::vector<std::int32_t> turn;
        for (const std::int32_t b : output.waiting) {
            if (b > output.last) turn.push_back(b);
        }
        for (const std::int32_t b : output.waiting) {
            if (b <= output.last) turn.push_back(b);
        }
        if (options_.arbiter == Arbiter::kFixedPriority) turn = output.waiting;
        if (options_.arbiter == Arbiter::kOldestFirst) {
            std::ranges::stable_sort(turn, {}, [&](std::int32_t b) { return buffers_[b].packets.front().entered_ps; });
        }
        for (const std::int32_t b : turn) {
            if (!can_go(b)) continue;
            std::erase(output.waiting, b);
            return grant(b);
        }
    }

    void grant(std::int32_t id) {
        Buffer& buffer = buffers_[id];
        Packet& packet = buffer.packets.front();
        const std::int32_t out = packet.outputs[packet.at];
        const std::int64_t l = latency_of(packet);
        outputs_[out].last = id;
        outputs_[out].free_ps = now_ + time_of(packet.bytes, output_rate(out));
        add(outputs_[out].free_ps, kOutputFree, out);

        Packet next = packet;
        next.slowest = std::min(packet.slowest, output_rate(out));
        next.head_ps = now_ + l;
        const std::int64_t length_ps = std::max(packet.least_ps, time_of(packet.bytes, next.slowest));
        next.tail_ps = std::max(next.head_ps + length_ps, packet.tail_ps + l);
        const std::int64_t left_ps = next.tail_ps - l;
        buffer.asks = false;
        buffer.is_leaving = true;
        const std::int64_t feeding_rate = is_injection(id) ? nic_rate_ : output_rate(packet.outputs[packet.at - 1]);
        add(now_ + time_of(packet.bytes, feeding_rate), kFrontLeft, id);
        buffer.credit_ps = std::max(buffer.credit_ps, left_ps);  // in the order of the packets
        if (is_injection(id)) {
            add(buffer.credit_ps, kCredit, id, id - links_ * options_.virtual_channels);
        } else {
            add(buffer.credit_ps + latency(packet.at - 1, packet.outputs.size()), kCredit, id,
                packet.outputs[packet.at - 1]);
        }
        if (++next.at == next.outputs.size()) {
            received_.emplace(++packets_received_, next);
            add(next.head_ps, kReceived, out - links_, packets_received_);
            return;
        }
        place(std::move(next));
    }

    void place(Packet packet) {
        const std::int32_t id = packet.buffers[packet.at];
        if (++taken_[id] > options_.buffer_packets) throw std::runtime_error("a buffer overflows");
        add(packet.head_ps, kHeadArrived, id);
        buffers_[id].packets.push_back(std::move(packet));
    }

    void send(std::int32_t number) {
        Nic& nic = nics_[number];
        const std::int32_t id = links_ * options_.virtual_channels + number;
        nic.is_idle = nic.messages.empty();
        if (nic.is_idle || nic.free_ps > now_ || taken_[id] == options_.buffer_packets) return;
        const std::int32_t index = nic.messages.front();
        nic.messages.pop_front();
        const PacketMessage& message = messages_[static_cast<std::size_t>(index)];
        std::int64_t& left_bytes = left_bytes_[static_cast<std::size_t>(index)];
        const std::int64_t payload = std::min(left_bytes, options_.packet_payload_bytes);
        left_bytes -= payload;

        Packet packet;
        packet.message = index;
        packet.bytes = payload + options_.packet_header_bytes;
        packet.is_last = left_bytes == 0;
        packet.slowest = nic_rate_;
        packet.head_ps = now_;
        std::int64_t length_ps = time_of(packet.bytes, nic_rate_);
        if (payload > 0) {
            packet.head_ps = reach_memory(message.source.value, payload);
            // The NIC makes the header; the time identifies the slowest channel so far for a payload of this size.
            length_ps = std::max(length_ps, time_of(payload, slowest_of_host()));
        }
        packet.head_ps += options_.nic_packet_ps;
        packet.least_ps = length_ps;
        packet.entered_ps = packet.head_ps;
        packet.tail_ps = packet.head_ps + length_ps;
        packet.buffers.push_back(id);
        std::vector<ChannelHop> hops;
        channels_.append_route(network_, message.source, message.destination, hops);
        for (const ChannelHop& hop : hops) {
            packet.outputs.push_back(hop.link.value);
            packet.buffers.push_back(hop.link.value * options_.virtual_channels + hop.vc);
        }
        packet.outputs.push_back(links_ + nic_of(message, message.destination));
        nic.free_ps = packet.tail_ps + message.gap_ps;
        add(nic.free_ps, kNicFree, number);
        if (packet.is_last) {
            results_[static_cast<std::size_t>(index)].injected_ps = packet.tail_ps;
        } else if (options_.nic_interleaves_packets) {
            nic.messages.push_back(index);
        } else {
            nic.messages.push_front(index);
        }
        place(std::move(packet));
        ask_from_nic(id);
    }

    const Network& network_;
    PacketTimingOptions options_;
    VirtualChannels channels_;
    bool hosts_;
    std::int32_t links_ = 0;
    std::int64_t nic_rate_ = 0;
    std::int64_t now_ = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::map<std::int32_t, Buffer> buffers_;
    std::map<std::int32_t, Output> outputs_;
    std::map<std::int32_t, std::int32_t> taken_;  ///< by buffer: entries that upstream may not use
    std::map<std::int32_t, Nic> nics_;
    std::map<std::int32_t, Host> hosts_by_node_;
    std::map<std::int32_t, Packet> received_;
    std::int32_t packets_received_ = 0;
    std::vector<std::int64_t> left_bytes_;
    std::map<std::int32_t, std::int64_t> last_done_ps_;
    std::vector<PacketMessage> messages_;
    std::vector<Delivery> results_;
};

}  // namespace haichi::packetsim_reference
