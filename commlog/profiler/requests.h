#pragma once

#include <atomic>
#include <cstdint>

namespace haichi::profiler {

enum class RequestKind : std::uint8_t {
    kSend,
    kReceive,
    kSendAndReceive,  ///< MPI_Isendrecv
    kCollective,
    kNewCommunicator,  ///< MPI_Comm_idup; `bytes` is the address of the new communicator's variable
    kMessage,          ///< a message found by MPI_Mprobe; not a request
};

enum RequestFlags : std::uint8_t { kPersistent = 1, kActive = 2, kFortran = 4 };

/// The entry of an operation in flight, or of a persistent operation.
struct RequestEntry {
    std::uint64_t post;      ///< ID of the post in the call log; 0 if not logged
    std::uint64_t bytes;     ///< size of a persistent send or collective
    std::uint64_t received;  ///< result size of a persistent collective; for kSendAndReceive, ID of the send's post
    std::uint32_t event, second_event;
    /// Rank in the communicator or MPI_ANY_SOURCE, as passed by the program; for a collective, the root.
    std::int32_t peer;
    std::int32_t tag;            ///< message tag; for a persistent collective, its CollectiveDetail
    std::uint32_t communicator;  ///< Communicator::position
    std::uint16_t function;      ///< index of the function that posted the operation
    std::uint16_t operation;     ///< CollectiveOperation of a collective
    RequestKind kind;
    std::uint8_t flags;      ///< RequestFlags
    std::uint8_t log_flags;  ///< CallFlags
    std::uint8_t thread;     ///< number of the thread that posted the operation
    std::uint32_t site;      ///< call site of the post, in the table of that thread; or kNoSite
};

/// Finds operations in flight by handle, in a fixed table whose buckets have the size of a cache line. Threads need no
/// lock: each handle belongs to one operation, so races occur only when entries are put into free slots.
class RequestTable {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    /// Reserves a slot for `handle`; returns kNone if the table is full.
    std::uint32_t enter(std::uint64_t handle, bool has_many_threads) {
        std::uint32_t bucket = bucket_of(handle);
        for (std::uint32_t tries = 0; tries < kMostTries; ++tries, bucket = (bucket + 1) & (kBuckets - 1)) {
            for (std::uint32_t i = 0; i < kWidth; ++i) {
                const std::uint32_t slot = bucket * kWidth + i;
                if (handles_[slot].load(std::memory_order_relaxed) != 0) continue;
                if (!has_many_threads) {
                    handles_[slot].store(handle, std::memory_order_relaxed);
                    return slot;
                }
                std::uint64_t free = 0;
                // The slot stays marked until its entry is written, so that no thread reads an incomplete entry.
                if (handles_[slot].compare_exchange_strong(free, handle | kTaken, std::memory_order_acquire))
                    return slot;
            }
            overflowed_[bucket].store(1, std::memory_order_relaxed);
        }
        return kNone;
    }

    /// Makes the entry visible to find().
    void publish(std::uint32_t slot, std::uint64_t handle) { handles_[slot].store(handle, std::memory_order_release); }

    [[nodiscard]] std::uint32_t find(std::uint64_t handle) const {
        std::uint32_t bucket = bucket_of(handle);
        for (std::uint32_t tries = 0; tries < kMostTries; ++tries, bucket = (bucket + 1) & (kBuckets - 1)) {
            for (std::uint32_t i = 0; i < kWidth; ++i) {
                const std::uint32_t slot = bucket * kWidth + i;
                if (handles_[slot].load(std::memory_order_acquire) == handle) return slot;
            }
            if (overflowed_[bucket].load(std::memory_order_relaxed) == 0) return kNone;
        }
        return kNone;
    }

    /// Hides an entry, because MPI may complete its request and give the handle to another thread.
    void take(std::uint32_t slot) {
        handles_[slot].store(handles_[slot].load(std::memory_order_relaxed) | kTaken, std::memory_order_relaxed);
    }
    void give_back(std::uint32_t slot) {
        handles_[slot].store(handles_[slot].load(std::memory_order_relaxed) & ~kTaken, std::memory_order_release);
    }
    void remove(std::uint32_t slot) { handles_[slot].store(0, std::memory_order_release); }

    RequestEntry& operator[](std::uint32_t slot) { return entries_[slot]; }

  private:
    static constexpr std::uint32_t kWidth = 8;
    static constexpr std::uint32_t kBuckets = 1U << 13;  // 64 Ki entries
    static constexpr std::uint32_t kMostTries = 64;
    static constexpr std::uint64_t kTaken = std::uint64_t{1} << 63;  // handles are addresses or 32-bit numbers

    static std::uint32_t bucket_of(std::uint64_t handle) {
        return static_cast<std::uint32_t>(handle * 0x9e3779b97f4a7c15ULL >> 40) & (kBuckets - 1);
    }

    alignas(64) std::atomic<std::uint64_t> handles_[kBuckets * kWidth];
    std::atomic<std::uint8_t> overflowed_[kBuckets];
    RequestEntry entries_[kBuckets * kWidth];
};

extern RequestTable requests;

}  // namespace haichi::profiler
