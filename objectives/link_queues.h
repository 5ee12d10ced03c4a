#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "objectives/set_link_table.h"
#include "objectives/timed_messages.h"

namespace haichi {

/// The queues of a placement: the load that each message meets on the links of its route, whatever the start times. A
/// move takes time proportional to the routes of its messages plus the number of waited messages in their sets.
class LinkQueues {
  public:
    /// The queue of a waited message.
    struct Queue {
        std::int64_t load_ticks = 0;   ///< load of the most loaded link of the route by all messages of the set
        std::int64_t alone_ticks = 0;  ///< time of this message alone on the slowest link
        std::uint32_t link = 0;        ///< most loaded link, the first of several; link_count() within a node
        std::uint32_t hops = 0;
    };

    LinkQueues(const Problem& problem, std::shared_ptr<const TimedMessages> messages);

    void place(std::span<const NodeId> node_of_rank);
    /// Moves ranks to other nodes. undo() reverts the last move.
    void move(const Move& move);
    void undo();

    /// Sets with messages of the last move.
    [[nodiscard]] std::span<const std::size_t> touched_sets() const { return touched_sets_; }
    [[nodiscard]] bool is_touched(std::size_t set) const { return is_touched_[set] != 0; }
    [[nodiscard]] NodeId node(std::int32_t rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] std::size_t link_count() const { return total_.size() - 1; }
    /// Queues in the order of the set's messages.
    [[nodiscard]] std::span<const Queue> of_set(std::size_t set) const {
        const TimedMessages::Set& s = messages_->sets()[set];
        return std::span(queues_[current_[set]]).subspan(s.first_waited, s.waited());
    }
    /// Mean queue over all bytes of the iteration: the load of all sets on the links of each byte's route.
    [[nodiscard]] std::int64_t mean_ticks() const { return ticks_of_squares(squares_); }
    /// A lower bound on mean_ticks() of any placement.
    [[nodiscard]] std::int64_t least_mean_ticks() const;

    /// Budget for the stored links of all routes. Beyond it, routes are recomputed.
    static constexpr std::size_t kRoutesBudgetBytes = std::size_t{64} << 20;

  private:
    /// A message of a move, with the length of its old route in links_before_.
    struct Moved {
        std::uint32_t message = 0;
        std::uint32_t hops_before = 0;
    };

    void index_ranks();
    void collect_moved(const Move& move);
    [[nodiscard]] std::size_t set_of(std::size_t message) const { return set_of_message_[message]; }
    void find_route(std::size_t message);
    /// Adds the message to the loads of its links, or removes it from them.
    template <bool kAdds>
    void load_links(std::size_t message);
    template <bool kAdds, class F>
    void load_links(std::size_t message, F&& load_at);
    void look_at_set(std::size_t set);
    void look_at_any_set(std::size_t set, std::span<Queue> queues);
    [[nodiscard]] std::span<const std::uint32_t> links_of(std::size_t message);
    [[nodiscard]] std::int64_t ticks_of_squares(std::int64_t squares) const;

    const Problem* problem_;
    std::shared_ptr<const TimedMessages> messages_;
    std::vector<std::uint32_t> set_of_message_;
    std::vector<std::size_t> first_of_rank_;  ///< index in of_rank_
    std::vector<std::uint32_t> of_rank_;      ///< messages that end at the rank

    std::vector<NodeId> nodes_;         ///< by rank
    std::size_t row_ = 0;               ///< row length of links_, or 0 if routes are recomputed
    std::vector<std::uint32_t> links_;  ///< [message * row_], padded with link_count(), which no message loads
    std::vector<std::uint32_t> hops_;
    SetLinkTable<std::int64_t> loads_;
    std::vector<std::int64_t> total_;  ///< per link: sum of the weights of all sets
    std::int64_t squares_ = 0;         ///< sum of the squares of total_
    std::vector<Queue> queues_[2];     ///< for each set, one holds the current queues and the other the previous ones
    std::vector<std::uint8_t> current_;

    Move moved_;
    std::vector<Moved> moved_messages_;
    std::vector<std::uint32_t> links_before_;
    std::vector<std::uint8_t> is_moved_;  ///< per message
    std::vector<std::uint8_t> is_touched_;
    std::vector<std::size_t> touched_sets_;
    std::vector<LinkId> scratch_;
    std::vector<std::uint32_t> route_;
};

}  // namespace haichi
