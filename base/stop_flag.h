#pragma once

#include <atomic>

namespace haichi {

/// Set by another thread to end a long run soon with the results so far. It also records whether the run has read the
/// flag. Before the first read, the run has no results yet.
class StopFlag {
  public:
    explicit StopFlag(bool is_set = false) : is_set_(is_set) {}
    StopFlag& operator=(bool is_set) {
        is_set_ = is_set;
        return *this;
    }

    [[nodiscard]] bool load() const {
        if (!was_read_.load(std::memory_order_relaxed)) was_read_ = true;
        return is_set_;
    }
    [[nodiscard]] bool was_read() const { return was_read_; }

  private:
    std::atomic<bool> is_set_;
    mutable std::atomic<bool> was_read_{false};
};

}  // namespace haichi
