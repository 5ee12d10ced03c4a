#include "objectives/tac3_bytes.h"

#include <algorithm>

namespace haichi {

namespace {

std::vector<std::int32_t> number_mixed_sets(const Problem& problem) {
    std::vector<std::int32_t> numbers;
    std::int32_t next = 0;
    for (std::size_t t = 0; t < problem.set_count(); ++t) numbers.push_back(problem.set_is_uniform(t) ? -1 : next++);
    return numbers;
}

SetLoads loads_of_mixed_sets(const Problem& problem, const std::vector<std::int32_t>& numbers) {
    const auto mixed = static_cast<std::size_t>(std::ranges::count_if(numbers, [](auto n) { return n >= 0; }));
    return {mixed, static_cast<std::size_t>(problem.network().link_count())};
}

/// The lower bound of one set, in scaled bytes.
std::int64_t bound_of_set(const Problem& problem, std::size_t t, std::vector<std::int64_t>& sent,
                          std::vector<std::int64_t>& received) {
    std::int64_t bytes = problem.unavoidable_bytes(t);
    if (problem.ranks_per_node() == 1) {
        const std::int64_t degree = std::max(problem.network().largest_out_degree(), 1);
        const auto messages = problem.workload().messages(t);
        for (const Message& m : messages) {
            if (!m.crosses_network()) continue;
            bytes = std::max(bytes, ((sent[m.source.index()] += m.size_bytes) + degree - 1) / degree);
            bytes = std::max(bytes, ((received[m.destination.index()] += m.size_bytes) + degree - 1) / degree);
        }
        for (const Message& m : messages) sent[m.source.index()] = received[m.destination.index()] = 0;
        // Loads of a set with equal messages are integer multiples of their size.
        const std::int64_t unit = problem.set_is_uniform(t) ? problem.set_largest_bytes(t) : 1;
        if (unit > 0) bytes = (bytes + unit - 1) / unit * unit;
    }
    return bytes * problem.smallest_scale();
}

}  // namespace

LoadCost::LoadCost(const Problem& problem)
    : problem_(&problem),
      collisions_(problem),
      mixed_number_(number_mixed_sets(problem)),
      mixed_loads_(loads_of_mixed_sets(problem, mixed_number_)) {
    std::vector<std::int64_t> sent(static_cast<std::size_t>(problem.rank_count()), 0);
    std::vector<std::int64_t> received(sent);
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        bound_.push_back(bound_of_set(problem, t, sent, received));
    }
}

void LoadCost::clear() {
    collisions_.clear();
    changes_.clear();
    mixed_loads_ = loads_of_mixed_sets(*problem_, mixed_number_);
}

std::int64_t LoadCost::scaled_load(std::size_t set, LinkId link) const {
    const std::int32_t mixed = mixed_number_[set];
    if (mixed >= 0) return mixed_loads_.load(static_cast<std::size_t>(mixed), link.index());
    return problem_->set_largest_bytes(set) * collisions_.count(set, link) * problem_->link_scale(link);
}

}  // namespace haichi
