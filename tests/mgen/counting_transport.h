#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

#include "netmodel/packetsim/transport.h"

namespace haichi::packetsim_machines {

/// A SerialisingTransport that counts the events and messages it carries. Any thread may send.
class CountingTransport final : public Transport {
  public:
    std::size_t open() override { return bytes_.open(); }
    void send(std::size_t channel, RemoteEventBatch& batch) override {
        for (const RemoteEvent& item : batch.events) ++items_[static_cast<std::size_t>(item.kind)];
        for (const PacketMessage& message : batch.messages) {
            if (std::ranges::any_of(message.note, [](std::uint32_t word) { return word != 0; })) ++envelopes_;
        }
        {
            const std::lock_guard lock(mutex_);
            threads_.insert(std::this_thread::get_id());
        }
        bytes_.send(channel, batch);
    }
    void receive(std::size_t channel, RemoteEventBatch& batch) override { bytes_.receive(channel, batch); }
    std::int64_t end_window(std::int64_t next_ps) override { return bytes_.end_window(next_ps); }

    [[nodiscard]] std::int64_t count(RemoteEvent::Kind kind) const { return items_[static_cast<std::size_t>(kind)]; }
    /// The number of announced messages that carry an envelope.
    [[nodiscard]] std::int64_t envelopes() const { return envelopes_; }
    /// The number of threads that have sent anything.
    [[nodiscard]] std::size_t threads() const { return threads_.size(); }

  private:
    SerialisingTransport bytes_;
    std::array<std::atomic<std::int64_t>, 4> items_{};
    std::atomic<std::int64_t> envelopes_{0};
    std::mutex mutex_;
    std::set<std::thread::id> threads_;
};

}  // namespace haichi::packetsim_machines
