#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace haichi {

/// The transfers that each event of a window posts or waits for, by position after the cut, with one entry per part of
/// the event.
class WindowTransfers {
  public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void reserve(std::size_t events) { first_.reserve(events + 1); }
    /// Adds the parts of the next event.
    void add(std::size_t parts) {
        transfers_.resize(transfers_.size() + parts, kNone);
        first_.push_back(transfers_.size());
    }
    [[nodiscard]] std::span<std::size_t> of(std::size_t event) {
        return {transfers_.data() + first_[event], first_[event + 1] - first_[event]};
    }

  private:
    std::vector<std::size_t> first_ = {0};
    std::vector<std::size_t> transfers_;
};

}  // namespace haichi
