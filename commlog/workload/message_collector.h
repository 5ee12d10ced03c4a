#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// Collects the messages of a file within the limits of a workload, so that a reader can report the line of a message
/// beyond them.
class MessageCollector {
  public:
    /// Appends the message, or returns the reason why a workload cannot contain it. The caller must already have
    /// checked the ranks and the size.
    [[nodiscard]] std::optional<std::string> add(const Message& message) {
        if (messages_.size() >= static_cast<std::size_t>(kMostMessages)) {
            return "more than " + std::to_string(kMostMessages) + " messages, the limit of a workload";
        }
        if (message.crosses_network()) {
            if (total_bytes_ > std::numeric_limits<std::int64_t>::max() - message.size_bytes) {
                return "with these " + std::to_string(message.size_bytes) +
                       " bytes, the message sizes add up to more than 2^63 - 1";
            }
            total_bytes_ += message.size_bytes;
        }
        messages_.push_back(message);
        return std::nullopt;
    }

    [[nodiscard]] std::size_t size() const { return messages_.size(); }
    std::vector<Message> take() { return std::move(messages_); }

  private:
    std::int64_t total_bytes_ = 0;
    std::vector<Message> messages_;
};

}  // namespace haichi
