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

/// Reports progress now and then, from one thread at a time.
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

    void report(double fraction_of_restart, double fraction_of_time, double value, bool restart_done) {
        if (!control_->progress) return;
        const std::scoped_lock lock(mutex_);
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
};

}  // namespace haichi
