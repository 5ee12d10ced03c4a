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

/// A point-to-point message. Messages with the same source and destination are not combined.
struct Message {
    RankId source;
    RankId destination;
    std::int64_t size_bytes = 0;

    /// Messages from a rank to itself, and messages of 0 bytes, cross no link in any placement.
    [[nodiscard]] bool crosses_network() const { return source != destination && size_bytes > 0; }

    friend bool operator==(const Message&, const Message&) = default;
};

/// Selects how the messages of a set are transferred.
enum class Transfer : std::uint8_t {
    kMessages,  ///< sent and received
    kPut        ///< put into the memory of the receiver, which polls for the puts; the sender waits for its own puts
};

/// Returns "messages" or "put".
std::string_view transfer_name(Transfer transfer);
/// The inverse of transfer_name(); throws InputError for other names.
Transfer parse_transfer(std::string_view name);

/// Maximum size of a message in a workload: 2^48 bytes.
inline constexpr std::int64_t kLargestMessageBytes = std::int64_t{1} << 48;
/// Maximum sum of the rank weights of a workload.
inline constexpr std::int64_t kLargestRankWeight = std::int64_t{1} << 48;
/// Maximum number of ranks in a workload. The limit keeps all IDs and counts within 32 bits, even for a malicious file.
inline constexpr std::int32_t kMostRanks = 1 << 27;
/// Maximum number of messages in all sets of a workload, which take 8 GiB of memory. Larger workloads are rejected
/// before memory is allocated.
inline constexpr std::int64_t kMostMessages = std::int64_t{1} << 29;
/// Maximum number of sets in a file.
inline constexpr std::int64_t kMostSets = std::int64_t{1} << 26;

/// The communication of an application: an ordered list of concurrent communication sets, which is repeated
/// `iterations` times. The transfers of all messages in a set start at the same time. A communication matrix is a
/// workload with one set. Workloads have value semantics. The messages of all sets are in one array with 16 bytes per
/// message, because there may be 10^8 messages.
class Workload {
  public:
    struct Set {
        std::string label;
        double compute_seconds = 0;  ///< computation time of each rank before the set
        std::size_t first = 0;       ///< the set has messages [first, end) of the workload
        std::size_t end = 0;
        Transfer transfer = Transfer::kMessages;
    };

    Workload() = default;
    /// Throws OptionError unless 1 <= ranks <= kMostRanks and iterations >= 1.
    explicit Workload(std::int32_t rank_count, std::int64_t iterations = 1);
    /// Uses existing arrays. The ranges [first, end) of the sets must cover `messages` in order and without gaps.
    /// Throws the same errors as add_set() and add_message().
    Workload(std::int32_t rank_count, std::int64_t iterations, std::vector<Set> sets, std::vector<Message> messages);

    /// Reserves memory for `count` messages in total, so that adding messages does not move them.
    void reserve_messages(std::size_t count) { messages_.reserve(count); }
    /// Starts a new set, to which the messages added next belong.
    void add_set(std::string label, double compute_seconds = 0, Transfer transfer = Transfer::kMessages);
    /// Appends a message to the last set. Throws InputError for ranks outside [0, ranks), for sizes outside [0, 2^48],
    /// and if there is no set. It also throws for more than kMostMessages messages, and for more than 2^63 - 1 bytes in
    /// total.
    void add_message(RankId source, RankId destination, std::int64_t size_bytes);

    /// Sets the weight of each rank, such as the vertex weights of a graph. Throws InputError for negative weights, for
    /// a number of weights other than the number of ranks, and for a sum above 2^48.
    void set_rank_weights(std::vector<std::int64_t> weights);

    [[nodiscard]] std::int32_t rank_count() const { return rank_count_; }
    /// The weight of each rank. It is empty if all weights are 1.
    [[nodiscard]] std::span<const std::int64_t> rank_weights() const { return rank_weights_; }
    [[nodiscard]] std::int64_t iterations() const { return iterations_; }
    [[nodiscard]] std::size_t set_count() const { return sets_.size(); }
    [[nodiscard]] const Set& set(std::size_t t) const { return sets_[t]; }
    [[nodiscard]] std::span<const Message> messages(std::size_t t) const {
        return std::span(messages_).subspan(sets_[t].first, sets_[t].end - sets_[t].first);
    }
    [[nodiscard]] std::span<const Message> messages() const { return messages_; }
    /// Returns the total bytes per iteration of messages that cross the network.
    [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }
    /// Returns the number of messages per iteration that cross the network.
    [[nodiscard]] std::int64_t crossing_message_count() const { return crossing_message_count_; }

    /// Returns a copy of the workload in which every non-empty message has the size `size_bytes`.
    [[nodiscard]] Workload with_message_size(std::int64_t size_bytes) const;

  private:
    /// Checks a message, and adds it to the totals.
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
