#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace haichi {

/// Hands the newest progress from a run's threads to the caller's, where Python is called: it may raise there, and the
/// run never waits for the GIL.
template <class Progress>
class ProgressRelay {
  public:
    void put(const Progress& progress) {
        const std::scoped_lock lock(mutex_);
        newest_ = progress;
    }
    /// Nothing when there is none since the last call.
    std::optional<Progress> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(newest_, std::nullopt);
    }

  private:
    std::mutex mutex_;
    std::optional<Progress> newest_;
};

}  // namespace haichi
