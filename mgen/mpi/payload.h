#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "mgen/mpi/buffer.h"

namespace haichi::mpi {

/// The bytes of a message, packed. Few of them take no memory of their own, nor do many that are all equal: those of
/// buffers that the program has not written to, or has filled with one value, as benchmarks do.
class Payload {
  public:
    Payload() = default;
    static Payload pack(const Buffer& from);
    /// As Datatype::unpack(). Zeros are not written where there are zeros: memory that was never touched stays so.
    void unpack(const Buffer& to) const;

    /// Bytes to be set at data().
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

    /// Not of one that is packed.
    [[nodiscard]] std::byte* data() { return outside_ ? outside_.get() : inside_.data(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    static constexpr std::int64_t kInside = 16;

    /// All bytes are as the first of inside_.
    [[nodiscard]] bool is_uniform() const { return bytes_ > kInside && !outside_; }

    std::unique_ptr<std::byte[]> outside_;
    std::array<std::byte, kInside> inside_{};
    std::int64_t bytes_ = 0;
};

/// Which messages carry their data.
enum class PayloadRule : std::uint8_t {
    kAuto,  ///< those of collectives, and others up to most_auto_payload_bytes()
    kNone,
    kAll
};
/// Few ranks move all that real runs have; of many ranks the data under way take about a gibibyte.
[[nodiscard]] constexpr std::int64_t most_auto_payload_bytes(std::int32_t ranks) {
    constexpr std::int64_t kLeast = std::int64_t{64} << 10;
    constexpr std::int64_t kOfAllRanks = std::int64_t{1} << 30;
    return std::max(kLeast, kOfAllRanks / ranks);
}

/// "auto", "none" or "all"; throws OptionError.
PayloadRule parse_payload_rule(std::string_view text);

}  // namespace haichi::mpi
