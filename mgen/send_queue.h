#pragma once

#include <cstdint>

#include "mgen/envelope.h"

namespace haichi {

/// The sends of a rank that wait for their turn, where the machine limits the buffers of its messages or has one send
/// at a time. Their envelopes are the pool's.
struct SendQueue {
    Envelope* first = nullptr;
    Envelope* last = nullptr;
    std::int64_t buffered_bytes = 0;  ///< of eager messages, handed over and not taken at the other side yet
    bool is_busy = false;             ///< a rendezvous is under way, and sends go one by one
    bool is_put_off = false;          ///< until the rank's next call

    void add(Envelope& envelope) {
        envelope.next = nullptr;
        (last != nullptr ? last->next : first) = &envelope;
        last = &envelope;
    }
    /// A rendezvous whose turn had been passed over: behind a message that has begun, and others of its kind.
    void add_next(Envelope& envelope) {
        Envelope** at = &first;
        if (first != nullptr && first->is_eager && first->further_bytes < first->bytes) at = &first->next;
        while (*at != nullptr && (*at)->stage == Envelope::Stage::kAcknowledged) at = &(*at)->next;
        envelope.next = *at;
        *at = &envelope;
        if (envelope.next == nullptr) last = &envelope;
    }
    void drop_first() {
        Envelope* next = first->next;
        first->next = nullptr;
        first = next;
        if (first == nullptr) last = nullptr;
    }
    /// Of `limit_bytes`: also for what is larger than that, when nothing is there.
    [[nodiscard]] bool has_room(std::int64_t bytes, std::int64_t limit_bytes) const {
        return buffered_bytes == 0 || buffered_bytes + bytes <= limit_bytes;
    }
};

}  // namespace haichi
