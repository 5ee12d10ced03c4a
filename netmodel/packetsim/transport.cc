#include "netmodel/packetsim/transport.h"

#include <utility>

namespace haichi {

std::size_t MemoryTransport::open() {
    sent_.emplace_back();
    arrived_.emplace_back();
    return sent_.size() - 1;
}

std::int64_t MemoryTransport::end_window(std::int64_t next_ps) {
    std::swap(sent_, arrived_);
    return next_ps;
}

std::size_t SerialisingTransport::open() {
    sent_.emplace_back();
    arrived_.emplace_back();
    return sent_.size() - 1;
}

void SerialisingTransport::send(std::size_t channel, RemoteEventBatch& batch) {
    sent_[channel] = to_bytes(batch);
    batch = {};
}

void SerialisingTransport::receive(std::size_t channel, RemoteEventBatch& batch) {
    if (arrived_[channel].empty()) return;
    from_bytes(arrived_[channel], batch);
    arrived_[channel].clear();
}

std::int64_t SerialisingTransport::end_window(std::int64_t next_ps) {
    std::swap(sent_, arrived_);
    return next_ps;
}

}  // namespace haichi
