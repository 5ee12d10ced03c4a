#pragma once

#include <cstdint>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// The place of each task, a permutation of 0 .. size - 1.
using Assignment = std::vector<std::int32_t>;

/// hop-bytes as a quadratic assignment problem (Koopmans, Beckmann 1957). Places are the usable slots. Tasks are the
/// communicating ranks, the silent ranks, and an idle task for every remaining slot. The cost is the sum over pairs of
/// tasks of flow * distance, in units of `bytes_per_unit` byte-hops. Only for networks with symmetric hops. Memory: 12
/// bytes for every pair of slots.
class QuadraticAssignment {
  public:
    explicit QuadraticAssignment(const Problem& problem);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(slot_of_place_.size()); }
    /// Tasks 0 .. active() - 1 exchange bytes, the others do not.
    [[nodiscard]] std::int32_t active() const { return active_; }
    /// Units that two tasks exchange; 0 on the diagonal.
    [[nodiscard]] const std::int64_t* flow(std::int32_t task) const { return flow_.data() + row(task); }
    /// Hops between two places; 0 on the diagonal and between slots of one node.
    [[nodiscard]] const std::int32_t* distance(std::int32_t place) const { return distance_.data() + row(place); }
    [[nodiscard]] std::int64_t bytes_per_unit() const { return bytes_per_unit_; }
    /// Whether every change by a swap, and every intermediate product, is below 2^31.
    [[nodiscard]] bool fits_32_bits() const { return fits_32_bits_; }

    [[nodiscard]] Assignment assignment(const Mapping& mapping) const;
    [[nodiscard]] Mapping mapping(const Assignment& assignment) const;
    /// Full evaluation by the definition.
    [[nodiscard]] std::int64_t cost(const Assignment& assignment) const;

  private:
    [[nodiscard]] std::size_t row(std::int32_t index) const {
        return static_cast<std::size_t>(index) * slot_of_place_.size();
    }

    std::int32_t rank_count_;
    std::int32_t node_count_;
    std::int32_t ranks_per_node_;
    std::int32_t active_ = 0;
    std::int64_t bytes_per_unit_ = 1;
    bool fits_32_bits_ = false;
    std::vector<RankId> rank_of_task_;  ///< idle tasks have no rank
    std::vector<SlotId> slot_of_place_;
    std::vector<std::int32_t> place_of_slot_;  ///< -1 for slots of faulty nodes
    std::vector<std::int64_t> flow_;
    std::vector<std::int32_t> distance_;
};

}  // namespace haichi
