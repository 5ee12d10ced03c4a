#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/traces/traced_rank.h"

namespace haichi {

/// Maximum number of ranks of a job whose log is read.
inline constexpr std::int32_t kMostTracedRanks = 1 << 20;
/// Most ranks whose calls are mixed in one file, which is read in passes.
inline constexpr std::size_t kMostRanksOfFile = std::size_t{1} << 14;
/// Ranks that a file states but has no data on. The limit keeps a number in a small file from filling the memory.
inline constexpr std::int32_t kMostSilentRanks = 1 << 16;

/// Collects the data of other tools' logs: the ranks, the communicators, and warnings for the user.
class TracedJob {
  public:
    /// `format` is the registry entry, and `file` names the log in errors.
    TracedJob(std::string format, std::string file);

    /// Adds a communicator with these members and returns its index. Index 0 is MPI_COMM_WORLD, which always exists.
    std::uint32_t add_communicator(std::vector<std::int32_t> members, std::vector<std::int32_t> remote_members = {});
    [[nodiscard]] std::size_t communicator_count() const { return log_.communicators.size(); }
    /// Returns the rank in MPI_COMM_WORLD of a communicator's member, or kOutside for an invalid one. For an
    /// intercommunicator the member is in the remote group.
    [[nodiscard]] std::int32_t member(std::uint32_t communicator, std::int64_t rank);
    [[nodiscard]] const std::vector<std::int32_t>& members(std::uint32_t communicator) const {
        return log_.communicators[communicator].members;
    }
    void set_rank_count(std::int64_t ranks) { stated_ranks_ = ranks; }

    /// Adds a complete rank. Throws InputError if it was added before.
    void add_rank(RankLog rank);
    [[nodiscard]] bool has_rank(std::int32_t rank) const { return ranks_.contains(rank); }
    /// Counts calls that move data in a way that the trace does not state or the reader does not know.
    void leave_out(const std::string& call, std::uint64_t count) { left_out_[call] += count; }
    void warn(std::string text) { log_.warnings.push_back(std::move(text)); }

    /// Returns the whole log. The number of ranks is the stated one, or else 1 more than the highest rank or peer.
    /// Throws InputError if the job has no ranks, or states far more than it has.
    JobLog finish(bool has_calls);

  private:
    void warn_of_missing();
    void warn_of_lost();
    void warn_of_left_out();

    std::string file_;
    JobLog log_;
    std::int64_t stated_ranks_ = 0;
    std::int32_t highest_named_ = -1;  ///< highest peer
    std::map<std::int32_t, RankLog> ranks_;
    std::map<std::string, std::uint64_t> left_out_;  ///< calls by their name
};

/// The warning about logs without an order.
inline constexpr const char* kWithoutOrder =
    "the log does not record the order of messages, so use hop-bytes, rmatt or max-link-load; the other objectives "
    "treat all "
    "messages as simultaneous";

}  // namespace haichi
