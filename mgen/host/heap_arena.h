#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace haichi::host {

/// Parts of one reserved stretch of the address space: only pages that were touched take memory, and however many parts
/// there are, the kernel has one mapping. What is said of parts lies elsewhere. What is given back keeps its contents
/// until there is much of it; then the kernel gets its pages.
class HeapArena {
  public:
    /// Reserves as much as the system allows, up to `most_bytes`; maybe nothing.
    explicit HeapArena(std::size_t most_bytes);
    ~HeapArena();
    HeapArena(const HeapArena&) = delete;
    HeapArena& operator=(const HeapArena&) = delete;

    struct Part {
        std::byte* begin = nullptr;  ///< null: there is no room
        bool is_zero = false;        ///< nothing was written there
    };
    /// Of bytes and addresses.
    static constexpr std::size_t kUnitBytes = 512;
    /// `bytes`: of whole units; `alignment`: a power of two.
    [[nodiscard]] Part take(std::size_t bytes, std::size_t alignment = 1);
    /// The part gets longer where it is, by whole units; false: something else lies behind it.
    [[nodiscard]] bool extend(std::byte* begin, std::size_t bytes, std::size_t by_bytes);
    /// A part, or what lies at its end.
    void give_back(std::byte* begin, std::size_t bytes);

    [[nodiscard]] bool contains(const void* address) const {
        return static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_) < bytes_;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Where few bytes of one would be used.
    void avoid_huge_pages();
    /// So much that was given back may keep its memory.
    static constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

  private:
    struct Free {
        std::size_t bytes = 0;
        bool is_zero = true;
    };
    using FreeParts = std::map<std::size_t, Free>;

    [[nodiscard]] std::byte* at(std::size_t offset) const { return begin_ + offset; }
    void add_free(std::size_t offset, Free part);
    FreeParts::iterator erase(FreeParts::iterator part);
    void give_to_kernel();

    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
    FreeParts free_;                                         ///< by offset; neighbours differ in is_zero
    std::set<std::pair<std::size_t, std::size_t>> by_size_;  ///< the same: bytes, offset
    std::size_t kept_bytes_ = 0;                             ///< of those that are not zero
};

}  // namespace haichi::host
