#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "objectives/link_queues.h"
#include "objectives/timed_messages.h"

namespace haichi {

/// The time at which every rank completes every set of one iteration, without barriers, by the machine's costs. Sets
/// are processed in their order. The clocks of the ranks before a set determine the clocks after it:
///
///     start(m)  = clock(source) + its receives posted, its sends up to m made; a rendezvous waits for the clock of the
///                 destination + its receives posted, and for two traversals of the route
///     end(m)    = max of start(m) + bytes / slowest link of the route,
///                        (start(m) + first(l)) / 2 + load(l), l the most loaded link of the route,
///                        over both nodes: first(node) + load(node)
///     clock'(r) = max of clock(r) + its calls, end(m) of its sends unless eager,
///                        end(m) + latency of the route for its receives, plus a copy if unexpected
///
/// load(l) is the time that all messages of the set take on the link one after another. first(l) is the earliest start
/// among the messages whose most loaded link is l. When a late message starts, some of these have already been sent.
/// load(node) is the load of the node's most loaded NIC channel or of its DMA, first(node) the earliest start there.
/// Messages inside a node share its memory as they would share a link. Only messages that are waited for have a start
/// and an end (TimedMessages).
///
/// A pure function of the placement. A set takes O(messages for which ranks wait).
class RankClocks {
  public:
    RankClocks(const Problem& problem, const TimedMessages& messages);

    /// Computes the clocks after set t, one per rank, from the clocks before it.
    void pass(std::size_t t, const LinkQueues& queues, std::span<const std::int64_t> before,
              std::span<std::int64_t> after);
    /// Computes a lower bound on the result of pass(), for any placement and any clocks that are at least these.
    static void pass_at_least(std::size_t t, const TimedMessages& messages, std::span<const std::int64_t> before,
                              std::span<std::int64_t> after);

  private:
    /// Load of a set on a node, or on the memory of a node.
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
    std::vector<std::int64_t> start_;             ///< per message of the set
    std::vector<std::int64_t> first_, no_first_;  ///< by link
    std::vector<std::int64_t> rank_first_;        ///< if nodes are not shared
    std::vector<Load> node_;                      ///< if nodes are shared: ticks of the most loaded channel
    std::vector<Load> memory_;                    ///< by node
    std::vector<std::int64_t> channel_ticks_;     ///< by node: DMA, then injection and ejection of each NIC
};

}  // namespace haichi
