#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>

#include "commlog/workload/workload.h"

namespace haichi {

/// What is known of a message from its send until both sides are done with it. It lies in the pool of the sender's
/// node, but belongs to whoever got the last packet that names it, who alone may change it: request, acknowledgement
/// and data hand it to and fro. Only `uses` is shared.
struct Envelope {
    enum class Stage : std::uint8_t { kFree, kSent, kMatched, kAcknowledged };

    RankId source;
    RankId destination;
    std::int32_t tag = 0;
    std::uint32_t sequence = 0;  ///< among the messages of this pair
    std::int64_t bytes = 0;
    std::int64_t gap_ps = 0;
    std::int32_t nic = 0;
    std::uint32_t send_request = 0;
    std::uint32_t receive_request = 0;
    std::uint32_t index = 0;  ///< in its pool
    std::uint32_t next_free = 0;
    bool is_eager = false;
    Stage stage = Stage::kFree;
    std::atomic<std::uint8_t> uses{0};   ///< of sender and receiver, who still needs it
    Envelope* next = nullptr;            ///< of the same source; or waiting for the next call of the rank
    Envelope* arrived_before = nullptr;  ///< neighbours in the order of arrival, among unexpected messages
    Envelope* arrived_behind = nullptr;
};

/// The envelopes of a node's messages. Addresses never change, so that receivers may read while the node adds; memory
/// is that of the most messages that were ever open at once.
class EnvelopePool {
  public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    /// Only by the node itself.
    Envelope& add() {
        if (first_free_ == kNone) first_free_ = returned_.exchange(kNone, std::memory_order_acquire);
        if (first_free_ == kNone) return append();
        Envelope& envelope = (*this)[first_free_];
        first_free_ = envelope.next_free;
        return envelope;
    }

    /// By any thread that was the last to use it.
    void give_back(Envelope& envelope) {
        envelope.stage = Envelope::Stage::kFree;
        std::uint32_t head = returned_.load(std::memory_order_relaxed);
        do {
            envelope.next_free = head;
        } while (!returned_.compare_exchange_weak(head, envelope.index, std::memory_order_release,
                                                  std::memory_order_relaxed));
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
    std::uint32_t first_free_ = kNone;
    /// A list that many push to and one takes as a whole, so there is no ABA. Which envelope comes next depends on
    /// threads; no result does.
    std::atomic<std::uint32_t> returned_{kNone};
};

}  // namespace haichi
