#pragma once

#include <haichi/export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

HAICHI_BEGIN

namespace detail {
struct WorkloadData;
}

/// A point-to-point message between two ranks, which are numbered from 0.
struct Message {
    std::int32_t source = 0;
    std::int32_t destination = 0;
    std::int64_t bytes = 0;

    friend bool operator==(const Message&, const Message&) = default;
};

/// Messages that are in transit at the same time.
struct CommunicationSet {
    std::vector<Message> messages{};
    std::string label{};
    double compute_seconds = 0;  ///< computation time of every rank before the set
    bool is_put = false;         ///< true if messages are put into the receiver's memory instead of being sent and
                                 ///< received

    friend bool operator==(const CommunicationSet&, const CommunicationSet&) = default;
};

/// The options of Workload::pattern(). Setting an option that does not apply to the pattern is an error.
struct PatternOptions {
    int ranks = 0;            ///< number of ranks, or 0 for the product of `dims`
    std::vector<int> dims{};  ///< grid sizes; if empty, `ranks` is factored as evenly as possible
    bool periodic = false;    ///< for stencils: whether the grid wraps around
    int points = 0;           ///< for stencils: number of points, or 0 for the smallest stencil
    std::int64_t message_bytes = std::int64_t{1} << 20;
    std::optional<std::int64_t> iterations{};
    std::uint64_t seed = 1;                       ///< seed of the random patterns
    double mean_degree = 8;                       ///< for random-geometric: mean number of partners of a rank
    std::optional<std::uint64_t> shuffle_seed{};  ///< seed of a random permutation of the ranks
};

/// The communication of a program: communication sets in order, which are repeated `iterations` times. It is a value;
/// copies share their data.
class HAICHI_EXPORT Workload {
  public:
    /// Reads a workload, a communication matrix or a log, in a format of `haichi list workload-formats`. If `format` is
    /// empty, it is detected from the content. For a log, searches use the sets of the main loop, and simulations
    /// replay the calls. Throws InputError with file and line.
    static Workload read(const std::string& path, const std::string& format = "");
    /// Makes a pattern by its name in `haichi list patterns`. Throws OptionError.
    static Workload pattern(std::string_view name, const PatternOptions& options);
    /// Makes a workload from sets. Throws OptionError for an invalid number of ranks or iterations, and InputError for
    /// an invalid message.
    Workload(std::int32_t ranks, const std::vector<CommunicationSet>& sets, std::int64_t iterations = 1);
    /// Makes a workload with one set.
    Workload(std::int32_t ranks, std::vector<Message> messages, std::int64_t iterations = 1);

    [[nodiscard]] std::int32_t ranks() const;
    [[nodiscard]] std::int64_t iterations() const;
    /// A copy of the sets. Throws InputError for a log without sets.
    [[nodiscard]] std::vector<CommunicationSet> sets() const;
    /// The number of bytes that ranks send to other ranks in one iteration.
    [[nodiscard]] std::int64_t total_bytes() const;
    /// Warnings about the sets that were extracted from a log, one sentence each.
    [[nodiscard]] std::vector<std::string> warnings() const;
    /// Writes the sets in the haichi-workload/1 format. Throws OptionError or InputError if the file cannot be written.
    void write(const std::string& path) const;

    /// A move is a copy, so that no Workload is empty.
    Workload(const Workload&) = default;
    Workload& operator=(const Workload&) = default;
    ~Workload() = default;

  private:
    friend struct detail::Access;
    explicit Workload(std::shared_ptr<const detail::WorkloadData> data);

    std::shared_ptr<const detail::WorkloadData> data_;
};

HAICHI_END
