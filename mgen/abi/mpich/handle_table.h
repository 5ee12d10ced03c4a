#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace haichi::abi::mpich {

/// Objects of a rank that the program knows by number: `kPrefix` and the place in the table.
template <class Object, std::uint32_t kPrefix, std::uint32_t kIndexMask = 0x00FFFFFF>
class HandleTable {
  public:
    static_assert((kPrefix & kIndexMask) == 0);

    int add(Object object) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(objects_.size()));
            objects_.emplace_back();
            used_.push_back(false);
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        objects_[index] = std::move(object);
        used_[index] = true;
        return static_cast<int>(kPrefix | index);
    }
    /// Null: no object has the handle.
    [[nodiscard]] Object* find(int handle) {
        const auto bits = static_cast<std::uint32_t>(handle);
        if ((bits & ~kIndexMask) != kPrefix) return nullptr;
        const std::uint32_t index = bits & kIndexMask;
        return index < used_.size() && used_[index] ? &objects_[index] : nullptr;
    }
    /// The handle of the first object that fits; 0: there is none.
    template <class Fits>
    [[nodiscard]] int handle_of(const Fits& fits) const {
        for (std::size_t index = 0; index < objects_.size(); ++index) {
            if (used_[index] && fits(objects_[index])) return static_cast<int>(kPrefix | index);
        }
        return 0;
    }
    /// `handle` must be one.
    Object take(int handle) {
        const std::uint32_t index = static_cast<std::uint32_t>(handle) & kIndexMask;
        used_[index] = false;
        free_.push_back(index);
        return std::exchange(objects_[index], Object{});
    }
    [[nodiscard]] std::size_t size() const { return objects_.size() - free_.size(); }

  private:
    std::deque<Object> objects_;  // references stay while others are added
    std::vector<bool> used_;
    std::vector<std::uint32_t> free_;
};

}  // namespace haichi::abi::mpich
