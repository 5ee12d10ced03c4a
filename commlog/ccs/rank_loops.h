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

/// The messages of a channel are matched in order. The k-th send from one rank to another with a given communicator and
/// tag matches the k-th receive. `communicator` is an index of JobLog::communicators. Channels of collectives have
/// kNobody instead of ranks.
struct Channel {
    std::int32_t source = kNobody;
    std::int32_t destination = kNobody;
    std::uint32_t communicator = 0;
    std::int32_t tag = 0;

    friend auto operator<=>(const Channel&, const Channel&) = default;
};
/// The tag of a channel between ranks whose tags are unknown.
inline constexpr std::int32_t kAllTags = std::numeric_limits<std::int32_t>::min();

/// The number of events on each channel.
using ChannelCounts = std::map<Channel, std::int64_t>;

/// The traffic of one execution of a loop body, including inner loops.
struct BodyTraffic {
    ChannelCounts sends;
    ChannelCounts receives;
    /// By communicator; collectives of a single rank and on unknown communicators are not counted.
    ChannelCounts collectives;
    double bytes = 0;     ///< bytes sent to other ranks or contributed to expanded collectives
    double messages = 0;  ///< number of messages and contributions
    std::int64_t events = 0;
};

/// Selects the collectives that are expanded to point-to-point messages.
enum class CollectiveScope {
    kNone,
    kSubcommunicators,  ///< only collectives on communicators that are smaller than MPI_COMM_WORLD
    kAll
};

/// Returns true if the scope includes the collectives on this communicator of the job.
bool is_expanded(const JobLog& job, std::uint32_t communicator, CollectiveScope scope);

/// The loops in the call log of one thread.
class RankLoops {
  public:
    /// All arguments must outlive the object. `index` is the index of the rank in JobLog::ranks, and `thread` the index
    /// of the thread in RankLog::threads.
    RankLoops(const JobLog& job, const UntaggedPairs& untagged, std::size_t index, std::size_t thread,
              CollectiveScope scope);

    [[nodiscard]] const CallSequence* calls() const { return calls_; }
    /// Returns the index of the rank in JobLog::ranks.
    [[nodiscard]] std::size_t index() const { return index_; }
    [[nodiscard]] std::int32_t rank() const { return log_->rank; }
    [[nodiscard]] std::size_t body_count() const { return traffic_.size(); }
    [[nodiscard]] const BodyTraffic& traffic(std::size_t body) const { return traffic_[body]; }
    /// Returns the number of executions of the body, summed over all loops over it. The loop finder may have left some
    /// iterations outside of a loop. The count therefore includes events before the loop that equal its last events,
    /// and events after it that equal its first events.
    [[nodiscard]] std::int64_t executions(std::size_t body) const { return executions_[body]; }
    /// Returns the number of events before the loop `symbols[loop]` that belong to iterations of its body.
    [[nodiscard]] std::int64_t events_before(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Returns, for each body, true if it contains loops over `inner`, directly or indirectly. Takes O(symbols of all
    /// bodies) time.
    [[nodiscard]] std::vector<bool> bodies_around(std::size_t inner) const;

    /// Returns the traffic of the whole log.
    [[nodiscard]] BodyTraffic whole() const;

    /// Converts the communicator of an event to an index in JobLog::communicators; returns 0 if it is unknown.
    [[nodiscard]] std::uint32_t communicator(std::uint32_t in_log) const;
    /// Returns the channel of a send to `peer`.
    [[nodiscard]] Channel channel_to(std::int32_t peer, const EventKey& send) const;
    /// Returns the channel of a message received from `source`, where `came` is the message's tag.
    [[nodiscard]] Channel channel_from(std::int32_t source, const EventKey& receive, std::int32_t came) const;
    /// Adds `times` occurrences of an event.
    void add(BodyTraffic& traffic, const LoggedEvent& event, std::int64_t times) const;
    /// Adds `times` occurrences of an event or a loop.
    void add_symbol(BodyTraffic& traffic, Symbol symbol, std::int64_t times) const;

  private:
    void count_executions();
    [[nodiscard]] std::int64_t events_behind(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Appends events of `symbol` until there are `most` events, from its last event backwards or from its first event
    /// forwards.
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
    std::vector<std::uint32_t> by_first_loop_;       ///< all bodies, inner bodies first
    std::vector<std::vector<std::uint32_t>> inner_;  ///< by body: the bodies of the loops that it contains
};

/// Returns the loops of all communicating threads, sorted by rank and thread.
std::vector<RankLoops> loops_of_threads(const JobLog& job, const UntaggedPairs& untagged, CollectiveScope scope);

/// Returns a x b, or the largest integer on overflow.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);

}  // namespace haichi
