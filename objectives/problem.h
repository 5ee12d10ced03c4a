#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/route_rows.h"
#include "netmodel/routing/route_table.h"
#include "objectives/machine_costs.h"
#include "objectives/mapping.h"
#include "objectives/route_legs.h"
#include "objectives/slice_kernel.h"

namespace haichi {

/// A message seen from one of its ends.
struct IncidentMessage {
    RankId partner;
    std::uint32_t set_and_direction = 0;  ///< set * 2 + (1 when this rank is the source)
    std::int64_t size_bytes = 0;

    [[nodiscard]] std::size_t set() const { return set_and_direction >> 1; }
    [[nodiscard]] bool outgoing() const { return (set_and_direction & 1) != 0; }
};

/// All bytes that one rank exchanges with another rank, in both directions and in all sets.
struct Flow {
    RankId partner;
    std::int64_t size_bytes = 0;
};

struct RobustJob;

/// A workload on a network with ranks_per_node slots per node. Every objective is computed on it. Immutable, and shared
/// by all restarts and threads. It holds the index structures for incremental evaluation, and only messages that can
/// cross a link (different ranks, more than 0 bytes). Memory: about 80 bytes per message, 16 more if RouteRows are
/// stored, and the tables of HopDistance, RouteTable and RouteRows within their budgets.
class Problem {
  public:
    /// `logical_network` is the job's logical torus with the same node numbers, for objectives that are searched there.
    /// The workload and the networks must outlive the problem. Throws InputError when the sums of objectives could
    /// exceed 2^63 - 1, and OptionError when there are more ranks than slots.
    Problem(const Workload& workload, const Network& network, std::int32_t ranks_per_node,
            const Network* logical_network = nullptr);

    [[nodiscard]] const Workload& workload() const { return *workload_; }
    [[nodiscard]] const Network& network() const { return *network_; }
    [[nodiscard]] const Network* logical_network() const { return logical_network_; }
    /// Sets the other allocations of a robust search; null if there are none. The job must outlive the problem.
    void set_robust_job(const RobustJob* job) { robust_job_ = job; }
    [[nodiscard]] const RobustJob* robust_job() const { return robust_job_; }
    /// Sets the kernel that updates bit-sliced counters. The default is this processor's fastest kernel. Null disables
    /// such counters. All kernels give the same values, as tests check.
    void set_slice_kernel(SliceKernel kernel) { slice_kernel_ = kernel; }
    [[nodiscard]] SliceKernel slice_kernel() const { return slice_kernel_; }
    /// Sets the machine's costs of CPUs, NICs and latencies. The defaults apply to a machine that states none.
    void set_machine_costs(const MachineCosts& costs) { machine_costs_ = costs; }
    [[nodiscard]] const MachineCosts& machine_costs() const { return machine_costs_; }
    /// Sets the largest total weight of the ranks on a node (Workload::rank_weights). 0, the default, means no limit
    /// besides the rank slots.
    void set_node_capacity(std::int64_t weight) { node_capacity_ = weight; }
    [[nodiscard]] std::int64_t node_capacity() const { return node_capacity_; }
    [[nodiscard]] std::int32_t rank_count() const { return workload_->rank_count(); }
    [[nodiscard]] std::int32_t node_count() const { return network_->node_count(); }
    /// Maximum number of ranks on every node. Slot s belongs to node s / ranks_per_node().
    [[nodiscard]] std::int32_t ranks_per_node() const { return ranks_per_node_; }
    /// Sets the rank slots of each node, at most ranks_per_node(). Empty, the default, means ranks_per_node() slots on
    /// every node. The other slots of a node are closed. Bounds of objectives do not consider closed slots.
    void set_slots_of_node(std::vector<std::int32_t> slots) { slots_of_node_ = std::move(slots); }
    [[nodiscard]] bool has_closed_slots() const { return !slots_of_node_.empty(); }
    /// The number of open slots of a node, which have the lowest ids of the node's slots. 0 for faulty nodes.
    [[nodiscard]] std::int32_t open_slots(NodeId node) const {
        if (!network_->is_usable(node)) return 0;
        return slots_of_node_.empty() ? ranks_per_node_ : slots_of_node_[node.index()];
    }
    [[nodiscard]] bool is_open(SlotId slot) const {
        return slot.value % ranks_per_node_ < open_slots(NodeId(slot.value / ranks_per_node_));
    }
    [[nodiscard]] std::int64_t open_slot_count() const;
    [[nodiscard]] std::size_t set_count() const { return workload_->set_count(); }

    /// Messages of the rank in the order of their sets.
    [[nodiscard, gnu::always_inline]] inline std::span<const IncidentMessage> incident(RankId rank) const {
        const std::size_t* const first = &incident_first_[rank.index()];
        return {incident_.data() + first[0], incident_.data() + first[1]};
    }
    [[nodiscard, gnu::always_inline]] inline std::span<const Flow> flows(RankId rank) const {
        const std::size_t* const first = &flow_first_[rank.index()];
        return {flow_.data() + first[0], flow_.data() + first[1]};
    }
    /// Ranks with at least one message that can cross a link.
    [[nodiscard]] std::span<const RankId> communicating_ranks() const { return communicating_ranks_; }

