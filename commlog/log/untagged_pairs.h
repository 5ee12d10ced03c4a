#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "commlog/log/job_log.h"

namespace haichi {

/// Pairs of ranks whose message tags are unknown, because the log of one rank merges events with different tags
/// (kVariableTag). All messages of such a pair on a communicator are matched by order alone: the k-th posted send
/// matches the k-th posted receive. MPI matches in the same way if both sides post their tags in the same order.
class UntaggedPairs {
  public:
    /// Takes O(events and completions of all ranks) time.
    explicit UntaggedPairs(const JobLog& job);

    /// `communicator` is an index of JobLog::communicators.
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
