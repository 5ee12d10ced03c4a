#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// A message of a set with the costs that do not depend on the nodes of its ranks.
struct TimedMessage {
    std::int32_t source = 0, destination = 0;
    std::int64_t sent_ticks = 0;         ///< time from the clock of the source to the start
    std::int64_t posted_ticks = 0;       ///< time from the clock of the destination until it has posted its receives
    std::int64_t link_ticks = 0;         ///< time on a link of the fastest class
    std::int64_t copy_ticks = 0;         ///< copy time at the receiver if the message is unexpected
    std::int64_t source_node_ticks = 0;  ///< load of the source's node, if every node has one rank
    std::int64_t destination_node_ticks = 0;
    std::int32_t weight = 0;  ///< link_ticks in units of TimedMessages::weight_ticks()
    bool is_eager = false;
};

/// The messages of a problem with their times on its machine, set by set. A message is small if it has at most an
/// eighth of the bytes of its receiver's largest message in the set. A small rendezvous message also has at most an
/// eighth of its sender's largest. Packets take turns, so small messages arrive long before the others, and ranks do
/// not wait for them. They are last in their set.
///
/// Times are integer ticks of a picosecond, or of a power of two picoseconds if sums require it.
class TimedMessages {
  public:
    /// A set's ranges in messages() and members().
    struct Set {
        std::size_t first = 0, small = 0, end = 0;  ///< ranks wait for the messages before `small`
        std::size_t first_waited = 0;               ///< number of waited messages in earlier sets
        std::size_t first_member = 0, members_end = 0;

        [[nodiscard]] std::size_t waited() const { return small - first; }
    };
    /// A rank with messages in a set.
    struct Member {
        std::int32_t rank = 0;
        std::int64_t calls_ticks = 0;
    };
    /// Costs of a message at a node, if nodes have several ranks.
    struct NodePassage {
        std::int64_t host_ticks = 0;
        std::int64_t injection_ticks = 0;  ///< at the sending NIC, with its work on each packet
        std::int64_t ejection_ticks = 0;
        std::int64_t memory_ticks = 0;  ///< cost if the message stays on the node
        std::size_t nic = 0;
    };
    /// Cost of a message on a link.
    struct LinkCost {
        std::int64_t ticks = 0;
        std::int64_t weight = 0;
    };

    explicit TimedMessages(const Problem& problem);

    [[nodiscard]] const MachineCosts& costs() const { return costs_; }
    [[nodiscard]] std::span<const Set> sets() const { return sets_; }
    [[nodiscard]] std::span<const TimedMessage> messages() const { return messages_; }
    [[nodiscard]] std::size_t waited_count() const { return waited_count_; }
    [[nodiscard]] std::span<const TimedMessages::Member> members() const { return members_; }
    [[nodiscard]] bool nodes_are_shared() const { return nodes_are_shared_; }
    [[nodiscard]] bool links_are_alike() const { return classes_ == 1; }
    [[nodiscard]] const NodePassage& node_passage(std::size_t message) const { return node_passages_[message]; }
    [[nodiscard]] LinkCost on_class(std::size_t message, std::size_t link_class) const {
        return class_costs_[message * classes_ + link_class];
    }

    [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }
    [[nodiscard]] std::int64_t ticks_of_mean_message() const { return mean_ticks_; }
    [[nodiscard]] std::int64_t hop_ticks() const { return hop_ticks_; }
    /// Work of the NIC on the first packet of a message.
    [[nodiscard]] std::int64_t nic_packet_ticks() const { return nic_packet_ticks_; }
    [[nodiscard]] std::int64_t on_node_ticks() const { return on_node_ticks_; }
    /// The unit of weights in ticks. It is large enough that the sum over links of the squared total weight stays below
    /// 2^62.
    [[nodiscard]] std::int64_t weight_ticks() const { return weight_ticks_; }
    [[nodiscard]] std::int64_t total_weight() const { return total_weight_; }

  private:
    struct Built;

    void choose_ticks();
    void choose_weights();
    void add_set(std::size_t t, std::vector<std::size_t>& sent);
    [[nodiscard]] Built build(const Message& m, std::vector<std::size_t>& sent) const;
    void count_calls(Set& set, std::span<Built> built);
    void find_node_loads(std::span<Built> built) const;
    void put_small_ones_last(Set& set, std::vector<Built>& built) const;
    void append(std::span<const Built> built);
    [[nodiscard]] std::int64_t ticks_of(std::int64_t bytes, double bytes_per_s) const;
    [[nodiscard]] std::int64_t ticks_of_ps(std::int64_t ps) const;
    [[nodiscard]] std::int64_t packets(std::int64_t bytes) const {
        return (bytes - 1) / costs_.packet_payload_bytes + 1;
    }
    [[nodiscard]] double wire_bytes(std::int64_t bytes) const;
    [[nodiscard]] double bytes_per_s_of_class(std::size_t c) const;

    const Problem* problem_;
    MachineCosts costs_;
    bool nodes_are_shared_;  ///< whether a node has several ranks
    std::size_t classes_;
    double ticks_per_second_ = 1e12;
    std::int64_t mean_ticks_ = 1;
    std::int64_t hop_ticks_ = 0;
    std::int64_t nic_packet_ticks_ = 0;
    std::int64_t on_node_ticks_ = 0;
    std::int64_t weight_ticks_ = 1;
    std::int64_t total_weight_ = 0;
    std::vector<TimedMessage> messages_;
    std::vector<NodePassage> node_passages_;  ///< if nodes are shared
    std::vector<LinkCost> class_costs_;       ///< [message * classes + class], if links differ
    std::vector<Member> members_;
    std::vector<Set> sets_;
    std::size_t waited_count_ = 0;
};

}  // namespace haichi
