#pragma once

#include <cstdint>

#include "mgen/envelope.h"

namespace haichi {

/// A rank's sends that wait for their turn, if the machine limits send buffers or sends one message at a time. The pool
/// owns the envelopes.
struct SendQueue {
    Envelope* first = nullptr;
    Envelope* last = nullptr;
    std::int64_t buffered_bytes = 0;  ///< eager messages handed over but not yet taken at the receiver
    bool is_busy = false;             ///< sends go one by one, and a rendezvous is in flight
    bool is_put_off = false;          ///< sends wait for the rank's next call

    void add(Envelope& envelope) {
        envelope.next = nullptr;
        (last != nullptr ? last->next : first) = &envelope;
        last = &envelope;
    }
    /// Queues a rendezvous again that other sends have overtaken. Its position is after a message that has begun and
    /// after other acknowledged rendezvous.
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
    /// True if `bytes` fit into a buffer of `limit_bytes`. An empty buffer also accepts a larger message.
    [[nodiscard]] bool has_room(std::int64_t bytes, std::int64_t limit_bytes) const {
        return buffered_bytes == 0 || buffered_bytes + bytes <= limit_bytes;
    }
};

}  // namespace haichi
