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

/// What messages are matched by: the k-th send of a pair of ranks with an equal communicator and tag goes to the k-th
/// receive. `communicator` indexes JobLog::communicators. A collective has no ranks: kNobody.
struct Channel {
    std::int32_t source = kNobody;
    std::int32_t destination = kNobody;
    std::uint32_t communicator = 0;
    std::int32_t tag = 0;

    friend auto operator<=>(const Channel&, const Channel&) = default;
};
/// The tag of channels between ranks whose tags are not known.
inline constexpr std::int32_t kAllTags = std::numeric_limits<std::int32_t>::min();

/// How often something happens on each channel.
using ChannelCounts = std::map<Channel, std::int64_t>;

/// What one execution of a loop body (loops in it included) does.
struct BodyTraffic {
    ChannelCounts sends;
    ChannelCounts receives;
    ChannelCounts collectives;  ///< by communicator; those of one process and those nothing is known of are left out
    double bytes = 0;           ///< sent to other ranks, and contributed to collectives that are expanded
    double messages = 0;        ///< of these
    std::int64_t events = 0;
};

/// Which collectives become point-to-point messages.
enum class CollectiveScope {
    kNone,
    kSubcommunicators,  ///< those on communicators of less than all ranks
    kAll
};

/// Whether the scope takes a collective on a communicator of this job.
bool is_expanded(const JobLog& job, std::uint32_t communicator, CollectiveScope scope);

/// The loops of one thread's call log.
class RankLoops {
  public:
    /// All must outlive this. `index` and `thread` in JobLog::ranks and RankLog::threads.
    RankLoops(const JobLog& job, const UntaggedPairs& untagged, std::size_t index, std::size_t thread,
              CollectiveScope scope);

    [[nodiscard]] const CallSequence* calls() const { return calls_; }
    /// In JobLog::ranks.
    [[nodiscard]] std::size_t index() const { return index_; }
    [[nodiscard]] std::int32_t rank() const { return log_->rank; }
    [[nodiscard]] std::size_t body_count() const { return traffic_.size(); }
    [[nodiscard]] const BodyTraffic& traffic(std::size_t body) const { return traffic_[body]; }
    /// Of the body, in all loops over it. A loop may be longer than the log says: where its last events are equal to
    /// those before it, or its first to those behind it, the finder has split off a repetition. That is counted.
    [[nodiscard]] std::int64_t executions(std::size_t body) const { return executions_[body]; }
    /// How many events before `symbols[loop]`, a loop, are the end of repetitions of its body.
    [[nodiscard]] std::int64_t events_before(std::span<const Symbol> symbols, std::size_t loop) const;
    /// By body: whether it consists of loops over `inner`, directly or through others. O(symbols of all bodies).
    [[nodiscard]] std::vector<bool> bodies_around(std::size_t inner) const;

    /// Everything that was logged.
    [[nodiscard]] BodyTraffic whole() const;

    /// Of the event: in JobLog::communicators, 0 where it is not known.
    [[nodiscard]] std::uint32_t communicator(std::uint32_t in_log) const;
    /// Of a send to `peer`.
    [[nodiscard]] Channel channel_to(std::int32_t peer, const EventKey& send) const;
    /// Of what came from `source` to a receive, with the tag that came.
    [[nodiscard]] Channel channel_from(std::int32_t source, const EventKey& receive, std::int32_t came) const;
    /// Adds `times` occurrences of an event.
    void add(BodyTraffic& traffic, const LoggedEvent& event, std::int64_t times) const;
    /// Adds `times` occurrences of an event or a loop.
    void add_symbol(BodyTraffic& traffic, Symbol symbol, std::int64_t times) const;

  private:
    void count_executions();
    [[nodiscard]] std::int64_t events_behind(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Adds the events of `symbol`, the last first or the first first, until there are `most`.
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
    std::vector<std::uint32_t> by_first_loop_;       ///< bodies; those of which a body consists come before it
    std::vector<std::vector<std::uint32_t>> inner_;  ///< of a body: the bodies of its loops
};

/// The loops of all threads that communicate, by rank and thread.
std::vector<RankLoops> loops_of_threads(const JobLog& job, const UntaggedPairs& untagged, CollectiveScope scope);

/// a x b, or the largest number.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);

}  // namespace haichi
