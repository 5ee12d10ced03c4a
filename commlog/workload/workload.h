#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"

namespace haichi {

/// An MPI process of the job.
using RankId = StrongId<struct RankTag>;

/// One point-to-point message. Equal pairs are separate messages.
struct Message {
    RankId source;
    RankId destination;
    std::int64_t size_bytes = 0;

    /// Messages to oneself and of 0 bytes cross no link, wherever their ranks are.
    [[nodiscard]] bool crosses_network() const { return source != destination && size_bytes > 0; }

    friend bool operator==(const Message&, const Message&) = default;
};

/// How the messages of a set travel.
enum class Transfer : std::uint8_t {
    kMessages,  ///< sent and received
    kPut        ///< put into the receiver's memory, which polls for them; the sender waits until its own are complete
};

/// "messages", "put"
std::string_view transfer_name(Transfer transfer);
/// The inverse; throws InputError.
Transfer parse_transfer(std::string_view name);

/// Largest message a workload may hold: 2^48 bytes.
inline constexpr std::int64_t kLargestMessageBytes = std::int64_t{1} << 48;
/// Most ranks a workload may have; keeps every id and every count of a hostile file within 32 bits.
inline constexpr std::int32_t kMostRanks = 1 << 27;
/// Most messages a workload may have, over all sets: 8 GiB of them. What would be larger is refused before it is made.
inline constexpr std::int64_t kMostMessages = std::int64_t{1} << 29;
/// Most sets that a file may have.
inline constexpr std::int64_t kMostSets = std::int64_t{1} << 26;

/// The application's communication: an ordered list of concurrent communication sets (messages whose transfers start
/// together), repeated `iterations` times. A communication matrix is a workload of one set. A value; messages of all
/// sets lie in one array, because there may be 10^8 of them. 16 bytes a message.
class Workload {
  public:
    struct Set {
        std::string label;
        double compute_seconds = 0;  ///< computing time of every rank before the set
        std::size_t first = 0;       ///< messages [first, end) of the workload
        std::size_t end = 0;
        Transfer transfer = Transfer::kMessages;
    };

    Workload() = default;
    /// Throws OptionError unless 1 <= ranks <= kMostRanks and iterations >= 1.
    explicit Workload(std::int32_t rank_count, std::int64_t iterations = 1);
    /// Takes over arrays made elsewhere: [first, end) of the sets must cover `messages` in order, without gaps. Throws
    /// as the one-by-one functions below do.
    Workload(std::int32_t rank_count, std::int64_t iterations, std::vector<Set> sets, std::vector<Message> messages);

    /// Makes room for `count` messages in all, so that adding them moves none.
    void reserve_messages(std::size_t count) { messages_.reserve(count); }
    /// Starts a new set; messages added from now on belong to it.
    void add_set(std::string label, double compute_seconds = 0, Transfer transfer = Transfer::kMessages);
    /// Appends to the last set. Throws InputError for ranks outside [0, ranks), sizes outside [0, 2^48], no set,
    /// more than kMostMessages messages, or a total of bytes beyond 2^63 - 1.
    void add_message(RankId source, RankId destination, std::int64_t size_bytes);

    [[nodiscard]] std::int32_t rank_count() const { return rank_count_; }
    [[nodiscard]] std::int64_t iterations() const { return iterations_; }
    [[nodiscard]] std::size_t set_count() const { return sets_.size(); }
    [[nodiscard]] const Set& set(std::size_t t) const { return sets_[t]; }
    [[nodiscard]] std::span<const Message> messages(std::size_t t) const {
        return std::span(messages_).subspan(sets_[t].first, sets_[t].end - sets_[t].first);
    }
    [[nodiscard]] std::span<const Message> messages() const { return messages_; }
    /// Sum of the sizes of the messages that cross the network, one iteration.
    [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }
    /// Number of messages that cross the network, one iteration.
    [[nodiscard]] std::int64_t crossing_message_count() const { return crossing_message_count_; }

    /// The same workload with every non-empty message `size_bytes` large.
    [[nodiscard]] Workload with_message_size(std::int64_t size_bytes) const;

  private:
    /// Checks a message and adds it to the totals.
    void count(const Message& message);

    std::int32_t rank_count_ = 0;
    std::int64_t iterations_ = 1;
    std::int64_t total_bytes_ = 0;
    std::int64_t crossing_message_count_ = 0;
    std::vector<Set> sets_;
    std::vector<Message> messages_;
};

}  // namespace haichi
