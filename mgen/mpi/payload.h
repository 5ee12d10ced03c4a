#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "mgen/live_choices.h"
#include "mgen/mpi/buffer.h"

namespace haichi::mpi {

/// The packed bytes of a message. Short payloads take no extra memory, and neither do long ones with all bytes equal.
/// Buffers that a program has not written or has filled with one value are common in benchmarks.
class Payload {
  public:
    Payload() = default;
    static Payload pack(const Buffer& from);
    /// See Datatype::unpack(). Zeros are not written over zeros, so untouched memory stays untouched.
    void unpack(const Buffer& to) const;

    /// The caller sets the bytes at data().
    explicit Payload(std::int64_t bytes) : bytes_(bytes) {
        if (bytes > kInside) outside_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
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

    /// Not available after pack().
    [[nodiscard]] std::byte* data() { return outside_ ? outside_.get() : inside_.data(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    static constexpr std::int64_t kInside = 16;

    /// All bytes equal the first byte of inside_.
    [[nodiscard]] bool is_uniform() const { return bytes_ > kInside && !outside_; }

    std::unique_ptr<std::byte[]> outside_;
    std::array<std::byte, kInside> inside_{};
    std::int64_t bytes_ = 0;
};

/// With few ranks the limit is above all messages of real runs. With many ranks the data in flight take about one
/// gibibyte.
[[nodiscard]] constexpr std::int64_t most_auto_payload_bytes(std::int32_t ranks) {
    constexpr std::int64_t kLeast = std::int64_t{64} << 10;
    constexpr std::int64_t kOfAllRanks = std::int64_t{1} << 30;
    return std::max(kLeast, kOfAllRanks / ranks);
}

}  // namespace haichi::mpi
