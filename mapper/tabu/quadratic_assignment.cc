#include "mapper/tabu/quadratic_assignment.h"

#include <algorithm>
#include <numeric>

namespace haichi {

QuadraticAssignment::QuadraticAssignment(const Problem& problem)
    : rank_count_(problem.rank_count()),
      node_count_(problem.node_count()),
      ranks_per_node_(problem.ranks_per_node()),
      rank_of_task_(problem.communicating_ranks().begin(), problem.communicating_ranks().end()) {
    active_ = static_cast<std::int32_t>(rank_of_task_.size());
    std::vector<std::int32_t> task_of_rank(static_cast<std::size_t>(rank_count_), -1);
    for (std::int32_t task = 0; task < active_; ++task) {
        task_of_rank[rank_of_task_[static_cast<std::size_t>(task)].index()] = task;
    }
    for (std::int32_t rank = 0; rank < rank_count_; ++rank) {
        if (task_of_rank[static_cast<std::size_t>(rank)] < 0) rank_of_task_.emplace_back(rank);
    }
    for (std::int32_t slot = 0; slot < node_count_ * ranks_per_node_; ++slot) {
        const bool usable = problem.is_open(SlotId(slot));
        place_of_slot_.push_back(usable ? size() : -1);
        if (usable) slot_of_place_.emplace_back(slot);
    }

    const std::size_t n = slot_of_place_.size();
    distance_.resize(n * n);
    std::int64_t longest = 1;
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            const NodeId from(slot_of_place_[a].value / ranks_per_node_);
            const NodeId to(slot_of_place_[b].value / ranks_per_node_);
            distance_[a * n + b] = problem.hop_distance()(from, to);
            longest = std::max<std::int64_t>(longest, distance_[a * n + b]);
        }
    }

    flow_.resize(n * n);
    std::int64_t divisor = 0;
    for (std::int32_t task = 0; task < active_; ++task) {
        for (const Flow& flow : problem.flows(rank_of_task_[static_cast<std::size_t>(task)])) {
            divisor = std::gcd(divisor, flow.size_bytes);
        }
    }
    bytes_per_unit_ = std::max<std::int64_t>(divisor, 1);
    std::int64_t most = 1;  // largest number of units of a task
    for (std::int32_t task = 0; task < active_; ++task) {
        std::int64_t units = 0;
        for (const Flow& flow : problem.flows(rank_of_task_[static_cast<std::size_t>(task)])) {
            flow_[row(task) + static_cast<std::size_t>(task_of_rank[flow.partner.index()])] =
                flow.size_bytes / bytes_per_unit_;
            units += flow.size_bytes / bytes_per_unit_;
        }
        most = std::max(most, units);
    }
    // A change is at most 2 * most * longest, a product at most twice that.
    fits_32_bits_ = most < INT32_MAX / 8 / longest;
}

Assignment QuadraticAssignment::assignment(const Mapping& mapping) const {
    Assignment assignment(slot_of_place_.size(), -1);
    std::vector<bool> taken(slot_of_place_.size());
    for (std::size_t task = 0; task < rank_of_task_.size(); ++task) {
        const std::int32_t place = place_of_slot_[mapping.slot(rank_of_task_[task]).index()];
        assignment[task] = place;
        taken[static_cast<std::size_t>(place)] = true;
    }
    std::size_t next = 0;
    for (std::size_t task = rank_of_task_.size(); task < assignment.size(); ++task, ++next) {
        while (taken[next]) ++next;
        assignment[task] = static_cast<std::int32_t>(next);
    }
    return assignment;
}

Mapping QuadraticAssignment::mapping(const Assignment& assignment) const {
    Mapping mapping(rank_count_, node_count_, ranks_per_node_);
    for (std::size_t task = 0; task < rank_of_task_.size(); ++task) {
        mapping.place(rank_of_task_[task], slot_of_place_[static_cast<std::size_t>(assignment[task])]);
    }
    return mapping;
}

std::int64_t QuadraticAssignment::cost(const Assignment& assignment) const {
    std::int64_t sum = 0;
    for (std::int32_t a = 0; a < active_; ++a) {
        const std::int32_t* distances = distance(assignment[static_cast<std::size_t>(a)]);
        for (std::int32_t b = a + 1; b < active_; ++b) {
            sum += flow(a)[b] * distances[assignment[static_cast<std::size_t>(b)]];
        }
    }
    return sum;
}

}  // namespace haichi
