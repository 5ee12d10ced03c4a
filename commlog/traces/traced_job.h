#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/traces/traced_rank.h"

namespace haichi {

/// Most ranks of a job whose log is read.
inline constexpr std::int32_t kMostTracedRanks = 1 << 20;
/// Most ranks whose calls are mixed in one file, which is read in passes.
inline constexpr std::size_t kMostRanksOfFile = std::size_t{1} << 14;
/// Ranks that a file states but says nothing of: a number must not cost memory that the file has not the size for.
inline constexpr std::int32_t kMostSilentRanks = 1 << 16;

/// What readers of other tools' logs put together: the ranks, the communicators, and what the user has to know.
class TracedJob {
  public:
    /// `format` is the row of the registry, `file` names the log in errors.
    TracedJob(std::string format, std::string file);

    /// A communicator by its members; returns its index. 0 is the world, which is there from the beginning.
    std::uint32_t add_communicator(std::vector<std::int32_t> members, std::vector<std::int32_t> remote_members = {});
    [[nodiscard]] std::size_t communicator_count() const { return log_.communicators.size(); }
    /// World rank of a communicator's member, kOutside for one it has not. Of an intercommunicator the remote group.
    [[nodiscard]] std::int32_t member(std::uint32_t communicator, std::int64_t rank);
    [[nodiscard]] const std::vector<std::int32_t>& members(std::uint32_t communicator) const {
        return log_.communicators[communicator].members;
    }
    void set_rank_count(std::int64_t ranks) { stated_ranks_ = ranks; }

    /// A rank that was read. Throws InputError when it was there before.
    void add_rank(RankLog rank);
    [[nodiscard]] bool has_rank(std::int32_t rank) const { return ranks_.contains(rank); }
    void warn(std::string text) { log_.warnings.push_back(std::move(text)); }

    /// The whole. The number of ranks is the one stated, or else 1 more than the highest one, also as a peer. Throws
    /// InputError for a job without ranks and one that states far more than it has.
    JobLog finish(bool has_calls);

  private:
    void warn_of_missing();
    void warn_of_lost();

    std::string file_;
    JobLog log_;
    std::int64_t stated_ranks_ = 0;
    std::int32_t highest_named_ = -1;  ///< as a peer
    std::map<std::int32_t, RankLog> ranks_;
};

/// The warning of logs that know no order.
inline constexpr const char* kWithoutOrder =
    "it does not say in what order messages were sent: hop-bytes, rmatt and max-link-load make sense; objectives of "
    "communication sets would take all messages as one set";

}  // namespace haichi
