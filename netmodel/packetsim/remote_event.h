#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/packetsim/packet_message.h"

namespace haichi {

/// An event that one partition sends to another between two windows. A plain value without addresses. Receivers need
/// the order in which events were sent.
struct RemoteEvent {
    enum class Kind : std::uint32_t {
        kAnnouncement,  ///< `message` is the next of RemoteEventBatch::messages; its packets follow
        kPacket,        ///< for the buffer `target`
        kAge,           ///< the next packet entered the network at time_ps; only for Arbiter::kOldestFirst
        kCredit,        ///< for the buffer `target`; usable upstream from time_ps
        kTimer,         ///< for the node `target`; `message` holds its data
    };

    std::int64_t time_ps = 0;
    /// The sender's id of the message. For a packet: id * 2, + 1 in the last packet.
    std::uint32_t message = 0;
    std::uint32_t duration_ps = 0;
    std::uint32_t bytes = 0;
    std::uint32_t of_nic = 0;  ///< MessageTable::Entry::of_nic, in an announcement
    std::int32_t target = 0;   ///< id in the receiver
    Kind kind = Kind::kPacket;
};
static_assert(sizeof(RemoteEvent) == 32);

struct RemoteEventBatch {
    std::vector<RemoteEvent> events;
    std::vector<PacketMessage> messages;  ///< the announced messages, in order

    [[nodiscard]] bool empty() const { return events.empty(); }
    void clear() {
        events.clear();
        messages.clear();
    }
};

/// Converts the batch to bytes for transports between processes on machines of one kind.
std::vector<std::byte> to_bytes(const RemoteEventBatch& batch);
/// The inverse of to_bytes(). Throws InternalError for invalid bytes.
void from_bytes(std::span<const std::byte> bytes, RemoteEventBatch& batch);

}  // namespace haichi
