#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/log/untagged_pairs.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// Messages are matched by channel. The k-th send of a pair of ranks with an equal communicator and tag goes to the
/// k-th receive. `communicator` indexes JobLog::communicators. A collective has kNobody instead of ranks.
struct Channel {
    std::int32_t source = kNobody;
    std::int32_t destination = kNobody;
    std::uint32_t communicator = 0;
    std::int32_t tag = 0;

    friend auto operator<=>(const Channel&, const Channel&) = default;
};
/// The tag of channels between ranks with unknown tags.
inline constexpr std::int32_t kAllTags = std::numeric_limits<std::int32_t>::min();

/// The number of events on each channel.
using ChannelCounts = std::map<Channel, std::int64_t>;

/// The traffic of one execution of a loop body, inner loops included.
struct BodyTraffic {
    ChannelCounts sends;
    ChannelCounts receives;
    ChannelCounts collectives;  ///< by communicator, without those of one process and without unknown ones
    double bytes = 0;           ///< sent to other ranks, and contributed to expanded collectives
    double messages = 0;        ///< number of these messages
    std::int64_t events = 0;
};

/// The collectives that become point-to-point messages.
enum class CollectiveScope {
    kNone,
    kSubcommunicators,  ///< those on communicators smaller than MPI_COMM_WORLD
    kAll
};

/// Returns whether the scope includes a collective on a communicator of this job.
bool is_expanded(const JobLog& job, std::uint32_t communicator, CollectiveScope scope);

/// The loops of one thread's call log.
class RankLoops {
  public:
    /// All arguments must outlive the object. `index` is in JobLog::ranks, and `thread` in RankLog::threads.
    RankLoops(const JobLog& job, const UntaggedPairs& untagged, std::size_t index, std::size_t thread,
              CollectiveScope scope);

    [[nodiscard]] const CallSequence* calls() const { return calls_; }
    /// Returns the index in JobLog::ranks.
    [[nodiscard]] std::size_t index() const { return index_; }
    [[nodiscard]] std::int32_t rank() const { return log_->rank; }
    [[nodiscard]] std::size_t body_count() const { return traffic_.size(); }
    [[nodiscard]] const BodyTraffic& traffic(std::size_t body) const { return traffic_[body]; }
    /// Returns the executions of the body in all loops over it. The finder may have split iterations off a loop. Events
    /// before the loop that equal its last events also count, and so do events after it that equal its first events.
    [[nodiscard]] std::int64_t executions(std::size_t body) const { return executions_[body]; }
    /// Returns how many events before the loop `symbols[loop]` belong to iterations of its body.
    [[nodiscard]] std::int64_t events_before(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Returns by body whether it consists of loops over `inner`, directly or through others. O(symbols of all bodies).
    [[nodiscard]] std::vector<bool> bodies_around(std::size_t inner) const;

    /// Returns the traffic of the whole log.
    [[nodiscard]] BodyTraffic whole() const;

    /// Returns an event's communicator as an index in JobLog::communicators, or 0 if it is unknown.
    [[nodiscard]] std::uint32_t communicator(std::uint32_t in_log) const;
    /// Returns the channel of a send to `peer`.
    [[nodiscard]] Channel channel_to(std::int32_t peer, const EventKey& send) const;
    /// Returns the channel of a message received from `source` with tag `came`.
    [[nodiscard]] Channel channel_from(std::int32_t source, const EventKey& receive, std::int32_t came) const;
    /// Adds `times` occurrences of an event.
    void add(BodyTraffic& traffic, const LoggedEvent& event, std::int64_t times) const;
    /// Adds `times` occurrences of an event or a loop.
    void add_symbol(BodyTraffic& traffic, Symbol symbol, std::int64_t times) const;

  private:
    void count_executions();
    [[nodiscard]] std::int64_t events_behind(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Adds the events of `symbol` until there are `most`, backwards from the last one or forwards from the first.
    void unroll(Symbol symbol, bool backwards, std::size_t most, std::vector<Symbol>& events) const;
    [[nodiscard]] std::int64_t matching(std::span<const Symbol> symbols, std::size_t loop, bool backwards) const;

    const JobLog* job_;
    const UntaggedPairs* untagged_;
    const RankLog* log_;
    std::size_t index_;
    CollectiveScope scope_;
    const CallSequence* calls_;
    std::vector<BodyTraffic> traffic_;
    std::vector<std::int64_t> executions_;
    std::vector<std::uint32_t> by_first_loop_;       ///< bodies in an order in which inner bodies come first
    std::vector<std::vector<std::uint32_t>> inner_;  ///< by body: the bodies of its loops
};

/// Returns the loops of all communicating threads, by rank and thread.
std::vector<RankLoops> loops_of_threads(const JobLog& job, const UntaggedPairs& untagged, CollectiveScope scope);

/// Returns a x b, or the largest number if it overflows.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);

}  // namespace haichi
