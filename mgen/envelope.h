#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>

#include "commlog/workload/workload.h"

namespace haichi {

/// What one side knows of a message. The sender keeps one from the request of a rendezvous until it sends the data; the
/// receiver from the arrival until the message is matched and, in a rendezvous, the acknowledgement sent. All else
/// travels with the packets. An access to memory has one while it waits for a call of its target's rank, and so has a
/// send that waits for its turn, and a step of a rendezvous that waits for a call.
struct Envelope {
    enum class Stage : std::uint8_t {
        kFree,
        kQueued,        ///< at the sender: waits for its turn
        kRequested,     ///< at the sender
        kHeld,          ///< at the sender: the receive is not there yet, others go first
        kAcknowledged,  ///< at the sender
        kArrived,
        kMatched,
        kAsked,  ///< at the receiver: a further round trip
        kAccess
    };

    RankId source;
    RankId destination;
    std::int32_t tag = 0;
    std::uint32_t context = 0;   ///< as Call::context
    std::uint32_t sequence = 0;  ///< among the messages of this pair
    std::int64_t bytes = 0;
    std::int64_t further_bytes = 0;  ///< of an access: its answer's; of a send that waits: those not handed over yet
    std::int64_t gap_ps = 0;
    std::int32_t nic = 0;
    std::uint32_t send_request = 0;
    std::uint32_t receive_request = 0;
    std::uint32_t flags = 0;   ///< of an access, and of an eager send that waits for its turn
    std::uint32_t sender = 0;  ///< of a rendezvous: index of the sender's envelope; of such a send: its key as stripes
    std::uint32_t index = 0;   ///< in its pool
    bool is_eager = false;
    std::uint8_t round_trips_left = 0;  ///< of a rendezvous, at its sender: before the data
    Stage stage = Stage::kFree;
    Envelope* next = nullptr;            ///< of the same source; waiting for the next call of the rank; or unused
    Envelope* arrived_before = nullptr;  ///< neighbours in the order of arrival, among unexpected messages
    Envelope* arrived_behind = nullptr;
};

/// The envelopes of the ranks of a partition. Addresses never change; memory is that of the most that were ever kept at
/// once.
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
    /// All indices below have been used.
    [[nodiscard]] std::uint32_t size() const { return size_; }

  private:
    static constexpr std::uint32_t kFirstChunk = 4;  // each chunk is twice as large as the one before
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
