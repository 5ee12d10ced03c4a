#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace haichi {

/// Passes the newest progress from the threads of a run to the caller's thread, which calls Python. The Python function
/// may raise there, and the run never waits for the GIL.
template <class Progress>
class ProgressRelay {
  public:
    void put(const Progress& progress) {
        const std::scoped_lock lock(mutex_);
        newest_ = progress;
    }
    /// The newest progress; nothing if there is none since the last call.
    std::optional<Progress> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(newest_, std::nullopt);
    }

  private:
    std::mutex mutex_;
    std::optional<Progress> newest_;
};

}  // namespace haichi
