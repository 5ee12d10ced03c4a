#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>

#include "commlog/workload/workload.h"

namespace haichi {

/// One side's state of a message. The sender keeps an envelope from its rendezvous request until it sends the data. The
/// receiver keeps one from arrival until the message is matched and, for a rendezvous, acknowledged. All other state is
/// in the packets. An access to memory has an envelope while it waits for a call of the target's rank. A queued send
/// has an envelope, too, and so has a rendezvous step that waits for a call.
struct Envelope {
    enum class Stage : std::uint8_t {
        kFree,
        kQueued,        ///< at the sender, waiting for its turn
        kRequested,     ///< at the sender; the rendezvous request is on its way
        kHeld,          ///< at the sender; the receive is not posted yet, so other sends go first
        kAcknowledged,  ///< at the sender; the receiver has acknowledged the request
        kArrived,
        kMatched,
        kAsked,  ///< at the receiver; the sender has requested a further round trip
        kAccess
    };

    RankId source;
    RankId destination;
    std::int32_t tag = 0;
    std::uint32_t context = 0;   ///< see Call::context
    std::uint32_t sequence = 0;  ///< number among the messages of this pair
    std::int64_t bytes = 0;
    /// For an access, bytes of its answer; for a queued send, bytes not handed over yet.
    std::int64_t further_bytes = 0;
    std::int64_t gap_ps = 0;
    std::int32_t nic = 0;
    std::uint32_t send_request = 0;
    std::uint32_t receive_request = 0;
    std::uint32_t flags = 0;  ///< used by accesses and queued eager sends
    /// For a rendezvous, index of the sender's envelope. For a queued eager send, index among the sender's striped
    /// messages.
    std::uint32_t sender = 0;
    std::uint32_t index = 0;  ///< index in the pool
    bool is_eager = false;
    std::uint8_t round_trips_left = 0;  ///< for a rendezvous at its sender, round trips left before the data are sent
    Stage stage = Stage::kFree;
    /// Next in the list of its source, of deferred envelopes, or of unused envelopes.
    Envelope* next = nullptr;
    Envelope* arrived_before = nullptr;  ///< neighbours among unexpected messages, in the order of arrival
    Envelope* arrived_behind = nullptr;
};

/// The envelopes of a partition's ranks. The address of an envelope never changes. Memory is proportional to the
/// largest number of envelopes kept at one time.
class EnvelopePool {
  public:
    Envelope& add() {
        if (first_free_ == nullptr) return append();
        Envelope& envelope = *first_free_;
        first_free_ = envelope.next;
        const std::uint32_t index = envelope.index;
        envelope = {};
        envelope.index = index;
        return envelope;
    }

    void give_back(Envelope& envelope) {
        envelope.stage = Envelope::Stage::kFree;
        envelope.next = first_free_;
        first_free_ = &envelope;
    }

    [[nodiscard]] Envelope& operator[](std::uint32_t index) {
        const std::uint32_t chunk = chunk_of(index);
        return chunks_[chunk][index - first_of(chunk)];
    }
    /// All indices below this number have been used.
    [[nodiscard]] std::uint32_t size() const { return size_; }

  private:
    static constexpr std::uint32_t kFirstChunk = 4;  // each chunk is twice as large as the previous one
    static std::uint32_t chunk_of(std::uint32_t index) {
        return static_cast<std::uint32_t>(std::bit_width(index / kFirstChunk + 1) - 1);
    }
    static std::uint32_t first_of(std::uint32_t chunk) { return kFirstChunk * ((std::uint32_t{1} << chunk) - 1); }

    Envelope& append() {
        const std::uint32_t chunk = chunk_of(size_);
        if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<Envelope[]>(std::size_t{kFirstChunk} << chunk);
        Envelope& envelope = (*this)[size_];
        envelope.index = size_++;
        return envelope;
    }

    std::array<std::unique_ptr<Envelope[]>, 28> chunks_;
    std::uint32_t size_ = 0;
    Envelope* first_free_ = nullptr;
};

}  // namespace haichi
