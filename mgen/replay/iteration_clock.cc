#include "mgen/replay/iteration_clock.h"

#include <algorithm>
#include <cstdlib>

namespace haichi {

IterationClock::IterationClock(std::int32_t ranks, std::int64_t iterations, const SimulatedIterations& simulated,
                               bool may_repeat)
    : ranks_(ranks),
      iterations_(iterations),
      most_(simulated.rule != SimulatedIterations::Rule::kAll && simulated.count > 0
                ? std::min(simulated.count, iterations)
                : iterations),
      by_time_(simulated.rule == SimulatedIterations::Rule::kAuto),
      may_repeat_(may_repeat) {}

void IterationClock::finish(std::int64_t iteration, std::int64_t now_ps) {
    const std::lock_guard lock(mutex_);
    const auto at = static_cast<std::size_t>(iteration - first_open_);
    if (at >= open_.size()) open_.resize(at + 1);
    Open& entry = open_[at];
    entry.last_ps = std::max(entry.last_ps, now_ps);
    ++entry.ranks;
    // Every rank finishes its iterations in order, so the iterations end in order.
    while (!open_.empty() && open_.front().ranks == ranks_) {
        end_iteration(open_.front().last_ps);
        open_.pop_front();
        ++first_open_;
    }
}

void IterationClock::end_iteration(std::int64_t end_ps) {
    if (is_settled()) return;
    if (ends_.size() == kWindow + 1) ends_.erase(ends_.begin());
    ends_.push_back(end_ps);
    done_.store(done() + 1, std::memory_order_relaxed);
    const bool has_settled = by_time_ && (repeats() || mean_settles(end_ps));
    if (done() == most_ / 2) half_ps_ = end_ps;
    if (done() == most_ && !has_settled) reached_limit_ = by_time_ && most_ < iterations_;
    if (done() == most_ || has_settled) is_settled_.store(true, std::memory_order_relaxed);
}

bool IterationClock::repeats() const {
    if (!may_repeat_ || done() < kLeast) return false;
    std::int64_t shortest = ends_[1] - ends_[0];
    std::int64_t longest = shortest;
    for (std::size_t k = 1; k + 1 < ends_.size(); ++k) {
        shortest = std::min(shortest, ends_[k + 1] - ends_[k]);
        longest = std::max(longest, ends_[k + 1] - ends_[k]);
    }
    constexpr std::int64_t kPerMille = 1000;
    return longest - shortest <= longest / kPerMille;
}

bool IterationClock::mean_settles(std::int64_t end_ps) {
    if (done() % quarter_ != 0) return false;
    quarters_.push_back(end_ps);
    if (quarters_.size() < 5) return false;
    const std::int64_t third_ps = quarters_[3] - quarters_[2];
    const std::int64_t fourth_ps = quarters_[4] - quarters_[3];
    constexpr std::int64_t kPerCent = 100;
    settled_by_mean_ = std::abs(third_ps - fourth_ps) <= third_ps / kPerCent;
    // Otherwise, the number of iterations doubles, and the four quarters become the first two.
    if (!settled_by_mean_) quarters_ = {0, quarters_[2], quarters_[4]};
    if (!settled_by_mean_) quarter_ *= 2;
    return settled_by_mean_;
}

std::optional<double> IterationClock::seconds() const {
    if (done() == 0) return std::nullopt;
    constexpr double kPsPerS = 1e12;
    std::int64_t span_ps = ends_.back() - ends_.front();
    auto count = static_cast<std::int64_t>(ends_.size() - 1);
    if (settled_by_mean_) {
        span_ps = quarters_[4] - quarters_[2];
        count = 2 * quarter_;
    } else if (reached_limit_ || (!may_repeat_ && done() == most_)) {
        span_ps = ends_.back() - half_ps_;
        count = most_ - most_ / 2;
    }
    const double mean_ps = static_cast<double>(span_ps) / static_cast<double>(count);
    return (static_cast<double>(ends_.back()) + static_cast<double>(iterations_ - done()) * mean_ps) / kPsPerS;
}

}  // namespace haichi
