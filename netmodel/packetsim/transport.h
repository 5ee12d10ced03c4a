#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "netmodel/packetsim/remote_event.h"

namespace haichi {

/// Carries remote events between partitions over numbered channels, each with one sender and one receiver. Events sent
/// in one window are received in the next. The threads of a process are one transport; other transports can connect
/// processes and computers.
class Transport {
  public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Opens a channel between windows. Returns its number, counted from 0.
    virtual std::size_t open() = 0;
    /// Called at the end of the sender's window, by its thread. Takes the batch and leaves it empty.
    virtual void send(std::size_t channel, RemoteEventBatch& batch) = 0;
    /// Called at the beginning of the receiver's next window, by its thread. Fills the empty `batch` with the events
    /// sent.
    virtual void receive(std::size_t channel, RemoteEventBatch& batch) = 0;
    /// Called between two windows, by one thread. Makes the events sent so far receivable. Returns the smallest
    /// `next_ps` of all processes, the time of their next event.
    virtual std::int64_t end_window(std::int64_t next_ps) = 0;
};

/// Connects the partitions of one process: batches are swapped, not copied.
class MemoryTransport final : public Transport {
  public:
    std::size_t open() override;
    void send(std::size_t channel, RemoteEventBatch& batch) override { std::swap(sent_[channel], batch); }
    void receive(std::size_t channel, RemoteEventBatch& batch) override { std::swap(arrived_[channel], batch); }
    std::int64_t end_window(std::int64_t next_ps) override;

  private:
    // Two sets of batches, swapped between windows: some partitions send while others have not yet received.
    std::vector<RemoteEventBatch> sent_;
    std::vector<RemoteEventBatch> arrived_;
};

/// Like MemoryTransport, but converts every batch to bytes and back, as transports between processes do.
class SerialisingTransport final : public Transport {
  public:
    std::size_t open() override;
    void send(std::size_t channel, RemoteEventBatch& batch) override;
    void receive(std::size_t channel, RemoteEventBatch& batch) override;
    std::int64_t end_window(std::int64_t next_ps) override;

  private:
    std::vector<std::vector<std::byte>> sent_;
    std::vector<std::vector<std::byte>> arrived_;
};

}  // namespace haichi
