#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace haichi::abi::mpich {

/// Objects of a rank that the program knows by number: `kPrefix` and the place in the table.
template <class Object, std::uint32_t kPrefix, std::uint32_t kIndexMask = 0x00FFFFFF>
class HandleTable {
  public:
    static_assert((kPrefix & kIndexMask) == 0);

    int add(Object object) {
        if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
        if (kept_->free.empty()) {
            kept_->free.push_back(static_cast<std::uint32_t>(kept_->objects.size()));
            kept_->objects.emplace_back();
            kept_->used.push_back(false);
        }
        const std::uint32_t index = kept_->free.back();
        kept_->free.pop_back();
        kept_->objects[index] = std::move(object);
        kept_->used[index] = true;
        return static_cast<int>(kPrefix | index);
    }
    /// Null: no object has the handle.
    [[nodiscard]] Object* find(int handle) {
        const auto bits = static_cast<std::uint32_t>(handle);
        if ((bits & ~kIndexMask) != kPrefix || kept_ == nullptr) return nullptr;
        const std::uint32_t index = bits & kIndexMask;
        return index < kept_->used.size() && kept_->used[index] ? &kept_->objects[index] : nullptr;
    }
    /// The handle of the first object that fits; 0: there is none.
    template <class Fits>
    [[nodiscard]] int handle_of(const Fits& fits) const {
        if (kept_ == nullptr) return 0;
        for (std::size_t index = 0; index < kept_->objects.size(); ++index) {
            if (kept_->used[index] && fits(kept_->objects[index])) return static_cast<int>(kPrefix | index);
        }
        return 0;
    }
    /// `handle` must be one.
    Object take(int handle) {
        const std::uint32_t index = static_cast<std::uint32_t>(handle) & kIndexMask;
        kept_->used[index] = false;
        kept_->free.push_back(index);
        return std::exchange(kept_->objects[index], Object{});
    }
    [[nodiscard]] std::size_t size() const { return kept_ == nullptr ? 0 : kept_->objects.size() - kept_->free.size(); }

  private:
    struct Kept {
        std::deque<Object> objects;  // references stay while others are added
        std::vector<bool> used;
        std::vector<std::uint32_t> free;
    };
    /// Made for the first object: there are many ranks, and few tables that one of them uses.
    std::unique_ptr<Kept> kept_;
};

}  // namespace haichi::abi::mpich
