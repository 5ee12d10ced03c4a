#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// A rank slot: slot s belongs to node s / ranks_per_node.
using SlotId = StrongId<struct SlotTag>;

/// The move of one rank from its slot to another.
struct Relocation {
    RankId rank;
    SlotId from_slot;
    SlotId to_slot;
    NodeId from_node;
    NodeId to_node;
};

/// A change of a mapping: a move to an empty slot (one relocation), a swap (two) or a longer rotation, with at most
/// kMost relocations. The relocations have distinct ranks. Every target slot is empty or vacated by another relocation
/// of the same move.
///
/// A plain value whose functions are always inlined. Every evaluation makes a Move, which stays in registers.
class Move {
  public:
    static constexpr std::size_t kMost = 4;

    /// Requires size() < kMost.
    [[gnu::always_inline]] inline void push_back(const Relocation& relocation) { items_[size_++] = relocation; }
    [[gnu::always_inline]] inline void clear() { size_ = 0; }

    [[nodiscard, gnu::always_inline]] inline std::size_t size() const { return size_; }
    [[nodiscard, gnu::always_inline]] inline bool empty() const { return size_ == 0; }
    [[nodiscard, gnu::always_inline]] inline const Relocation& operator[](std::size_t i) const { return items_[i]; }
    [[nodiscard, gnu::always_inline]] inline Relocation& operator[](std::size_t i) { return items_[i]; }
    [[nodiscard, gnu::always_inline]] inline const Relocation* begin() const { return items_.data(); }
    [[nodiscard, gnu::always_inline]] inline const Relocation* end() const { return items_.data() + size_; }
    [[nodiscard, gnu::always_inline]] inline Relocation* begin() { return items_.data(); }
    [[nodiscard, gnu::always_inline]] inline Relocation* end() { return items_.data() + size_; }

  private:
    std::array<Relocation, kMost> items_;
    std::size_t size_ = 0;
};

/// An injective function from ranks to slots. Empty slots are allowed. A value type.
class Mapping {
  public:
    Mapping() = default;
    /// Creates a mapping without placed ranks. Throws OptionError when there are more ranks than slots.
    Mapping(std::int32_t rank_count, std::int32_t node_count, std::int32_t ranks_per_node);

    /// Makes a mapping in which ranks take the slots of their nodes in rank order. Throws OptionError naming the rank
    /// when its node is out of range or already has ranks_per_node ranks.
    static Mapping from_nodes(std::span<const NodeId> node_of_rank, std::int32_t node_count,
                              std::int32_t ranks_per_node);

    void place(RankId rank, SlotId slot) {
        slot_of_rank_[rank.index()] = slot;
        node_of_rank_[rank.index()] = node_of_slot(slot);
        rank_of_slot_[slot.index()] = rank;
    }
    void apply(const Move& move) {
        for (const Relocation& r : move) rank_of_slot_[r.from_slot.index()] = RankId();
        for (const Relocation& r : move) {
            slot_of_rank_[r.rank.index()] = r.to_slot;
            node_of_rank_[r.rank.index()] = r.to_node;
            rank_of_slot_[r.to_slot.index()] = r.rank;
        }
    }
    void undo(const Move& move) {
        for (const Relocation& r : move) rank_of_slot_[r.to_slot.index()] = RankId();
        for (const Relocation& r : move) {
            slot_of_rank_[r.rank.index()] = r.from_slot;
            node_of_rank_[r.rank.index()] = r.from_node;
            rank_of_slot_[r.from_slot.index()] = r.rank;
        }
    }

    [[nodiscard]] NodeId node(RankId rank) const { return node_of_rank_[rank.index()]; }
    [[nodiscard]] SlotId slot(RankId rank) const { return slot_of_rank_[rank.index()]; }
    /// The rank in a slot; an invalid id for an empty slot.
    [[nodiscard]] RankId rank(SlotId slot) const { return rank_of_slot_[slot.index()]; }
    [[nodiscard, gnu::always_inline]] inline NodeId node_of_slot(SlotId slot) const {
        // Every proposal calls this, and a division takes ten cycles. The high half of 2 slot * (2^63 / r + 1) is slot
        // / r. The rounding adds less than slot * r / 2^63, and both are at most 2^30.
        const auto product = static_cast<unsigned __int128>(2 * slot.index()) * inverse_ranks_per_node_;
        return NodeId(static_cast<std::size_t>(product >> 64));
    }
    [[nodiscard]] std::span<const NodeId> node_of_rank() const { return node_of_rank_; }

    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(slot_of_rank_.size()); }
    [[nodiscard]] std::int32_t slot_count() const { return static_cast<std::int32_t>(rank_of_slot_.size()); }
    [[nodiscard]] std::int32_t node_count() const { return slot_count() / ranks_per_node_; }
    [[nodiscard]] std::int32_t ranks_per_node() const { return ranks_per_node_; }

    friend bool operator==(const Mapping&, const Mapping&) = default;

  private:
    static constexpr std::uint64_t inverse(std::int32_t ranks_per_node) {
        return (std::uint64_t{1} << 63) / static_cast<std::uint64_t>(ranks_per_node) + 1;
    }

    std::int32_t ranks_per_node_ = 1;
    std::uint64_t inverse_ranks_per_node_ = inverse(1);
    std::vector<SlotId> slot_of_rank_;
    std::vector<NodeId> node_of_rank_;
    std::vector<RankId> rank_of_slot_;
};

/// The move of `rank` to `slot`, which swaps it with the rank in that slot, if any. Empty when the slot is on the
/// rank's own node, because no node would change.
[[gnu::always_inline]] inline Move move_to_slot(const Mapping& mapping, RankId rank, SlotId slot) {
    Move move;
    const NodeId from = mapping.node(rank);
    const NodeId to = mapping.node_of_slot(slot);
    if (from == to) return move;
    const SlotId from_slot = mapping.slot(rank);
    move.push_back({rank, from_slot, slot, from, to});
    if (const RankId other = mapping.rank(slot); other.valid()) move.push_back({other, slot, from_slot, to, from});
    return move;
}

}  // namespace haichi
