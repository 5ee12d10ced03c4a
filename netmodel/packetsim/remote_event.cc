#include "netmodel/packetsim/remote_event.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "base/errors.h"

namespace haichi {

static_assert(std::is_trivially_copyable_v<RemoteEvent> && std::is_trivially_copyable_v<PacketMessage>);

std::vector<std::byte> to_bytes(const RemoteEventBatch& batch) {
    const std::array<std::uint64_t, 2> counts = {batch.events.size(), batch.messages.size()};
    const std::size_t item_bytes = counts[0] * sizeof(RemoteEvent);
    const std::size_t message_bytes = counts[1] * sizeof(PacketMessage);
    std::vector<std::byte> bytes(sizeof(counts) + item_bytes + message_bytes);
    std::memcpy(bytes.data(), counts.data(), sizeof(counts));
    if (item_bytes > 0) std::memcpy(bytes.data() + sizeof(counts), batch.events.data(), item_bytes);
    if (message_bytes > 0) {
        std::memcpy(bytes.data() + sizeof(counts) + item_bytes, batch.messages.data(), message_bytes);
    }
    return bytes;
}

void from_bytes(std::span<const std::byte> bytes, RemoteEventBatch& batch) {
    std::array<std::uint64_t, 2> counts{};
    if (bytes.size() < sizeof(counts)) throw InternalError("a batch of remote events is truncated");
    std::memcpy(counts.data(), bytes.data(), sizeof(counts));
    const std::size_t rest = bytes.size() - sizeof(counts);
    const bool is_possible = counts[0] <= rest / sizeof(RemoteEvent) && counts[1] <= rest / sizeof(PacketMessage);
    if (!is_possible || counts[0] * sizeof(RemoteEvent) + counts[1] * sizeof(PacketMessage) != rest) {
        throw InternalError("a batch of remote events has an invalid size");
    }
    batch.events.resize(counts[0]);
    batch.messages.resize(counts[1]);
    const std::size_t item_bytes = counts[0] * sizeof(RemoteEvent);
    if (counts[0] > 0) std::memcpy(batch.events.data(), bytes.data() + sizeof(counts), item_bytes);
    if (counts[1] > 0) {
        std::memcpy(batch.messages.data(), bytes.data() + sizeof(counts) + item_bytes,
                    counts[1] * sizeof(PacketMessage));
    }
}

}  // namespace haichi
