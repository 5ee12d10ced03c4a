#pragma once

#include <vector>

#include "objectives/link_counts.h"
#include "objectives/objective.h"

namespace haichi {

/// For every set, how many of its messages cross each link, and the largest such count (the contention), kept message
/// by message. The largest count comes from a histogram of the counts, so an update is O(1). With links of different
/// bandwidth there is a histogram per bandwidth class. Also keeps the excess: sum over sets and links of
/// (messages - 1) * the set's largest message, which still sees improvements where the maximum is flat.
class Collisions {
  public:
    explicit Collisions(const Problem& problem, std::size_t dense_budget_bytes = LinkCounts::kDenseBudgetBytes);

    /// No message on any link; to be called before the first. Takes the memory for the counters.
    void clear();
    void add(std::size_t set, std::span<const LinkId> links) {
        std::int64_t shared = 0;
        for (const LinkId link : links) {
            const std::size_t group = group_of(set, link);
            const std::uint32_t count = counts_.increment(set, link.index());
            if (count == 1) {
                ++used_[group];
                continue;
            }
            std::uint32_t* histogram = &histogram_[histogram_first_[group]];
            --histogram[count - 1];
            ++histogram[count];
            if (count > largest_[group]) largest_[group] = count;
            ++shared;
        }
        excess_ += shared * set_bytes_[set];
    }
    void remove(std::size_t set, std::span<const LinkId> links) {
        std::int64_t shared = 0;
        for (const LinkId link : links) {
            const std::size_t group = group_of(set, link);
            const std::uint32_t count = counts_.decrement(set, link.index());
            if (count == 1) {
                --used_[group];
                continue;
            }
            std::uint32_t* histogram = &histogram_[histogram_first_[group]];
            --histogram[count];
            ++histogram[count - 1];
            // The link that left the top stands one lower now, so the maximum falls by one at most.
            if (histogram[count] == 0 && count == largest_[group]) --largest_[group];
            ++shared;
        }
        excess_ -= shared * set_bytes_[set];
    }

    /// Largest count * link scale of the set: its contention where all links are equal.
    [[nodiscard]] std::int64_t largest_scaled(std::size_t set) const {
        std::int64_t largest = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            const std::size_t group = set * classes_ + c;
            const std::int64_t count = used_[group] == 0 ? 0 : largest_[group];
            largest = std::max(largest, count * problem_->class_scale(c));
        }
        return largest;
    }
    [[nodiscard]] std::uint32_t count(std::size_t set, LinkId link) const { return counts_.get(set, link.index()); }
    [[nodiscard]] std::int64_t excess() const { return excess_; }

  private:
    [[nodiscard]] std::size_t group_of(std::size_t set, LinkId link) const {
        return classes_ == 1 ? set : set * classes_ + problem_->link_class(link);
    }

    const Problem* problem_;
    std::size_t classes_;
    std::size_t dense_budget_bytes_;
    LinkCounts counts_;
    std::vector<std::size_t> histogram_first_;  ///< per (set, class)
    /// [count] = links of that class with that count, exact from 2 on: most links hold 0 or 1, and touching one counter
    /// for all of them would make every update wait for the last.
    std::vector<std::uint32_t> histogram_;
    std::vector<std::uint32_t> largest_;  ///< per (set, class), at least 1
    std::vector<std::uint32_t> used_;     ///< per (set, class): links with a message
    std::vector<std::int64_t> set_bytes_;
    std::int64_t excess_ = 0;
};

}  // namespace haichi
