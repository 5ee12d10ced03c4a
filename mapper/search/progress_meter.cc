#include "mapper/search/progress_meter.h"

#include <algorithm>

namespace haichi {

void ProgressMeter::report(double fraction_of_restart, double fraction_of_time, double value, bool restart_done,
                           const std::function<Mapping()>& best) {
    if (!control_->progress && !control_->keep) return;
    const std::scoped_lock lock(mutex_);
    if (control_->keep) keep(value, restart_done, best);
    if (!control_->progress) return;
    if (restart_done) ++done_;
    best_ = any_ ? std::min(best_, value) : value;
    any_ = true;
    if (!restart_done && seconds_since(last_) < 0.1) return;
    last_ = std::chrono::steady_clock::now();
    SearchProgress progress;
    progress.restarts_done = done_;
    progress.restarts = restarts_;
    progress.best_value = best_;
    progress.lower_bound = bound_;
    progress.evaluations = evaluations_.load(std::memory_order_relaxed);
    progress.objective = objective_;
    if (restart_done) fraction_of_restart = 0;  // a completed restart is already counted in done_
    // Concurrent restarts have different progress, but the reported fraction must not decrease.
    const double fraction = timed_ ? fraction_of_time : std::min(1.0, (done_ + fraction_of_restart) / restarts_);
    told_fraction_ = std::max(told_fraction_, fraction);
    progress.fraction_done = told_fraction_;
    control_->progress(progress);
}

void ProgressMeter::keep(double value, bool restart_done, const std::function<Mapping()>& best) {
    constexpr double kSeconds = 1;
    constexpr double kTimesItsCost = 50;
    const bool is_due = seconds_since(kept_at_) >= seconds_to_next_;
    if ((is_due || restart_done) && (!found_ || value < found_value_)) {
        found_ = best();
        found_value_ = value;
    }
    if (!is_due) return;
    const auto begin = std::chrono::steady_clock::now();
    control_->keep(*found_);
    kept_at_ = std::chrono::steady_clock::now();
    seconds_to_next_ = std::max(kSeconds, kTimesItsCost * seconds_since(begin));
}

}  // namespace haichi
