#include "objectives/collisions.h"

#include <algorithm>

namespace haichi {

Collisions::Collisions(const Problem& problem, std::size_t dense_budget_bytes)
    : problem_(&problem), classes_(problem.class_count()), dense_budget_bytes_(dense_budget_bytes), counts_(0, 0) {
    std::size_t size = 0;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        set_bytes_.push_back(problem.set_largest_bytes(t));
        for (std::size_t c = 0; c < classes_; ++c) {
            groups_.push_back({.histogram_first = size});
            size += static_cast<std::size_t>(problem.set_message_count(t)) + 1;
        }
    }
    histogram_.assign(size, 0);
    fallen_.resize(groups_.size());
}

void Collisions::clear() {
    counts_ = LinkCounts(problem_->set_count(), static_cast<std::size_t>(problem_->network().link_count()),
                         dense_budget_bytes_);
    std::ranges::fill(histogram_, 0U);
    for (Group& group : groups_) group = {.histogram_first = group.histogram_first};
    excess_ = 0;
    begun_.clear();
    noted_ = taken_ = 0;
    ++trial_;
}

/// The largest count of a group after a trial has emptied the highest level of the histogram. No link with added
/// messages has more than trial.most messages. Above trial.most, only removals have changed the levels.
std::int64_t Collisions::fallen_largest_of(std::size_t number) const {
    const Group& group = groups_[number];
    const std::uint32_t lowest = std::max(group.trial.most, 1U);
    Fallen& fallen = fallen_[number];
    if (fallen.trial != trial_ || fallen.taken != taken_) fallen = {trial_, taken_, level_left_in(number)};
    if (fallen.level > lowest) return fallen.level;
    const bool any = static_cast<std::int64_t>(group.used) + group.trial.used > 0;
    return any ? lowest : 0;
}

/// The largest level below the group's largest count on which the trial leaves a link; at least 1. When a rank with
/// very many partners moves, there may be as many levels as messages.
std::uint32_t Collisions::level_left_in(std::size_t number) const {
    const Group& group = groups_[number];
    std::uint32_t came = group.trial.at_top;  // links that fell from the level above
    std::uint32_t went = group.trial.below_top;
    taken_from_.clear();
    for (std::uint32_t level = group.largest - 1; level > 1; --level) {
        if (histogram_[group.histogram_first + level] + came > went) return level;
        if (taken_from_.empty()) {  // usually the first level still has a link
            taken_from_.assign(group.largest, 0);
            for (std::size_t i = 0; i < taken_; ++i) {
                const Note& note = notes_[i];
                if (note.group == number && note.count + 1 < group.largest) ++taken_from_[note.count + 1];
            }
        }
        came = went;
        went = taken_from_[level];
    }
    return 1;
}

void Collisions::keep() {
    for (const std::size_t set : begun_) {
        for (std::size_t number = set * classes_; number < (set + 1) * classes_; ++number) {
            const auto largest = static_cast<std::uint32_t>(largest_of(number));
            groups_[number].trial.most = std::max(largest, 1U);
        }
    }
    for (std::size_t i = 0; i < noted_; ++i) {
        const Note& note = notes_[i];
        if (note.count < 2) continue;
        std::uint32_t* const histogram = &histogram_[groups_[note.group].histogram_first];
        const bool is_taken = i < taken_;
        histogram[note.count] += is_taken ? -1 : 1;
        histogram[note.count - 1] += is_taken ? 1 : -1;
    }
    for (const std::size_t set : begun_) {
        for (std::size_t number = set * classes_; number < (set + 1) * classes_; ++number) {
            Group& group = groups_[number];
            group.largest = group.trial.most;
            group.used += static_cast<std::uint32_t>(group.trial.used);
        }
    }
    end_trial();
}

void Collisions::drop() {
    counts_.with_counters([&](auto counters) {
        for (std::size_t i = 0; i < taken_; ++i) counters.increment(notes_[i].place);
        for (std::size_t i = taken_; i < noted_; ++i) counters.decrement(notes_[i].place);
    });
    for (const std::size_t set : begun_) {
        for (std::size_t number = set * classes_; number < (set + 1) * classes_; ++number) {
            excess_ -= groups_[number].trial.shared * set_bytes_[set];
        }
    }
    end_trial();
}

void Collisions::end_trial() {
    for (const std::size_t set : begun_) {
        for (std::size_t c = 0; c < classes_; ++c) groups_[set * classes_ + c].trial = {};
    }
    begun_.clear();
    noted_ = taken_ = 0;
    ++trial_;
}

}  // namespace haichi
