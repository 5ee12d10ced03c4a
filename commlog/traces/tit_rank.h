#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commlog/readers/tit_actions.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

/// Converts the actions of one rank.
class TitRank {
  public:
    /// `ranks` returns the number of ranks of the trace, on which the positions of some arguments depend.
    TitRank(std::int32_t rank, std::function<std::size_t()> ranks, TracedJob* job)
        : rank_(rank), ranks_(std::move(ranks)), job_(job), traced_(rank, kFlopPerSecond) {}

    void read(std::string_view name, std::string_view rest, const TraceLines& lines);

    RankLog finish(const std::string& place);

    [[nodiscard]] std::uint64_t untyped() const { return untyped_; }
    [[nodiscard]] std::uint64_t guessed_null() const { return guessed_null_; }
    [[nodiscard]] std::uint64_t left_open() const { return traced_.open_count(); }

  private:
    /// SMPI writes MPI_UNDEFINED for invalid ranks, which are MPI_PROC_NULL and MPI_ANY_SOURCE.
    static constexpr std::int64_t kNoRank = -333;
    static constexpr std::int64_t kAnyTagNumber = -444;
    /// Computation in the trace is in flop, and is converted to nanoseconds with a speed of 1 Gflop/s.
    static constexpr double kFlopPerSecond = 1e9;
    static constexpr double kMostFlop = 1e18;

    using Key = std::array<std::int64_t, 3>;  ///< source, destination, tag

    void do_action(const TitAction& action, bool nonblocking);

    [[nodiscard]] std::string_view argument(std::size_t i) const;

    /// Returns the partner's rank, or kNobody for kNoRank.
    [[nodiscard]] std::int32_t partner(std::string_view field) const;
    [[nodiscard]] std::uint64_t type_bytes(std::string_view field);
    [[nodiscard]] std::uint64_t bytes(std::string_view count, std::string_view type);
    [[nodiscard]] std::uint64_t sized(std::uint64_t count, std::uint64_t type) const;

    void message(TitVerb verb, std::uint8_t flags, bool from_whoever = false);

    void sendrecv();

    [[nodiscard]] Key key() const;

    std::uint64_t post(const Key& key, bool receives, const TracedMessage& envelope, std::uint8_t flags);
    [[noreturn]] void fail_open() const;
    void remember(std::uint64_t request, const Key& key);

    void complete(std::uint64_t request, std::int32_t source = kNobody, std::int32_t tag = 0);

    void wait();
    void wait(const Key& wanted);
    [[nodiscard]] std::uint64_t last_open();

    /// Ends a row of tests. The trace omits the results of tests, so the last one is assumed to have succeeded.
    void end_test();

    [[nodiscard]] std::int32_t root(std::string_view field) const;
    [[nodiscard]] std::uint64_t sum(std::size_t first, std::size_t count) const;
    /// Returns the length of each of an action's `arrays` arrays, given that it has `required` other arguments and up
    /// to `optional` ones at the end. The length is the number of ranks, or of members of a subcommunicator. For
    /// subcommunicators, SMPI always writes all optional arguments.
    [[nodiscard]] std::size_t array_length(std::size_t required, std::size_t optional, std::size_t arrays = 1) const;
    void allgatherv(TracedOperation& operation);

    void collective(const TitAction& action, bool nonblocking);

    static constexpr Key kOfCollectives{-1000, -1000, INT64_MIN};

    std::int32_t rank_;
    std::function<std::size_t()> ranks_;
    TracedJob* job_;
    TracedRank traced_;
    const TraceLines* lines_ = nullptr;
    std::vector<std::string_view> arguments_;
    std::unordered_map<const TitAction*, std::size_t> functions_;
    std::uint64_t default_bytes_ = 1;
    std::uint64_t untyped_ = 0, guessed_null_ = 0;
    std::uint64_t last_request_ = 0;
    std::map<Key, std::deque<std::uint64_t>> by_key_;  ///< open requests by key, oldest first
    std::unordered_map<std::uint64_t, Key> keys_;
    std::deque<std::uint64_t> oldest_;  ///< all requests, oldest first; completed ones may remain
    std::optional<Key> tested_;
};

}  // namespace haichi
