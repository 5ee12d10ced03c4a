#pragma once

#include <cstdint>
#include <deque>

namespace haichi {

/// Which requests of a rank are open, and which of these it waits for. They are numbered from 1 in the order of their
/// posts; memory is the distance from the oldest open one to the newest.
class OpenPosts {
  public:
    /// The next one, number count() + 1.
    void post(bool is_open) {
        if (is_open || !states_.empty()) states_.push_back(is_open ? State::kOpen : State::kClosed);
        ++count_;
    }
    /// True if it is open: then the rank waits for it from now on, and did not before.
    bool await(std::uint64_t number) {
        State* state = find(number);
        if (state == nullptr || *state != State::kOpen) return false;
        *state = State::kAwaited;
        return true;
    }
    /// True if the rank waits for it.
    bool close(std::uint64_t number) {
        State* state = find(number);
        if (state == nullptr) return false;
        const bool is_awaited = *state == State::kAwaited;
        *state = State::kClosed;
        while (!states_.empty() && states_.front() == State::kClosed) states_.pop_front();
        return is_awaited;
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// The number that ends with these bits: requests are known by 30 bits of it.
    [[nodiscard]] std::uint64_t number_of(std::uint32_t low_bits) const {
        return count_ - ((count_ - low_bits) & kLowBits);
    }
    static constexpr std::uint32_t kLowBits = (1U << 30) - 1;

  private:
    enum class State : std::uint8_t { kClosed, kOpen, kAwaited };

    State* find(std::uint64_t number) {
        const std::uint64_t before = count_ - states_.size();
        return number <= before || number > count_ ? nullptr : &states_[number - before - 1];
    }

    std::deque<State> states_;  ///< from the oldest that is open
    std::uint64_t count_ = 0;
};

}  // namespace haichi
