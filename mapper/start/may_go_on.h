#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <utility>

namespace haichi {

/// A predicate that long placements call periodically. They give up when it returns false. It also holds the number of
/// threads that a placement may use, each of which calls it. Placements do not depend on that number.
class MayGoOn {
  public:
    template <std::predicate F>
    requires(!std::same_as<F, MayGoOn>) MayGoOn(F ask, int threads = 1)
        : ask_(std::move(ask)), threads_(std::max(threads, 1)) {}

    [[nodiscard]] bool operator()() const { return ask_(); }
    [[nodiscard]] int threads() const { return threads_; }
    /// The same predicate for one of several placements that are made side by side.
    [[nodiscard]] MayGoOn alone() const { return {ask_, 1}; }

  private:
    std::function<bool()> ask_;
    int threads_;
};

}  // namespace haichi
