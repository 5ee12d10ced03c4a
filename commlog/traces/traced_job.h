#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/traces/traced_rank.h"

namespace haichi {

/// Maximum number of ranks in a log that haichi reads.
inline constexpr std::int32_t kMostTracedRanks = 1 << 20;
/// Maximum number of ranks whose calls are mixed in one file, which is read in several passes.
inline constexpr std::size_t kMostRanksOfFile = std::size_t{1} << 14;
/// Maximum number of ranks that a file states without any data about them. Without the limit, a single number in a
/// small file could fill the memory.
inline constexpr std::int32_t kMostSilentRanks = 1 << 16;

/// Collects the data of another tool's log: ranks, communicators, and warnings for the user.
class TracedJob {
  public:
    /// `format` is the key of the format, and `file` the log's name in errors.
    TracedJob(std::string format, std::string file);

    /// Adds a communicator and returns its index. Index 0 is MPI_COMM_WORLD, which always exists.
    std::uint32_t add_communicator(std::vector<std::int32_t> members, std::vector<std::int32_t> remote_members = {});
    [[nodiscard]] std::size_t communicator_count() const { return log_.communicators.size(); }
    /// Converts a communicator's member to a rank in MPI_COMM_WORLD, or to kOutside if it is invalid. For an
    /// intercommunicator, `rank` is a member of the remote group.
    [[nodiscard]] std::int32_t member(std::uint32_t communicator, std::int64_t rank);
    [[nodiscard]] const std::vector<std::int32_t>& members(std::uint32_t communicator) const {
        return log_.communicators[communicator].members;
    }
    void set_rank_count(std::int64_t ranks) { stated_ranks_ = ranks; }

    /// Adds a rank, whose log must be complete. Throws InputError if the rank was added before.
    void add_rank(RankLog rank);
    [[nodiscard]] bool has_rank(std::int32_t rank) const { return ranks_.contains(rank); }
    /// Counts calls that move data, but whose data the trace does not state or the reader does not support.
    void leave_out(const std::string& call, std::uint64_t count) { left_out_[call] += count; }
    void warn(std::string text) { log_.warnings.push_back(std::move(text)); }

    /// Returns the complete log. Its number of ranks is the one that the trace states, or otherwise 1 + the highest
    /// rank or peer. Throws InputError if there are no ranks, or if the trace states far more ranks than it has.
    JobLog finish(bool has_calls);

  private:
    void warn_of_missing();
    void warn_of_lost();
    void warn_of_left_out();

    std::string file_;
    JobLog log_;
    std::int64_t stated_ranks_ = 0;
    std::int32_t highest_named_ = -1;  ///< the highest rank that occurs as a peer
    std::map<std::int32_t, RankLog> ranks_;
    std::map<std::string, std::uint64_t> left_out_;  ///< number of calls, by function name
};

/// A warning for logs that have no order of messages.
inline constexpr const char* kWithoutOrder =
    "the log does not record the order of messages; use hop-bytes, rmatt, rmatt-3d or max-link-load, because other "
    "objectives treat all messages as simultaneous";

}  // namespace haichi
