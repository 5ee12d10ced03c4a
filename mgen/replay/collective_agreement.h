#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "commlog/collectives/collective_choice.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// What a rank's log says of one collective operation.
struct LoggedCollective {
    CollectiveOperation operation = CollectiveOperation::kOther;
    std::uint32_t communicator = 0;  ///< index in JobLog::communicators
    std::int32_t members = 0;
    std::int64_t vector_bytes = 0;  ///< from this rank's sizes
};

/// All that a collective needs is known: it is one of a group, and all of the group are ranks of the job.
bool is_whole(const LoggedCommunicator& communicator);

/// `event` is a collective of a whole communicator.
LoggedCollective logged_collective(const JobLog& job, const RankLog& rank, const LoggedEvent& event);

/// By which size all members choose the algorithm of a collective. A rank's log knows its own sizes only; where all
/// members have the same sizes in the same order, each takes its own. Where they differ (MPI_Alltoallv and its like)
/// all take one: the largest mean of a member, over all such operations of the communicator. O(compressed logs).
class CollectiveAgreement {
  public:
    /// `threads`: the call log of each rank of the job; null: it has none.
    CollectiveAgreement(const JobLog& job, std::span<const CallSequence* const> threads);

    [[nodiscard]] std::int64_t size_of_choice(const LoggedCollective& collective) const;

  private:
    struct Entry {
        std::uint64_t sizes_of_first = 0;  ///< hash of the sizes, in order, of the first rank that took part
        bool is_even = true;
        double largest_mean = 0;
    };

    std::map<std::pair<std::uint32_t, CollectiveOperation>, Entry> entries_;
};

}  // namespace haichi
