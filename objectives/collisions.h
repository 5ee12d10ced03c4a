#pragma once

#include <vector>

#include "objectives/link_counts.h"
#include "objectives/objective.h"

namespace haichi {

/// Counts, for every set, how many of its messages cross each link, and keeps the largest count (the contention)
/// message by message. Links of different bandwidth have one largest count per bandwidth class. Also keeps a smoothing
/// term, excess(): the sum over sets and links of (messages - 1) * the set's largest message. The term still shows
/// improvements if the maximum does not change.
///
/// Changes are made as trials. Call begin() for each set, take() for removed routes, bring() for added routes, then
/// keep() or drop() for the whole trial. Most trials are dropped, so a trial only updates link counts and records the
/// previous ones. A histogram of counts gives the new largest count after it falls. The histogram changes only when a
/// trial is kept.
class Collisions {
  public:
    explicit Collisions(const Problem& problem, std::size_t dense_budget_bytes = LinkCounts::kDenseBudgetBytes);

    /// Removes all messages from all links and allocates the counters. Must be called before any other function.
    void clear();
    /// Adds a message permanently.
    void add(std::size_t set, std::span<const LinkId> links) {
        begin(set);
        bring(set, links);
        keep();
    }

    /// Announces that the trial changes this set. Must be called once per set and trial.
    void begin(std::size_t set) { begun_.push_back(set); }
    /// Prefetches the counters.
    void prefetch(std::size_t set, std::span<const LinkId> links) const {
        for (const LinkId link : links) counts_.prefetch(set, link.index());
    }
    void take(std::size_t set, std::span<const LinkId> links) {
        change(set, links, [](auto counters, Trial& trial, std::uint32_t largest, std::size_t place) {
            const std::uint32_t before = counters.decrement(place);
            // No branches: the number of messages on a link is unpredictable.
            trial.at_top += before == largest ? 1 : 0;
            trial.below_top += before + 1 == largest ? 1 : 0;
            trial.used -= before == 1 ? 1 : 0;
            trial.shared -= before > 1 ? 1 : 0;
            return before;
        });
        taken_ = noted_;
    }
    /// Adds a route. Must be called after all take() calls of the trial.
    void bring(std::size_t set, std::span<const LinkId> links) {
        change(set, links, [](auto counters, Trial& trial, std::uint32_t, std::size_t place) {
            const std::uint32_t after = counters.increment(place);
            trial.most = std::max(trial.most, after);
            trial.used += after == 1 ? 1 : 0;
            trial.shared += after > 1 ? 1 : 0;
            return after;
        });
    }
    void keep();
    void drop();

    /// Largest count * link scale of the set in the current trial. With equal links this is the contention.
    [[nodiscard]] std::int64_t largest_scaled(std::size_t set) const {
        std::int64_t largest = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            largest = std::max(largest, largest_of(set * classes_ + c) * problem_->class_scale(c));
        }
        return largest;
    }
    [[nodiscard]] std::uint32_t count(std::size_t set, LinkId link) const { return counts_.get(set, link.index()); }
    [[nodiscard]] std::int64_t excess() const { return excess_; }

  private:
    /// Changes of a trial in one group.
    struct Trial {
        std::uint32_t at_top = 0;     ///< links that had the largest count before a removal
        std::uint32_t below_top = 0;  ///< links that had one message less
        std::uint32_t most = 0;       ///< largest count of links with added messages
        std::int32_t used = 0;        ///< change in the number of links with a message
        std::int64_t shared = 0;      ///< change in the number of messages beyond the first of their link
    };
    /// The links of one class in one set.
    struct Group {
        std::size_t histogram_first = 0;
        std::uint32_t largest = 1;  ///< largest count, at least 1
        std::uint32_t used = 0;     ///< links with a message
        Trial trial{};
    };
    /// A counter that a trial changed: its count before a removal, or after an addition.
    struct Note {
        std::size_t place = 0;  ///< index of the counter
        std::uint32_t count = 0;
        std::uint32_t group = 0;
    };

    /// A cached result of level_left_in(), valid for a trial with this many removals. It is needed after each added
    /// route.
    struct Fallen {
        std::uint64_t trial = 0;
        std::size_t taken = 0;
        std::uint32_t level = 1;
    };

    template <class F>
    [[gnu::always_inline]] inline void change(std::size_t set, std::span<const LinkId> links, F&& f) {
        if (notes_.size() < noted_ + links.size()) notes_.resize(2 * (noted_ + links.size()));
        Note* note = notes_.data() + noted_;
        noted_ += links.size();
        const std::size_t sets = problem_->set_count();
        std::int64_t shared = 0;
        counts_.with_counters([&](auto counters) __attribute__((always_inline)) {
            if (classes_ == 1) {
                Group& group = groups_[set];
                const std::uint32_t largest = group.largest;
                Trial trial = group.trial;  // in registers, because the counters' bytes may alias anything
                shared = -trial.shared;
                for (const LinkId link : links) {
                    const std::size_t place = link.index() * sets + set;
                    *note++ = {place, f(counters, trial, largest, place), static_cast<std::uint32_t>(set)};
                }
                shared += trial.shared;
                group.trial = trial;
                return;
            }
            for (const LinkId link : links) {
                const std::size_t place = link.index() * sets + set;
                const std::size_t number = set * classes_ + problem_->link_class(link);
                Group& group = groups_[number];
                shared -= group.trial.shared;
                *note++ = {place, f(counters, group.trial, group.largest, place), static_cast<std::uint32_t>(number)};
                shared += group.trial.shared;
            }
        });
        excess_ += shared * set_bytes_[set];
    }

    /// Largest count of the group in the current trial.
    [[nodiscard]] std::int64_t largest_of(std::size_t number) const {
        const Group& group = groups_[number];
        const Trial& trial = group.trial;
        if (trial.most >= group.largest) return trial.most;
        if (group.largest > 1 && histogram_[group.histogram_first + group.largest] > trial.at_top) return group.largest;
        return fallen_largest_of(number);
    }
    [[nodiscard]] std::int64_t fallen_largest_of(std::size_t number) const;
    [[nodiscard]] std::uint32_t level_left_in(std::size_t number) const;
    void end_trial();

    const Problem* problem_;
    std::size_t classes_;
    std::size_t dense_budget_bytes_;
    LinkCounts counts_;
    std::vector<Group> groups_;  ///< per (set, class)
    /// Entry [count] is the number of links of the group with that count, for counts from 2. `used` gives the number
    /// for 1.
    std::vector<std::uint32_t> histogram_;
    std::vector<std::int64_t> set_bytes_;
    std::int64_t excess_ = 0;
    // State of the current trial:
    std::vector<std::size_t> begun_;
    std::vector<Note> notes_;  ///< the first noted_ are valid; the first taken_ of them are removals
    std::size_t noted_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t trial_ = 1;
    mutable std::vector<Fallen> fallen_;             ///< per group
    mutable std::vector<std::uint32_t> taken_from_;  ///< per level, in level_left_in()
};

}  // namespace haichi