    [[nodiscard]] const HopDistance& hop_distance() const { return hop_distance_; }
    [[nodiscard]] std::span<const LinkId> route(NodeId s, NodeId d, std::vector<LinkId>& scratch) const {
        return route_table_.route(s, d, scratch);
    }
    [[nodiscard]] const RouteTable& route_table() const { return route_table_; }
    [[nodiscard]] const RouteRows& route_rows() const { return route_rows_; }
    [[nodiscard]] const RouteLegs& route_legs() const { return route_legs_; }

    /// Links may differ in bandwidth: a byte on a link of class c costs class_scale(c) / scale_per_second() seconds,
    /// where class_scale is a small integer. If all links are equal, there is one class of scale 1.
    [[nodiscard]] std::size_t class_count() const { return class_scale_.size(); }
    [[nodiscard]] std::int64_t class_scale(std::size_t c) const { return class_scale_[c]; }
    [[nodiscard]] std::size_t link_class(LinkId link) const {
        return link_class_.empty() ? 0 : link_class_[link.index()];
    }
    [[nodiscard]] std::int64_t link_scale(LinkId link) const { return class_scale_[link_class(link)]; }
    [[nodiscard]] double scale_per_second() const { return scale_per_second_; }
    /// Scale of the cheapest link.
    [[nodiscard]] std::int64_t smallest_scale() const { return smallest_scale_; }

    /// Number of messages in set t that can cross a link.
    [[nodiscard]] std::int64_t set_message_count(std::size_t t) const { return set_message_count_[t]; }
    [[nodiscard]] std::int64_t set_largest_bytes(std::size_t t) const { return set_largest_bytes_[t]; }
    /// Whether all crossing messages of the set have one size.
    [[nodiscard]] bool set_is_uniform(std::size_t t) const { return set_is_uniform_[t] != 0; }
    [[nodiscard]] double mean_message_bytes() const { return mean_message_bytes_; }

    /// For set t, the largest size s such that messages of at least s bytes cannot all stay inside nodes. This holds if
    /// a connected component of their graph has more ranks than a node has slots. In any mapping, a message of at least
    /// s bytes then crosses a link in set t. 0 if every component fits a node. With one slot per node, s is the largest
    /// size in the set.
    [[nodiscard]] std::int64_t unavoidable_bytes(std::size_t t) const { return unavoidable_bytes_[t]; }

  private:
    void index_messages();
    void index_flows();
    void classify_links();
    void bound_sets();
    void check_sums() const;

    const Workload* workload_;
    const Network* network_;
    const Network* logical_network_;
    const RobustJob* robust_job_ = nullptr;
    SliceKernel slice_kernel_ = slice_kernels().best();
    MachineCosts machine_costs_;
    std::int64_t node_capacity_ = 0;
    std::int32_t ranks_per_node_;
    HopDistance hop_distance_;
    RouteTable route_table_;
    RouteRows route_rows_;
    RouteLegs route_legs_;

    std::vector<std::size_t> incident_first_;
    std::vector<IncidentMessage> incident_;
    std::vector<std::size_t> flow_first_;
    std::vector<Flow> flow_;
    std::vector<RankId> communicating_ranks_;

    std::vector<std::uint16_t> link_class_;
    std::vector<std::int64_t> class_scale_;
    double scale_per_second_ = 1;
    std::int64_t smallest_scale_ = 1;

    std::vector<std::int64_t> set_message_count_;
    std::vector<std::int64_t> set_largest_bytes_;
    std::vector<std::int64_t> unavoidable_bytes_;
    std::vector<std::uint8_t> set_is_uniform_;
    double mean_message_bytes_ = 1;
    std::vector<std::int32_t> slots_of_node_;
};

/// A message that a move affects, with its old and new ends.
struct MovedMessage {
    std::size_t set = 0;
    std::int64_t size_bytes = 0;
    NodeId old_source, old_destination;
    NodeId new_source, new_destination;
};

/// Calls f(MovedMessage) once for every message with an end in `move`. `mapping` is the mapping before the move.
template <class F>
void for_each_moved_message(const Problem& problem, const Mapping& mapping, const Move& move, F&& f) {
    for (std::size_t i = 0; i < move.size(); ++i) {
        const Relocation& moved = move[i];
        for (const IncidentMessage& m : problem.incident(moved.rank)) {
            NodeId old_partner = mapping.node(m.partner);
            NodeId new_partner = old_partner;
            bool seen = false;
            for (std::size_t j = 0; j < move.size(); ++j) {
                if (move[j].rank == m.partner) {
                    new_partner = move[j].to_node;
                    seen = j < i;  // counted from its other end
                }
            }
            if (seen) continue;
            if (m.outgoing()) {
                f(MovedMessage{m.set(), m.size_bytes, moved.from_node, old_partner, moved.to_node, new_partner});
            } else {
                f(MovedMessage{m.set(), m.size_bytes, old_partner, moved.from_node, new_partner, moved.to_node});
            }
        }
    }
}

}  // namespace haichi
