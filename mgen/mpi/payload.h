#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "mgen/live_choices.h"
#include "mgen/mpi/buffer.h"

namespace haichi::mpi {

/// The packed bytes of a message. A short payload takes no extra memory, and neither does a long one whose bytes are
/// all equal. Buffers that a program has not written or has filled with one value are common in benchmarks.
class Payload {
  public:
    Payload() = default;
    static Payload pack(const Buffer& from);
    /// See Datatype::unpack(). Zeros are not written over zeros, so that untouched memory stays untouched.
    void unpack(const Buffer& to) const;

    /// Makes a payload whose bytes the caller sets through data().
    explicit Payload(std::int64_t bytes) : bytes_(bytes) {
        if (bytes > kInside) outside_ = allocate(bytes);
    }
    Payload(Payload&& other) noexcept
        : outside_(std::move(other.outside_)), inside_(other.inside_), bytes_(std::exchange(other.bytes_, 0)) {}
    Payload& operator=(Payload&& other) noexcept {
        outside_ = std::move(other.outside_);
        inside_ = other.inside_;
        bytes_ = std::exchange(other.bytes_, 0);
        return *this;
    }
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
    ~Payload() = default;

    /// Must not be called after pack().
    [[nodiscard]] std::byte* data() { return outside_ ? outside_.get() : inside_.data(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Bytes of memory that all payloads of this process occupy outside of their objects.
    [[nodiscard]] static std::int64_t bytes_in_memory() { return bytes_in_memory_.load(std::memory_order_relaxed); }

  private:
    static constexpr std::int64_t kInside = 16;

    /// True if all bytes equal the first byte of inside_.
    [[nodiscard]] bool is_uniform() const { return bytes_ > kInside && !outside_; }

    struct Release {
        std::int64_t bytes;
        Release() : bytes(0) {}
        explicit Release(std::int64_t count) : bytes(count) {}
        void operator()(std::byte* block) const {
            delete[] block;
            bytes_in_memory_.fetch_sub(bytes, std::memory_order_relaxed);
        }
    };
    using Block = std::unique_ptr<std::byte[], Release>;
    static Block allocate(std::int64_t bytes) {
        Block block(new std::byte[static_cast<std::size_t>(bytes)], Release(bytes));
        bytes_in_memory_.fetch_add(bytes, std::memory_order_relaxed);
        return block;
    }

    inline static std::atomic<std::int64_t> bytes_in_memory_ = 0;

    Block outside_;
    std::array<std::byte, kInside> inside_{};
    std::int64_t bytes_ = 0;
};

}  // namespace haichi::mpi
