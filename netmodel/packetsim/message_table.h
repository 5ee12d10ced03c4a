#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "netmodel/packetsim/packet_ids.h"
#include "netmodel/packetsim/packet_message.h"
#include "netmodel/routing/channel_rule.h"

namespace haichi {

/// A hop of a route inside a partition.
struct PortHop {
    PortId port;
    std::int32_t vc = 0;
};

/// The messages known to a partition. A message sent here stays until its last packet has gone. A message announced by
/// a neighbour stays until its last packet has gone or is delivered. Ids are reused, so memory grows only with the
/// messages in flight.
class MessageTable {
  public:
    struct Entry {
        PacketMessage message;
        std::int64_t left_bytes = 0;  ///< not yet in a packet
        /// Limit per packet on the message's route; no limit if all packets are full.
        std::int64_t most_payload_bytes = std::numeric_limits<std::int64_t>::max();
        std::int64_t last_tail_ps = 0;  ///< latest tail so far at the destination's NIC
        std::uint64_t way = 0;          ///< Packet::way of a packet that enters the partition
        std::vector<PortHop> route;     ///< the hops in this partition; only without GridSteps
        MessageId next;                 ///< the next message at its NIC, or the next unused entry
        std::uint32_t of_nic = 0;       ///< index among all messages of its NIC
        PortId ejection;                ///< ejection channel, if the destination is in this partition
        bool is_announced = false;      ///< the next partition knows the message
        bool is_injected = false;       ///< the NIC has sent it; true from the start if another partition sent it
        bool has_left = false;          ///< its last packet has entered another partition

        /// Orders messages that are delivered at one NIC and instant. Does not depend on ids, which differ with the
        /// partitions.
        friend bool operator<(const Entry& a, const Entry& b) {
            return std::tie(a.message.source, a.message.nic, a.of_nic) <
                   std::tie(b.message.source, b.message.nic, b.of_nic);
        }
    };

    /// References are valid until the next add().
    [[nodiscard]] Entry& operator[](MessageId id) { return entries_[id.index()]; }
    [[nodiscard]] const Entry& operator[](MessageId id) const { return entries_[id.index()]; }

    void prefetch(MessageId id) const {
        __builtin_prefetch(&(*this)[id].message);
        __builtin_prefetch(&(*this)[id].next);
    }

    MessageId add(const PacketMessage& message) {
        constexpr std::size_t kMost = std::size_t{1} << 30;
        MessageId id = first_unused_;
        if (!id.valid()) {
            if (entries_.size() == kMost) {
                throw UnsupportedError("a partition of the packet simulator supports at most 2^30 messages at a time");
            }
            id = MessageId(entries_.size());
            entries_.emplace_back();
        }
        Entry& at = (*this)[id];
        first_unused_ = at.next;
        at.message = message;
        at.left_bytes = message.bytes;
        at.most_payload_bytes = std::numeric_limits<std::int64_t>::max();
        at.last_tail_ps = 0;
        at.way = 0;
        at.route.clear();  // keeps its memory
        at.next = MessageId();
        at.ejection = PortId();
        at.of_nic = 0;
        at.is_announced = at.is_injected = at.has_left = false;
        return id;
    }
    void remove(MessageId id) {
        (*this)[id].next = first_unused_;
        first_unused_ = id;
    }

    [[nodiscard]] std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

  private:
    std::vector<Entry> entries_;
    MessageId first_unused_;
};

}  // namespace haichi
