#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "netmodel/packetsim/remote_event.h"

namespace haichi {

/// How remote events get from one partition to another, over numbered channels, each with one sender and one receiver.
/// What is sent in a window is received in the next. Threads of a process are one transport; processes and hosts can be
/// others.
class Transport {
  public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Between windows: another channel, and its number. They count from 0.
    virtual std::size_t open() = 0;
    /// At the end of the sender's window, by its thread: takes the batch and leaves it empty.
    virtual void send(std::size_t channel, RemoteEventBatch& batch) = 0;
    /// At the beginning of the receiver's next window, by its thread: what was sent, into a batch that is empty.
    virtual void receive(std::size_t channel, RemoteEventBatch& batch) = 0;
    /// Between two windows, by one thread: what was sent can be received from now on. The least of all processes'
    /// `next_ps`, the time of their next event.
    virtual std::int64_t end_window(std::int64_t next_ps) = 0;
};

/// Partitions of one process: batches are swapped, not copied.
class MemoryTransport final : public Transport {
  public:
    std::size_t open() override;
    void send(std::size_t channel, RemoteEventBatch& batch) override { std::swap(sent_[channel], batch); }
    void receive(std::size_t channel, RemoteEventBatch& batch) override { std::swap(arrived_[channel], batch); }
    std::int64_t end_window(std::int64_t next_ps) override;

  private:
    // Swapped between windows: some partitions send while others have not yet received.
    std::vector<RemoteEventBatch> sent_;
    std::vector<RemoteEventBatch> arrived_;
};

/// The same, but every batch becomes bytes and is made anew from them, as it would between processes.
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
