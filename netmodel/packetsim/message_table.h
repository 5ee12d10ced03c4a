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

/// A hop of a route in a partition.
struct PortHop {
    PortId port;
    std::int32_t vc = 0;
};

/// The messages that a partition has to do with: those sent here until their last packet is gone, and those announced
/// by a neighbour until their last packet is gone or delivered. Numbers are used again, so memory follows what is under
/// way.
class MessageTable {
  public:
    struct Entry {
        PacketMessage message;
        std::int64_t left_bytes = 0;  ///< not yet in a packet
        /// Of a packet, on its way; without a limit where all packets are full.
        std::int64_t most_payload_bytes = std::numeric_limits<std::int64_t>::max();
        std::int64_t last_tail_ps = 0;  ///< at the destination's NIC, so far
        std::uint64_t way = 0;          ///< of a packet that enters the partition, see Packet
        std::vector<PortHop> route;     ///< without GridSteps: the hops in this partition
        MessageId next;                 ///< after this one at its NIC; or the next unused entry
        std::uint32_t of_nic = 0;       ///< which of its NIC's messages
        PortId ejection;                ///< where the destination is in this partition
        bool is_announced = false;      ///< to the partition that its packets go on to
        bool is_injected = false;       ///< the NIC is done with it; from the start when it comes from elsewhere
        bool has_left = false;          ///< its last packet has gone on to another partition

        /// Of the messages delivered at one NIC and instant: which comes first, whatever their numbers.
        friend bool operator<(const Entry& a, const Entry& b) {
            return std::tie(a.message.source, a.message.nic, a.of_nic) <
                   std::tie(b.message.source, b.message.nic, b.of_nic);
        }
    };

    /// References are good until the next add().
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
                throw UnsupportedError("a partition of the packet simulator takes at most 2^30 messages at a time");
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
