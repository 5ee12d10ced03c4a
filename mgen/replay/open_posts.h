#pragma once

#include <cstdint>
#include <deque>

namespace haichi {

/// Tracks which requests of a rank are open, and which of them the rank waits for. Requests are numbered from 1 in the
/// order of their posts. Memory is proportional to the distance from the oldest open request to the newest request.
class OpenPosts {
  public:
    /// Adds the next request, number count() + 1.
    void post(bool is_open) {
        if (is_open || !states_.empty()) states_.push_back(is_open ? State::kOpen : State::kClosed);
        ++count_;
    }
    /// Makes the rank wait for the request. Returns true if the request is open and the rank was not waiting for it
    /// yet.
    bool await(std::uint64_t number) {
        State* state = find(number);
        if (state == nullptr || *state != State::kOpen) return false;
        *state = State::kAwaited;
        return true;
    }
    /// Closes the request, and returns true if the rank was waiting for it.
    bool close(std::uint64_t number) {
        State* state = find(number);
        if (state == nullptr) return false;
        const bool is_awaited = *state == State::kAwaited;
        *state = State::kClosed;
        while (!states_.empty() && states_.front() == State::kClosed) states_.pop_front();
        return is_awaited;
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// The latest request number with these low bits. Requests are identified by 30 bits.
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

    std::deque<State> states_;  ///< from the oldest open request
    std::uint64_t count_ = 0;
};

}  // namespace haichi
