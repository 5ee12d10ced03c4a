#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mgen/envelope.h"
#include "mgen/rank_table.h"

namespace haichi {

/// Puts the messages of each pair of ranks into the order of their sends, even if they overtake each other. An object
/// has the state of one rank, as source and as destination. The source numbers the messages, and the destination holds
/// those that arrive early.
///
/// A pair without a message in flight needs no numbers. Once both ends have forgotten the pair, its next message is
/// number 0 again. One end alone does not know which messages are in flight, so the caller of forget_sent() and
/// forget_received() must see both ends.
class PairOrder {
  public:
    /// The number of the next message to `destination`.
    [[nodiscard]] std::uint32_t next_to(RankId destination) { return sent_.find_or_add(destination)++; }

    /// Passes an arrived message, and the held messages that follow it, to accept(Envelope&). Holds the message instead
    /// if an earlier one is missing.
    template <class Accept>
    void take(Envelope& message, const Accept& accept) {
        Received& received = received_.find_or_add(message.source);
        // Numbers wrap around, so their distance determines the order.
        const auto distance = [&](const Envelope& e) { return e.sequence - received.expected; };
        if (distance(message) != 0) {
            Envelope** at = &received.held;
            while (*at != nullptr && distance(**at) < distance(message)) at = &(*at)->next;
            message.next = std::exchange(*at, &message);
            return;
        }
        ++received.expected;
        accept(message);
        while (received.held != nullptr && distance(*received.held) == 0) {
            Envelope& next = *received.held;
            received.held = std::exchange(next.next, nullptr);
            ++received.expected;
            accept(next);
        }
    }

    /// Number of destinations whose messages are counted.
    [[nodiscard]] std::size_t destinations() const { return sent_.size(); }
    /// Forgets the destinations for which has_received(destination, number of messages sent) is true.
    template <class HasReceived>
    void forget_sent(const HasReceived& has_received) {
        sent_.erase_if(has_received);
    }
    /// True if all `sent` messages of `source` have been accepted. forget_received() then forgets the source.
    [[nodiscard]] bool has_received(RankId source, std::uint32_t sent) {
        Received* received = received_.find(source);
        if (received == nullptr || received->expected != sent || received->held != nullptr) return false;
        return received->is_done = true;
    }
    void forget_received() {
        received_.erase_if([](RankId, const Received& received) { return received.is_done; });
    }

    [[nodiscard]] std::size_t memory_bytes() const { return sent_.memory_bytes() + received_.memory_bytes(); }

  private:
    struct Received {
        std::uint32_t expected = 0;
        bool is_done = false;
        Envelope* held = nullptr;  ///< messages that arrived before earlier ones, in the order of their numbers
    };

    RankTable<std::uint32_t> sent_;
    RankTable<Received> received_;
};

}  // namespace haichi
