#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace haichi::mpi {

/// Stores values and assigns an index to each. Indices are reused, so memory is proportional to the maximum number of
/// values at one time.
template <class Value>
class Slots {
  public:
    std::uint32_t add(Value value) {
        if (free_.empty()) {
            values_.push_back(std::move(value));
            return static_cast<std::uint32_t>(values_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        values_[number] = std::move(value);
        return number;
    }
    Value take(std::uint32_t number) {
        free_.push_back(number);
        return std::exchange(values_[number], Value{});
    }
    [[nodiscard]] Value& operator[](std::uint32_t number) { return values_[number]; }
    /// All values by index; unused entries are Value{}.
    [[nodiscard]] const std::vector<Value>& values() const { return values_; }
    [[nodiscard]] std::size_t size() const { return values_.size() - free_.size(); }

  private:
    std::vector<Value> values_;
    std::vector<std::uint32_t> free_;
};

}  // namespace haichi::mpi
