#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "objectives/link_queues.h"
#include "objectives/timed_messages.h"

namespace haichi {

/// When every rank is through with every set of one iteration, without barriers, by the machine's costs. Sets are
/// worked through in their order; from the clocks of the ranks before a set follow those after it:
///
///     start(m)  = clock(source) + its receives posted, its sends up to m made; a rendezvous waits for the clock of the
///                 destination + its receives posted, and for two passages of the route
///     end(m)    = max of start(m) + bytes / slowest link of the route,
///                        (start(m) + first(l)) / 2 + load(l), l the most loaded link of the route,
///                        over both nodes: first(node) + load(node)
///     clock'(r) = max of clock(r) + its calls, end(m) of what it sends unless eagerly,
///                        end(m) + latency of the route of what it receives, a copy later where that came unexpected
///
/// load(l) is the time that all messages of the set take on the link one after the other, first(l) the earliest start
/// among those that it is the most loaded one for: a message that comes late finds a part of them through. load(node)
/// is that of its busiest NIC channel or its DMA, first(node) the earliest start there. Messages inside a node share
/// its memory as they would a link. Only messages that are waited for have a start and an end (TimedMessages).
///
/// A pure function of the placement. A set costs O(its messages that are waited for).
class RankClocks {
  public:
    RankClocks(const Problem& problem, const TimedMessages& messages);

    /// Clocks after set t, one a rank, from those before it.
    void pass(std::size_t t, const LinkQueues& queues, std::span<const std::int64_t> before,
              std::span<std::int64_t> after);
    /// The same, not above what pass() gives for any placement and any clocks not below these.
    static void pass_at_least(std::size_t t, const TimedMessages& messages, std::span<const std::int64_t> before,
                              std::span<std::int64_t> after);

  private:
    /// What the set has for a node, or for its memory.
    struct Load {
        std::int64_t first = 0;
        std::int64_t ticks = 0;

        [[nodiscard]] std::int64_t end() const { return first + ticks; }
    };
    struct Pass;

    void find_starts(const Pass& pass);
    void find_starts_on_shared_nodes(const Pass& pass);
    void deliver_all(const Pass& pass, std::span<std::int64_t> after);
    void deliver_all_on_shared_nodes(const Pass& pass, std::span<std::int64_t> after);
    void clear_links(const Pass& pass);
    void clear_nodes(const Pass& pass);
    void add_to_nodes(const Pass& pass, std::size_t i);

    const TimedMessages* messages_;
    std::vector<std::int64_t> start_;             ///< of the set's messages
    std::vector<std::int64_t> first_, no_first_;  ///< by link
    std::vector<std::int64_t> rank_first_;        ///< where nodes are not shared
    std::vector<Load> node_;                      ///< where they are: the ticks of the busiest channel
    std::vector<Load> memory_;                    ///< by node
    std::vector<std::int64_t> channel_ticks_;     ///< by node: DMA, then injection and ejection of each NIC
};

}  // namespace haichi
