#pragma once

#include <vector>

#include "objectives/link_counts.h"
#include "objectives/objective.h"

namespace haichi {

/// For every set, how many of its messages cross each link, and the largest such count (the contention), kept message
/// by message. With links of different bandwidth there is a largest count per bandwidth class. Also keeps the excess:
/// sum over sets and links of (messages - 1) * the set's largest message, which still sees improvements where the
/// maximum is flat.
///
/// Changes are tried first: begin() the sets, take() routes away, then bring() others, and keep() all that or drop()
/// it. A trial only counts and notes what the links had; most are dropped. The histogram of counts, from which the
/// largest one is known when it falls, changes when a trial is kept.
class Collisions {
  public:
    explicit Collisions(const Problem& problem, std::size_t dense_budget_bytes = LinkCounts::kDenseBudgetBytes);

    /// No message on any link; to be called before the first. Takes the memory for the counters.
    void clear();
    /// A message more, for good.
    void add(std::size_t set, std::span<const LinkId> links) {
        begin(set);
        bring(set, links);
        keep();
    }

    /// The trial changes this set; once per trial.
    void begin(std::size_t set) { begun_.push_back(set); }
    /// Asks for the counters early.
    void prefetch(std::size_t set, std::span<const LinkId> links) const {
        for (const LinkId link : links) counts_.prefetch(set, link.index());
    }
    void take(std::size_t set, std::span<const LinkId> links) {
        change(set, links, [](auto counters, Trial& trial, std::uint32_t largest, std::size_t place) {
            const std::uint32_t before = counters.decrement(place);
            // No branches: how many messages a link has is anybody's guess.
            trial.at_top += before == largest ? 1 : 0;
            trial.below_top += before + 1 == largest ? 1 : 0;
            trial.used -= before == 1 ? 1 : 0;
            trial.shared -= before > 1 ? 1 : 0;
            return before;
        });
        taken_ = noted_;
    }
    /// When all are taken.
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

    /// Largest count * link scale of the set: its contention where all links are equal. As the trial has it.
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
    /// What a trial changes in a group.
    struct Trial {
        std::uint32_t at_top = 0;     ///< links that had the largest count when they were taken from
        std::uint32_t below_top = 0;  ///< that had one less
        std::uint32_t most = 0;       ///< count of those that were brought to
        std::int32_t used = 0;        ///< more links with a message
        std::int64_t shared = 0;      ///< more messages that are not their link's first
    };
    /// Of a set the links of one class.
    struct Group {
        std::size_t histogram_first = 0;
        std::uint32_t largest = 1;  ///< count, at least 1
        std::uint32_t used = 0;     ///< links with a message
        Trial trial{};
    };
    /// A link that a trial took from, with its count before, or brought to, with its count after.
    struct Note {
        std::size_t place = 0;  ///< of its counter
        std::uint32_t count = 0;
        std::uint32_t group = 0;
    };

    /// What level_left_in() was when a trial had taken so much: it is asked for after each route that is brought.
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
                Trial trial = group.trial;  // in registers: the bytes of counters could be anyone's
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

    /// As the trial has it.
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
    /// [count] = links of that group with that count, from 2 on: those with 1 are told by `used`.
    std::vector<std::uint32_t> histogram_;
    std::vector<std::int64_t> set_bytes_;
    std::int64_t excess_ = 0;
    // Of the trial:
    std::vector<std::size_t> begun_;
    std::vector<Note> notes_;  ///< the first noted_; of those the first taken_ of routes taken away
    std::size_t noted_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t trial_ = 1;
    mutable std::vector<Fallen> fallen_;             ///< of the groups
    mutable std::vector<std::uint32_t> taken_from_;  ///< by level, in level_left_in()
};

}  // namespace haichi
