#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// When every rank is through with every set of one iteration, without barriers, by the machine's costs. Sets are
/// worked through in their order; from the clocks of the ranks before a set follow those after it:
///
///     start(m)  = clock(source) + its receives posted, its sends up to m made; a rendezvous waits for the clock of the
///                 destination + its receives posted, and for two passages of the route
///     end(m)    = max of start(m) + bytes / slowest link of the route,
///                        over links l of the route: first(l) + load(l),
///                        over both nodes: first(node) + load(node)
///     clock'(r) = max of clock(r) + its calls, end(m) of what it sends unless eagerly,
///                        end(m) + latency of the route of what it receives, a copy later where that came unexpected
///
/// load(l) is the time that all messages of the set take on the link one after the other, first(l) the earliest start
/// among them; load(node) is that of its busiest NIC channel or its DMA. Messages inside a node share its memory as
/// they would a link.
///
/// Times are integer ticks of a picosecond, or of a power of two picoseconds where sums need it: a pure function of the
/// placement. A set costs O(its messages * hops); memory O(messages * bandwidth classes + links).
class RankClocks {
  public:
    explicit RankClocks(const Problem& problem);

    /// Where the ranks are; to be called before the first pass().
    void place(std::span<const NodeId> node_of_rank);
    /// Ranks go elsewhere; undo() takes back the last move.
    void move(const Move& move);
    void undo();

    /// Clocks after set t from those before it, one a rank. Returns the set's queue: the mean over its messages of the
    /// sum of load(l) along the route.
    std::int64_t pass(std::size_t t, std::span<const std::int64_t> before, std::span<std::int64_t> after);
    /// The same, not above what pass() gives for any placement and any clocks not below these.
    std::int64_t pass_at_least(std::size_t t, std::span<const std::int64_t> before,
                               std::span<std::int64_t> after) const;

    [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }
    [[nodiscard]] std::int64_t ticks_of_mean_message() const { return mean_ticks_; }

  private:
    /// A message of a set; what does not depend on the placement.
    struct Transfer {
        std::int32_t source = 0, destination = 0;
        std::int64_t sent_ticks = 0;         ///< start after the clock of the source
        std::int64_t posted_ticks = 0;       ///< after the clock of the destination, its receives are posted
        std::int64_t link_ticks = 0;         ///< on a link of the fastest class
        std::int64_t copy_ticks = 0;         ///< at the receiver, when it came unexpected
        std::int64_t source_node_ticks = 0;  ///< load of the node of the source, where every node has one rank
        std::int64_t destination_node_ticks = 0;
        bool is_eager = false;
    };
    /// What only nodes of several ranks ask for.
    struct NodePassage {
        std::int64_t host_ticks = 0;
        std::int64_t nic_ticks = 0;
        std::int64_t memory_ticks = 0;  ///< when it stays on the node
        std::size_t nic = 0;
    };
    struct Member {
        std::int32_t rank = 0;
        std::int64_t calls_ticks = 0;
    };
    struct Set {
        std::size_t first_transfer = 0, transfers_end = 0;
        std::size_t first_member = 0, members_end = 0;
    };
    /// What the set has for a link, a node, or the memory of a node.
    struct Load {
        std::int64_t first = 0;
        std::int64_t ticks = 0;

        [[nodiscard]] std::int64_t end() const { return first + ticks; }
    };

    void choose_ticks();
    void add_set(std::size_t t, std::vector<std::size_t>& sent);
    void count_calls(Set& set);
    void index_ranks();
    void find_node_loads(const Set& set);
    [[nodiscard]] std::int64_t ticks_of(std::int64_t bytes, double bytes_per_s) const;
    [[nodiscard]] std::int64_t ticks_of_ps(std::int64_t ps) const;
    [[nodiscard]] double wire_bytes(std::int64_t bytes) const;
    [[nodiscard]] double bytes_per_s_of_class(std::size_t c) const;

    /// Where a message goes.
    struct Passage {
        static constexpr std::size_t kKept = 7;  ///< links of longer routes are asked for
        std::array<std::uint32_t, kKept> links{};
        std::uint32_t hops = 0;
    };

    [[nodiscard]] NodeId source_node(std::size_t message) const {
        return nodes_[static_cast<std::size_t>(transfers_[message].source)];
    }
    [[nodiscard]] NodeId destination_node(std::size_t message) const {
        return nodes_[static_cast<std::size_t>(transfers_[message].destination)];
    }
    void route_message(std::size_t message);
    /// kPlain: one rank a node, links alike, and every route kept.
    template <bool kPlain, class F>
    void for_each_link(std::size_t message, Load* links, F&& f);
    template <bool kPlain>
    void add_loads(const Set& set, std::span<const std::int64_t> before);
    template <bool kPlain>
    [[nodiscard]] std::int64_t deliver_all(const Set& set, std::span<const std::int64_t> before,
                                           std::span<std::int64_t> after);
    template <bool kPlain>
    void clear_loads(const Set& set);
    void add_to_nodes(std::size_t message);
    [[nodiscard]] std::int64_t start_of(const Transfer& m, std::int64_t route_ticks,
                                        std::span<const std::int64_t> before) const;
    /// Makes the clocks of both ends not less than what they have with the message at its `end`.
    void deliver(const Transfer& m, std::int64_t end, std::int64_t route_ticks, std::span<const std::int64_t> before,
                 std::span<std::int64_t> after) const;

    const Problem* problem_;
    MachineCosts costs_;
    bool nodes_are_shared_;  ///< by several ranks
    bool is_plain_ = false;
    double ticks_per_second_ = 1e12;
    std::int64_t mean_ticks_ = 1;
    std::int64_t hop_ticks_ = 0;
    std::int64_t on_node_ticks_ = 0;
    std::vector<Transfer> transfers_;
    std::vector<NodePassage> node_passages_;  ///< of the transfers, where nodes are shared
    std::vector<std::int64_t> class_ticks_;   ///< [transfer * classes + class], where links differ
    std::vector<Member> members_;
    std::vector<Set> sets_;

    std::vector<NodeId> nodes_;  ///< by rank
    std::vector<Passage> passages_;
    std::vector<std::size_t> first_of_rank_;  ///< in of_rank_
    std::vector<std::uint32_t> of_rank_;      ///< the messages with an end there
    Move moved_;
    std::vector<std::pair<std::uint32_t, Passage>> passages_before_;

    std::vector<std::int64_t> start_;  ///< of the set's messages
    std::vector<Load> link_;
    std::vector<Load> node_;                   ///< the ticks of a node: its busiest channel's
    std::vector<Load> memory_;                 ///< by node
    std::vector<std::int64_t> channel_ticks_;  ///< by node: DMA, then injection and ejection of each NIC
    std::vector<Load> no_link_, no_node_;      ///< those without messages, to copy
    std::vector<LinkId> scratch_;
};

}  // namespace haichi
