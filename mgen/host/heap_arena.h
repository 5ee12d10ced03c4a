#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace haichi::host {

/// Allocates parts of one reserved range of the address space. Only touched pages take memory, and all parts together
/// are a single mapping of the kernel. The bookkeeping is stored elsewhere. Freed parts keep their contents until they
/// exceed kMostKeptBytes in total; then their pages go back to the kernel.
class HeapArena {
  public:
    /// Reserves as much address space as the system allows, up to `most_bytes`. The arena may be empty.
    explicit HeapArena(std::size_t most_bytes);
    ~HeapArena();
    HeapArena(const HeapArena&) = delete;
    HeapArena& operator=(const HeapArena&) = delete;

    struct Part {
        std::byte* begin = nullptr;  ///< null if there is not enough space
        bool is_zero = false;        ///< the part was never written to
    };
    /// Granularity of sizes and addresses.
    static constexpr std::size_t kUnitBytes = 512;
    /// `bytes` must be a multiple of kUnitBytes, `alignment` a power of two.
    [[nodiscard]] Part take(std::size_t bytes, std::size_t alignment = 1);
    /// Extends the part in place by a multiple of kUnitBytes. Returns false if the memory after the part is in use.
    [[nodiscard]] bool extend(std::byte* begin, std::size_t bytes, std::size_t by_bytes);
    /// Gives back a part, or the end of a part.
    void give_back(std::byte* begin, std::size_t bytes);

    [[nodiscard]] bool contains(const void* address) const {
        return static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_) < bytes_;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Call this if users touch only a few bytes of each huge page.
    void avoid_huge_pages();
    /// The maximum number of bytes that parts keep after they were given back.
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
    FreeParts free_;                                         ///< free parts by offset; neighbours differ in is_zero
    std::set<std::pair<std::size_t, std::size_t>> by_size_;  ///< the parts of free_ as (bytes, offset)
    std::size_t kept_bytes_ = 0;                             ///< bytes of the free parts that are not known to be zero
};

}  // namespace haichi::host
