#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace haichi {

/// Messages that are striped over several NICs, of which some stripes have come and some not. Memory is that of those.
class Stripes {
  public:
    /// The bytes of all `count` stripes of the message `key`, when this is the last of them.
    std::optional<std::int64_t> take(std::uint64_t key, std::uint32_t count, std::int64_t bytes) {
        Message& message = messages_[key];
        message.bytes += bytes;
        if (++message.stripes < count) return std::nullopt;
        const std::int64_t all_bytes = message.bytes;
        messages_.erase(key);
        return all_bytes;
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        constexpr std::size_t kNodeBytes = 48;  // of a node of the map, and its bucket
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
