#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "base/strong_id.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/packetsim/zeroed_array.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// A message on its way; the number is free for another once it has been delivered.
using MessageId = StrongId<struct MessageTag>;

/// What a client hands to the packet simulator: sizes only, no payload.
struct PacketMessage {
    NodeId source;
    NodeId destination;  ///< may be the source: then it goes through the node's shared memory
    std::int64_t bytes = 0;
    std::uint64_t tag = 0;    ///< the client's own
    std::int32_t nic = 0;     ///< of the source's NICs the one that sends it; it arrives at that of the same number
    std::int64_t gap_ps = 0;  ///< pause of the NIC after each packet of the message
};

/// The messages that are not yet delivered. Numbers are used again, so memory follows what is under way. Every
/// partition has numbers of its own, and all read all entries: those lie in chunks that never move, and what others
/// read of an entry is written before its packets reach them.
class MessagePool {
  public:
    struct Entry {
        PacketMessage message;
        std::int64_t left_bytes = 0;    ///< not yet in a packet
        std::int64_t last_tail_ps = 0;  ///< at the destination's NIC, so far
        std::int32_t next = -1;         ///< behind this one at its NIC; or the next unused entry
        std::uint32_t of_nic = 0;       ///< which of its NIC's messages

        /// Of the messages delivered at one place and instant: which comes first, whatever their numbers.
        friend bool operator<(const Entry& a, const Entry& b) {
            return std::tie(a.message.source, a.message.nic, a.of_nic) <
                   std::tie(b.message.source, b.message.nic, b.of_nic);
        }
    };

    explicit MessagePool(int partitions) : chunks_(kMostChunks), parts_(static_cast<std::size_t>(partitions)) {}

    [[nodiscard]] Entry& entry(std::int32_t id) { return chunk(id).entries[place(id)]; }
    [[nodiscard]] const Entry& entry(std::int32_t id) const { return chunk(id).entries[place(id)]; }
    /// Read at every hop, hence apart from the rest.
    [[nodiscard]] VertexId destination(std::int32_t id) const { return chunk(id).destination[place(id)]; }
    [[nodiscard]] std::uint32_t last_packet_bytes(std::int32_t id) const {
        return chunk(id).last_packet_bytes[place(id)];
    }
    /// Where hops are not computed one by one; from the first packet on.
    [[nodiscard]] const std::vector<ChannelHop>& route(std::int32_t id) const { return chunk(id).routes[place(id)]; }
    [[nodiscard]] std::vector<ChannelHop>& route_to_fill(std::int32_t id) {
        Chunk& at = chunk(id);
        if (!at.routes) at.routes = std::make_unique<std::vector<ChannelHop>[]>(kChunk);
        return at.routes[place(id)];
    }

    /// The partition that added the message, and that has to remove it.
    [[nodiscard]] int owner(std::int32_t id) const {
        return static_cast<int>(static_cast<std::size_t>(id >> kChunkBits) % parts_.size());
    }
    std::int32_t add(int partition, const PacketMessage& message, VertexId to, const PacketTiming& timing) {
        Part& part = parts_[static_cast<std::size_t>(partition)];
        if (part.first_unused < 0) add_chunk(partition);
        const std::int32_t id = part.first_unused;
        Entry& at = entry(id);
        part.first_unused = at.next;
        at = {message, message.bytes, 0, -1, 0};
        chunk(id).destination[place(id)] = to;
        chunk(id).last_packet_bytes[place(id)] = static_cast<std::uint32_t>(timing.last_packet_bytes(message.bytes));
        return id;
    }
    void remove(std::int32_t id) {
        Part& part = parts_[static_cast<std::size_t>(owner(id))];
        entry(id).next = part.first_unused;
        part.first_unused = id;
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        std::size_t chunks = 0;
        for (const Part& part : parts_) chunks += part.chunks.size();
        return chunks * sizeof(Chunk);
    }

  private:
    static constexpr int kChunkBits = 9;
    static constexpr std::int32_t kChunk = 1 << kChunkBits;
    static constexpr std::size_t kMostChunks = std::size_t{1} << (31 - kChunkBits);
    struct Chunk {
        std::array<VertexId, kChunk> destination;
        std::array<std::uint32_t, kChunk> last_packet_bytes;
        std::array<Entry, kChunk> entries;
        std::unique_ptr<std::vector<ChannelHop>[]> routes;
    };
    struct Part {
        std::vector<std::unique_ptr<Chunk>> chunks;  ///< number k of partition p of P is chunk k * P + p
        std::int32_t first_unused = -1;
    };

    [[nodiscard]] Chunk& chunk(std::int32_t id) { return *chunks_[static_cast<std::size_t>(id) >> kChunkBits]; }
    [[nodiscard]] const Chunk& chunk(std::int32_t id) const {
        return *chunks_[static_cast<std::size_t>(id) >> kChunkBits];
    }
    static std::size_t place(std::int32_t id) { return static_cast<std::size_t>(id) & (kChunk - 1); }

    void add_chunk(int partition) {
        Part& part = parts_[static_cast<std::size_t>(partition)];
        const std::size_t number = part.chunks.size() * parts_.size() + static_cast<std::size_t>(partition);
        if (number >= kMostChunks) throw UnsupportedError("the packet simulator takes at most 2^31 messages at a time");
        part.chunks.push_back(std::make_unique<Chunk>());
        chunks_[number] = part.chunks.back().get();
        const auto first = static_cast<std::int32_t>(number << kChunkBits);
        for (std::int32_t i = 0; i < kChunk; ++i) entry(first + i).next = i + 1 < kChunk ? first + i + 1 : -1;
        part.first_unused = first;
    }

    ZeroedArray<Chunk*> chunks_;
    std::vector<Part> parts_;
};

}  // namespace haichi
