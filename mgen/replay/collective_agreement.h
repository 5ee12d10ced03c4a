#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "collectives/sized_call.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// All that a collective needs is known: it is one of a group, and all of the group are ranks of the job.
bool is_whole(const LoggedCommunicator& communicator);

/// A kind of operation of a communicator, by its index in JobLog::communicators.
using CollectivesOf = std::pair<std::uint32_t, CollectiveOperation>;

/// The size that all members have in common (common_bytes()). A rank's log knows its own sizes only; where all
/// members have the same ones in the same order, each takes its own. Where they differ (MPI_Alltoallv and its like, or
/// means of many sizes) all take one: the largest mean of a member, over all such operations of the communicator.
/// O(compressed logs).
class CollectiveAgreement {
  public:
    /// `threads`: the call log of each rank of the job; null: it has none.
    CollectiveAgreement(const JobLog& job, std::span<const CallSequence* const> threads);

    /// A call as all members make it.
    [[nodiscard]] collectives::SizedCall agreed(const CollectivesOf& of, collectives::SizedCall call,
                                                int members) const;

  private:
    struct Entry {
        std::uint64_t sizes_of_first = 0;  ///< hash of the sizes, in order, of the first rank that took part
        bool is_even = true;
        double largest_mean = 0;
    };

    std::map<CollectivesOf, Entry> entries_;
};

}  // namespace haichi
