#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "mapper/search/search_options.h"

namespace haichi {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reports progress, and the best mapping, now and then, from one thread at a time.
class ProgressMeter {
  public:
    ProgressMeter(const SearchControl& control, std::string_view objective, std::int32_t restarts, bool timed)
        : control_(&control), objective_(objective), restarts_(restarts), timed_(timed) {}

    /// In the unit of the objective, once it is known.
    void set_bound(std::optional<double> bound) {
        const std::scoped_lock lock(mutex_);
        bound_ = bound;
    }

    /// So many more have been made; cheap, for any thread.
    void count(std::int64_t evaluations) { evaluations_.fetch_add(evaluations, std::memory_order_relaxed); }

    /// `best` gives the mapping that has the value: called where somebody keeps it.
    template <class Best>
    void report(double fraction_of_restart, double fraction_of_time, double value, bool restart_done,
                const Best& best) {
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
        if (restart_done) fraction_of_restart = 0;  // it counts among those done
        // Restarts side by side are at different points; what is told does not go back.
        const double fraction = timed_ ? fraction_of_time : std::min(1.0, (done_ + fraction_of_restart) / restarts_);
        told_fraction_ = std::max(told_fraction_, fraction);
        progress.fraction_done = told_fraction_;
        control_->progress(progress);
    }

  private:
    /// What a restart ends with is remembered: nobody can ask it later.
    template <class Best>
    void keep(double value, bool restart_done, const Best& best) {
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

    const SearchControl* control_;
    std::string_view objective_;
    std::int32_t restarts_;
    bool timed_;
    std::atomic<std::int64_t> evaluations_{0};
    std::mutex mutex_;
    std::optional<double> bound_;
    std::int32_t done_ = 0;
    bool any_ = false;
    double best_ = 0;
    double told_fraction_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    std::optional<Mapping> found_;  ///< the best of those that were asked for
    double found_value_ = 0;
    std::chrono::steady_clock::time_point kept_at_ = std::chrono::steady_clock::now();
    double seconds_to_next_ = 1;
};

}  // namespace haichi
