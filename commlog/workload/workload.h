#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"

namespace haichi {

/// A rank in MPI_COMM_WORLD.
using RankId = StrongId<struct RankTag>;

/// One point-to-point message. Messages with equal source and destination are separate.
struct Message {
    RankId source;
    RankId destination;
    std::int64_t size_bytes = 0;

    /// Messages from a rank to itself and messages of 0 bytes cross no link, wherever their ranks are.
    [[nodiscard]] bool crosses_network() const { return source != destination && size_bytes > 0; }

    friend bool operator==(const Message&, const Message&) = default;
};

/// The way in which the messages of a set are transferred.
enum class Transfer : std::uint8_t {
    kMessages,  ///< sent and received
    kPut        ///< put into the receiver's memory, where it polls for them; the sender waits for its own puts
};

/// Returns "messages" or "put".
std::string_view transfer_name(Transfer transfer);
/// The inverse of transfer_name(). Throws InputError.
Transfer parse_transfer(std::string_view name);

/// Largest message of a workload: 2^48 bytes.
inline constexpr std::int64_t kLargestMessageBytes = std::int64_t{1} << 48;
/// Largest sum of the weights of a workload's ranks.
inline constexpr std::int64_t kLargestRankWeight = std::int64_t{1} << 48;
/// Maximum number of ranks in a workload. The limit keeps every id and every count of a hostile file within 32 bits.
inline constexpr std::int32_t kMostRanks = 1 << 27;
/// Maximum number of messages in a workload, over all sets: 8 GiB of memory. Larger workloads are refused before they
/// are made.
inline constexpr std::int64_t kMostMessages = std::int64_t{1} << 29;
/// Maximum number of sets of a file.
inline constexpr std::int64_t kMostSets = std::int64_t{1} << 26;

/// The application's communication: an ordered list of concurrent communication sets, repeated `iterations` times. The
/// transfers of a set's messages start together. A communication matrix is a workload of one set. The class is a value.
/// Messages of all sets are in one array of 16 bytes each, because there may be 10^8 of them.
class Workload {
  public:
    struct Set {
        std::string label;
        double compute_seconds = 0;  ///< computation time of every rank before the set
        std::size_t first = 0;       ///< messages [first, end) of the workload
        std::size_t end = 0;
        Transfer transfer = Transfer::kMessages;
    };

    Workload() = default;
    /// Throws OptionError unless 1 <= ranks <= kMostRanks and iterations >= 1.
    explicit Workload(std::int32_t rank_count, std::int64_t iterations = 1);
    /// Takes over existing arrays. [first, end) of the sets must cover `messages` in order, without gaps. Throws the
    /// errors of the one-by-one functions below.
    Workload(std::int32_t rank_count, std::int64_t iterations, std::vector<Set> sets, std::vector<Message> messages);

    /// Reserves memory for `count` messages in all, so that adding them moves none.
    void reserve_messages(std::size_t count) { messages_.reserve(count); }
    /// Starts a new set, to which the following messages belong.
    void add_set(std::string label, double compute_seconds = 0, Transfer transfer = Transfer::kMessages);
    /// Appends to the last set. Throws InputError for ranks outside [0, ranks), sizes outside [0, 2^48], no set, more
    /// than kMostMessages messages, or more than 2^63 - 1 bytes in all.
    void add_message(RankId source, RankId destination, std::int64_t size_bytes);

    /// Sets the weights of the ranks, such as the vertex weights of a graph. Throws InputError for negative weights,
    /// for a number other than the ranks, and for more than 2^48 in all.
    void set_rank_weights(std::vector<std::int64_t> weights);

    [[nodiscard]] std::int32_t rank_count() const { return rank_count_; }
    /// The weight of each rank. Empty means that all weights are 1.
    [[nodiscard]] std::span<const std::int64_t> rank_weights() const { return rank_weights_; }
    [[nodiscard]] std::int64_t iterations() const { return iterations_; }
    [[nodiscard]] std::size_t set_count() const { return sets_.size(); }
    [[nodiscard]] const Set& set(std::size_t t) const { return sets_[t]; }
    [[nodiscard]] std::span<const Message> messages(std::size_t t) const {
        return std::span(messages_).subspan(sets_[t].first, sets_[t].end - sets_[t].first);
    }
    [[nodiscard]] std::span<const Message> messages() const { return messages_; }
    /// Returns the bytes of the messages that cross the network, for one iteration.
    [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }
    /// Returns the number of messages that cross the network, for one iteration.
    [[nodiscard]] std::int64_t crossing_message_count() const { return crossing_message_count_; }

    /// Returns the same workload with `size_bytes` for every non-empty message.
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
    std::vector<std::int64_t> rank_weights_;
};

}  // namespace haichi
