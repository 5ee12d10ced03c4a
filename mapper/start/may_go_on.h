#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <utility>

namespace haichi {

/// A predicate that long constructions of placements call periodically, and that ends them by returning false. Also
/// states the number of threads that a construction may use. All these threads call the predicate. Results do not
/// depend on their number.
class MayGoOn {
  public:
    template <std::predicate F>
    requires(!std::same_as<F, MayGoOn>) MayGoOn(F ask, int threads = 1)
        : ask_(std::move(ask)), threads_(std::max(threads, 1)) {}

    [[nodiscard]] bool operator()() const { return ask_(); }
    [[nodiscard]] int threads() const { return threads_; }
    /// The predicate with a single thread, for one of several constructions that run at the same time.
    [[nodiscard]] MayGoOn alone() const { return {ask_, 1}; }

  private:
    std::function<bool()> ask_;
    int threads_;
};

}  // namespace haichi
