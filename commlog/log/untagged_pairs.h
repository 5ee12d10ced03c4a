#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "commlog/log/job_log.h"

namespace haichi {

/// Pairs of ranks between which tags of messages are not known: in the log of one of them events that differ in their
/// tags were taken together (kVariableTag). All messages of such a pair on that communicator are matched in their order
/// alone, whatever tag an event has: the k-th send goes to the k-th receive, in the order in which they were posted.
/// That is what MPI does when each side posts in the same order of tags.
class UntaggedPairs {
  public:
    /// O(events and completions of all ranks).
    explicit UntaggedPairs(const JobLog& job);

    /// `communicator` indexes JobLog::communicators.
    [[nodiscard]] bool contains(std::int32_t source, std::int32_t destination, std::uint32_t communicator) const {
        return !pairs_.empty() && pairs_.contains({source, destination, communicator});
    }
    [[nodiscard]] bool empty() const { return pairs_.empty(); }

  private:
    struct Pair {
        std::int32_t source, destination;
        std::uint32_t communicator;
        friend auto operator<=>(const Pair&, const Pair&) = default;
    };
    void add(const RankLog& rank, const CallSequence& calls);

    std::set<Pair> pairs_;
};

}  // namespace haichi
