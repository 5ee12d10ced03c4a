#include "objectives/collisions.h"

#include <algorithm>

namespace haichi {

Collisions::Collisions(const Problem& problem, std::size_t dense_budget_bytes)
    : problem_(&problem), classes_(problem.class_count()), dense_budget_bytes_(dense_budget_bytes), counts_(0, 0) {
    std::size_t size = 0;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        set_bytes_.push_back(problem.set_largest_bytes(t));
        for (std::size_t c = 0; c < classes_; ++c) {
            histogram_first_.push_back(size);
            size += static_cast<std::size_t>(problem.set_message_count(t)) + 1;
        }
    }
    histogram_.assign(size, 0);
    largest_.assign(histogram_first_.size(), 1);
    used_.assign(histogram_first_.size(), 0);
}

void Collisions::clear() {
    counts_ = LinkCounts(problem_->set_count(), static_cast<std::size_t>(problem_->network().link_count()),
                         dense_budget_bytes_);
    std::ranges::fill(histogram_, 0U);
    std::ranges::fill(largest_, 1U);
    std::ranges::fill(used_, 0U);
    excess_ = 0;
}

}  // namespace haichi
