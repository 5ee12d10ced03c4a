#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "mapper/search/search_options.h"

namespace haichi {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reports progress and the best placement periodically, from one thread at a time.
class ProgressMeter {
  public:
    ProgressMeter(const SearchControl& control, std::string_view objective, std::int32_t restarts, bool timed)
        : control_(&control), objective_(objective), restarts_(restarts), timed_(timed) {}

    /// Sets the bound, in the unit of the objective, when it is known.
    void set_bound(std::optional<double> bound) {
        const std::scoped_lock lock(mutex_);
        bound_ = bound;
    }

    /// Adds to the number of evaluations. Cheap and thread-safe.
    void count(std::int64_t evaluations) { evaluations_.fetch_add(evaluations, std::memory_order_relaxed); }

    /// Reports if it is time to. `best` returns the mapping with `value`, and is called only if SearchControl::keep is
    /// set.
    void report(double fraction_of_restart, double fraction_of_time, double value, bool restart_done,
                const std::function<Mapping()>& best);

  private:
    /// Keeps the final mapping of a restart, because it is not available later.
    void keep(double value, bool restart_done, const std::function<Mapping()>& best);

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
    std::optional<Mapping> found_;  ///< the best of the mappings obtained from `best`
    double found_value_ = 0;
    std::chrono::steady_clock::time_point kept_at_ = std::chrono::steady_clock::now();
    double seconds_to_next_ = 1;
};

}  // namespace haichi
