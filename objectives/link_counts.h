#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "objectives/set_link_table.h"

namespace haichi {

/// How many messages of every set cross every link. In a byte each while links * sets bytes fit the budget, the sets of
/// a link side by side: what a rank sends from a node in all sets then lies in a cache line or two. Counts that a byte
/// does not hold stand in a hash table; so do all counts in use, beyond the budget. Same results both ways.
class LinkCounts {
  public:
    static constexpr std::size_t kDenseBudgetBytes = std::size_t{128} << 20;

    LinkCounts(std::size_t set_count, std::size_t link_count, std::size_t dense_budget_bytes = kDenseBudgetBytes)
        : set_count_(set_count),
          is_dense_(set_count * link_count <= dense_budget_bytes),
          sparse_(is_dense_ ? 0 : set_count, link_count, 0) {
        if (is_dense_) bytes_.assign(set_count * link_count, 0);
    }

    /// Returns the count after.
    [[gnu::always_inline]] inline std::uint32_t increment(std::size_t set, std::size_t link) {
        if (!is_dense_) return ++sparse_.at(set, link);
        std::uint8_t& byte = bytes_[link * set_count_ + set];
        if (byte < kLargestInByte) return ++byte;
        return increment_large(link * set_count_ + set);
    }
    /// Returns the count before.
    [[gnu::always_inline]] inline std::uint32_t decrement(std::size_t set, std::size_t link) {
        if (!is_dense_) return sparse_.at(set, link)--;
        std::uint8_t& byte = bytes_[link * set_count_ + set];
        if (byte != kInTable) return byte--;
        return decrement_large(link * set_count_ + set);
    }
    [[nodiscard]] std::uint32_t get(std::size_t set, std::size_t link) const {
        if (!is_dense_) return sparse_.get(set, link);
        const std::uint8_t byte = bytes_[link * set_count_ + set];
        return byte != kInTable ? byte : large_.at(link * set_count_ + set);
    }
    /// Early, before it is needed.
    void prefetch(std::size_t set, std::size_t link) const {
        if (is_dense_) __builtin_prefetch(bytes_.data() + link * set_count_ + set, 1);
    }

  private:
    static constexpr std::uint8_t kInTable = 255;
    static constexpr std::uint8_t kLargestInByte = kInTable - 1;

    [[gnu::noinline]] std::uint32_t increment_large(std::size_t at) {
        if (bytes_[at] == kInTable) return ++large_[at];
        bytes_[at] = kInTable;
        return large_[at] = kInTable;
    }
    [[gnu::noinline]] std::uint32_t decrement_large(std::size_t at) {
        const auto found = large_.find(at);
        const std::uint32_t before = found->second--;
        if (before == kInTable) {
            bytes_[at] = kLargestInByte;
            large_.erase(found);
        }
        return before;
    }

    std::size_t set_count_;
    bool is_dense_;
    std::vector<std::uint8_t> bytes_;
    std::unordered_map<std::size_t, std::uint32_t> large_;
    SetLinkTable<std::uint32_t> sparse_;
};

}  // namespace haichi
