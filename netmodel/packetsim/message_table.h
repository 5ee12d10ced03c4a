#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "netmodel/packetsim/packet_message.h"
#include "netmodel/routing/channel_rule.h"

namespace haichi {

/// A hop of a route in a partition.
struct PortHop {
    std::int32_t port = 0;
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
        std::int32_t next = -1;         ///< behind this one at its NIC; or the next unused entry
        std::uint32_t of_nic = 0;       ///< which of its NIC's messages
        std::int32_t ejection = -1;     ///< port, where the destination is in this partition
        bool is_announced = false;      ///< to the partition that its packets go on to
        bool is_injected = false;       ///< the NIC is done with it; from the start when it comes from elsewhere
        bool has_left = false;          ///< its last packet has gone on to another partition

        /// Of the messages delivered at one place and instant: which comes first, whatever their numbers.
        friend bool operator<(const Entry& a, const Entry& b) {
            return std::tie(a.message.source, a.message.nic, a.of_nic) <
                   std::tie(b.message.source, b.message.nic, b.of_nic);
        }
    };

    /// References are good until the next add().
    [[nodiscard]] Entry& operator[](std::int32_t id) { return entries_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Entry& operator[](std::int32_t id) const { return entries_[static_cast<std::size_t>(id)]; }

    void prefetch(std::int32_t id) const {
        __builtin_prefetch(&(*this)[id].message);
        __builtin_prefetch(&(*this)[id].next);
    }

    std::int32_t add(const PacketMessage& message) {
        constexpr std::size_t kMost = std::size_t{1} << 30;
        std::int32_t id = first_unused_;
        if (id < 0) {
            if (entries_.size() == kMost) {
                throw UnsupportedError("a partition of the packet simulator takes at most 2^30 messages at a time");
            }
            id = static_cast<std::int32_t>(entries_.size());
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
        at.next = at.ejection = -1;
        at.of_nic = 0;
        at.is_announced = at.is_injected = at.has_left = false;
        return id;
    }
    void remove(std::int32_t id) {
        (*this)[id].next = first_unused_;
        first_unused_ = id;
    }

    [[nodiscard]] std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

  private:
    std::vector<Entry> entries_;
    std::int32_t first_unused_ = -1;
};

}  // namespace haichi
