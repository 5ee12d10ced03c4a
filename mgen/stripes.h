#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace haichi {

/// Striped messages of which only some stripes have arrived. Memory is proportional to their number.
class Stripes {
  public:
    /// Returns the bytes of all `count` stripes of message `key` if this is the last stripe.
    std::optional<std::int64_t> take(std::uint64_t key, std::uint32_t count, std::int64_t bytes) {
        Message& message = messages_[key];
        message.bytes += bytes;
        if (++message.stripes < count) return std::nullopt;
        const std::int64_t all_bytes = message.bytes;
        messages_.erase(key);
        return all_bytes;
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        constexpr std::size_t kNodeBytes = 48;  // an entry of the hash map and its bucket
        return messages_.size() * kNodeBytes;
    }

  private:
    struct Message {
        std::uint32_t stripes = 0;
        std::int64_t bytes = 0;
    };
    std::unordered_map<std::uint64_t, Message> messages_;
};

}  // namespace haichi
