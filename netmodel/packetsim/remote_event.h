#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/packetsim/packet_message.h"

namespace haichi {

/// What one partition sends another between two windows, in order. Plain values: nothing in them is an address.
struct RemoteEvent {
    enum class Kind : std::uint32_t {
        kAnnouncement,  ///< `message` is the next of RemoteEventBatch::messages; its packets follow
        kPacket,        ///< for the buffer `target`
        kCredit,        ///< for the buffer `target`, usable upstream from time_ps on
        kTimer,         ///< of the node `target`; its data is in `message`
    };

    std::int64_t time_ps = 0;
    std::uint32_t message = 0;  ///< as the sender numbers it; * 2, + 1 in the last packet, where it is a packet's
    std::uint32_t duration_ps = 0;
    std::uint32_t bytes = 0;
    std::uint32_t of_nic = 0;  ///< of an announcement
    std::int32_t target = 0;   ///< as the receiver numbers it
    Kind kind = Kind::kPacket;
};
static_assert(sizeof(RemoteEvent) == 32);

struct RemoteEventBatch {
    std::vector<RemoteEvent> events;
    std::vector<PacketMessage> messages;  ///< that are announced, in order

    [[nodiscard]] bool empty() const { return events.empty(); }
    void clear() {
        events.clear();
        messages.clear();
    }
};

/// The batch as bytes, and back: for transports that leave the process. Machines of one kind only.
std::vector<std::byte> to_bytes(const RemoteEventBatch& batch);
/// Throws InternalError for bytes that are no batch.
void from_bytes(std::span<const std::byte> bytes, RemoteEventBatch& batch);

}  // namespace haichi
