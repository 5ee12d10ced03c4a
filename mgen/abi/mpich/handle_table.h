#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace haichi::abi::mpich {

/// The objects of a rank that the program refers to by handles. A handle consists of `kPrefix` and the index in the
/// table.
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
    /// Returns null if the handle is invalid.
    [[nodiscard]] Object* find(int handle) {
        const auto bits = static_cast<std::uint32_t>(handle);
        if ((bits & ~kIndexMask) != kPrefix || kept_ == nullptr) return nullptr;
        const std::uint32_t index = bits & kIndexMask;
        return index < kept_->used.size() && kept_->used[index] ? &kept_->objects[index] : nullptr;
    }
    /// The handle of the first object for which `fits` is true, or 0 if there is none.
    template <class Fits>
    [[nodiscard]] int handle_of(const Fits& fits) const {
        if (kept_ == nullptr) return 0;
        for (std::size_t index = 0; index < kept_->objects.size(); ++index) {
            if (kept_->used[index] && fits(kept_->objects[index])) return static_cast<int>(kPrefix | index);
        }
        return 0;
    }
    /// `handle` must be valid.
    Object take(int handle) {
        const std::uint32_t index = static_cast<std::uint32_t>(handle) & kIndexMask;
        kept_->used[index] = false;
        kept_->free.push_back(index);
        return std::exchange(kept_->objects[index], Object{});
    }
    [[nodiscard]] std::size_t size() const { return kept_ == nullptr ? 0 : kept_->objects.size() - kept_->free.size(); }

  private:
    struct Kept {
        std::deque<Object> objects;  // a deque, because references must stay valid while objects are added
        std::vector<bool> used;
        std::vector<std::uint32_t> free;
    };
    /// Created with the first object, because there may be many ranks and each uses only a few of the tables.
    std::unique_ptr<Kept> kept_;
};

}  // namespace haichi::abi::mpich
