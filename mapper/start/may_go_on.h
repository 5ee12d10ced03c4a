#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <utility>

namespace haichi {

/// Asked now and then by a placement that takes long; false: it gives up. Also says how many threads the placement may
/// use, each of which asks; placements are the same for any number.
class MayGoOn {
  public:
    template <std::predicate F>
    requires(!std::same_as<F, MayGoOn>) MayGoOn(F ask, int threads = 1)
        : ask_(std::move(ask)), threads_(std::max(threads, 1)) {}

    [[nodiscard]] bool operator()() const { return ask_(); }
    [[nodiscard]] int threads() const { return threads_; }
    /// The same for one of several placements that are made side by side.
    [[nodiscard]] MayGoOn alone() const { return {ask_, 1}; }

  private:
    std::function<bool()> ask_;
    int threads_;
};

}  // namespace haichi
