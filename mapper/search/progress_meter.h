#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "mapper/search/search_options.h"

namespace haichi {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reports progress now and then, from one thread at a time.
class ProgressMeter {
  public:
    ProgressMeter(const SearchControl& control, std::int32_t restarts, bool timed)
        : control_(&control), restarts_(restarts), timed_(timed) {}

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
        progress.fraction_done = timed_ ? fraction_of_time : std::min(1.0, (done_ + fraction_of_restart) / restarts_);
        control_->progress(progress);
    }

  private:
    const SearchControl* control_;
    std::int32_t restarts_;
    bool timed_;
    std::mutex mutex_;
    std::int32_t done_ = 0;
    bool any_ = false;
    double best_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace haichi
