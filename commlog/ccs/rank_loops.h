#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "commlog/log/job_log.h"
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

/// How often something happens on each channel.
using ChannelCounts = std::map<Channel, std::int64_t>;

/// What one execution of a loop body (loops in it included) does.
struct BodyTraffic {
    ChannelCounts sends;
    ChannelCounts receives;
    ChannelCounts collectives;  ///< by communicator; those of one process and those nothing is known of are left out
    double bytes = 0;           ///< sent to other ranks, and contributed to collectives that are expanded
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

/// The loops of one rank's call log: of the thread that communicated most.
class RankLoops {
  public:
    RankLoops(const JobLog& job, const RankLog& log, CollectiveScope scope);

    [[nodiscard]] const CallSequence* calls() const { return calls_; }
    /// Threads beside that one with point-to-point messages or collectives.
    [[nodiscard]] int other_threads() const { return other_threads_; }
    [[nodiscard]] std::size_t body_count() const { return traffic_.size(); }
    [[nodiscard]] const BodyTraffic& traffic(std::size_t body) const { return traffic_[body]; }
    /// Of the body, in all loops over it. A loop may be longer than the log says: where its last events are equal to
    /// those before it, or its first to those behind it, the finder has split off a repetition. That is counted.
    [[nodiscard]] std::int64_t executions(std::size_t body) const { return executions_[body]; }
    /// How many events before `symbols[loop]`, a loop, are the end of repetitions of its body.
    [[nodiscard]] std::int64_t events_before(std::span<const Symbol> symbols, std::size_t loop) const;
    /// By body: whether it consists of loops over `inner`, directly or through others. O(symbols of all bodies).
    [[nodiscard]] std::vector<bool> bodies_around(std::size_t inner) const;

    /// Of the event: in JobLog::communicators, 0 where it is not known.
    [[nodiscard]] std::uint32_t communicator(std::uint32_t in_log) const;
    /// Mean over the occurrences.
    [[nodiscard]] static std::int64_t bytes_of(const LoggedEvent& event);
    /// What the rank contributes in all to a collective of so many ranks.
    [[nodiscard]] static std::int64_t contribution(const LoggedEvent& event, std::size_t members);
    /// Adds `times` occurrences of an event.
    void add(BodyTraffic& traffic, const LoggedEvent& event, std::int64_t times) const;
    /// Adds `times` occurrences of an event or a loop.
    void add_symbol(BodyTraffic& traffic, Symbol symbol, std::int64_t times) const;

  private:
    void choose_thread();
    void count_executions();
    [[nodiscard]] std::int64_t events_behind(std::span<const Symbol> symbols, std::size_t loop) const;
    /// Adds the events of `symbol`, the last first or the first first, until there are `most`.
    void unroll(Symbol symbol, bool backwards, std::size_t most, std::vector<Symbol>& events) const;
    [[nodiscard]] std::int64_t matching(std::span<const Symbol> symbols, std::size_t loop, bool backwards) const;

    const JobLog* job_;
    const RankLog* log_;
    CollectiveScope scope_;
    const CallSequence* calls_ = nullptr;
    int other_threads_ = 0;
    std::vector<BodyTraffic> traffic_;
    std::vector<std::int64_t> executions_;
    std::vector<std::uint32_t> by_first_loop_;       ///< bodies; those of which a body consists come before it
    std::vector<std::vector<std::uint32_t>> inner_;  ///< of a body: the bodies of its loops
};

/// a x b, or the largest number.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);

}  // namespace haichi
