#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace haichi {

/// An array of zero bytes. A page takes memory only when it is touched. A run on a few nodes of a large machine thus
/// needs memory only for those nodes. All-zero bytes must be a valid `T`.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size) : size_(size) {
        if (size == 0) return;
        void* memory =
            mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<T*>(memory);
    }
    ZeroedArray(ZeroedArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    ZeroedArray& operator=(ZeroedArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ZeroedArray(const ZeroedArray&) = delete;
    ZeroedArray& operator=(const ZeroedArray&) = delete;
    ~ZeroedArray() {
        if (data_ != nullptr) munmap(data_, bytes());
    }

    [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
    [[nodiscard]] std::span<T> slice(std::size_t first, std::size_t count) { return {data_ + first, count}; }
    /// Requests pages of 2 MiB, which reduce TLB misses if most of the array is in use.
    void use_huge_pages() {
        if (data_ != nullptr) madvise(data_, bytes(), MADV_HUGEPAGE);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace haichi
