#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "collectives/sized_call.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// True if the communicator has a single group and all of its members are ranks of the job. Its collectives can then be
/// replayed.
bool is_whole(const LoggedCommunicator& communicator);

/// A communicator, by its index in JobLog::communicators, and a kind of operation.
using CollectivesOf = std::pair<std::uint32_t, CollectiveOperation>;

/// The size on which all members of a collective agree (common_bytes()). A rank's log contains only its own sizes. If
/// all members have the same sizes in the same order, each member uses its own. Otherwise, all members use the largest
/// of their mean sizes, over all such operations of the communicator. Sizes differ in MPI_Alltoallv and similar calls,
/// and where the log has means of many sizes. Takes time linear in the compressed logs.
class CollectiveAgreement {
  public:
    /// `threads` contains the call log of each rank of the job; null for a rank without one.
    CollectiveAgreement(const JobLog& job, std::span<const CallSequence* const> threads);

    /// The call with the sizes that all members use.
    [[nodiscard]] collectives::SizedCall agreed(const CollectivesOf& of, collectives::SizedCall call,
                                                int members) const;

  private:
    struct Entry {
        std::uint64_t sizes_of_first = 0;  ///< hash of the sizes, in order, of the first participating rank
        bool is_even = true;
        double largest_mean = 0;
    };

    std::map<CollectivesOf, Entry> entries_;
};

}  // namespace haichi
