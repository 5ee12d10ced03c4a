#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "objectives/set_link_table.h"

namespace haichi {

/// Counts the messages of every set on every link. Each count is one byte while links * sets bytes fit the budget. The
/// counts of a link for all sets are adjacent, so the messages of one rank in all sets touch few cache lines. A hash
/// table holds counts that exceed a byte. Beyond the budget, it holds all nonzero counts. Results do not depend on the
/// storage.
class LinkCounts {
  public:
    static constexpr std::size_t kDenseBudgetBytes = std::size_t{128} << 20;

    LinkCounts(std::size_t set_count, std::size_t link_count, std::size_t dense_budget_bytes = kDenseBudgetBytes)
        : set_count_(set_count),
          is_dense_(set_count * link_count <= dense_budget_bytes),
          sparse_(is_dense_ ? 0 : 1, set_count * link_count, 0) {
        if (is_dense_) bytes_.assign(set_count * link_count, 0);
    }

    /// Calls f(counters), whose functions take a counter's index, link * sets + set. increment() returns the count
    /// after the change, decrement() the count before it. Loops over links call this once, which keeps this object's
    /// members in registers.
    template <class F>
    [[gnu::always_inline]] inline void with_counters(F&& f) {
        if (is_dense_) {
            f(DenseCounters{bytes_.data(), this});
        } else {
            f(SparseCounters{&sparse_});
        }
    }
    /// Prefetches the counter.
    void prefetch(std::size_t set, std::size_t link) const {
        if (is_dense_) __builtin_prefetch(bytes_.data() + link * set_count_ + set, 1);
    }
    [[nodiscard]] std::uint32_t get(std::size_t set, std::size_t link) const {
        const std::size_t place = link * set_count_ + set;
        if (!is_dense_) return sparse_.get(0, place);
        return bytes_[place] != kInTable ? bytes_[place] : large_.at(place);
    }

  private:
    static constexpr std::uint8_t kInTable = 255;
    static constexpr std::uint8_t kLargestInByte = kInTable - 1;

    struct DenseCounters {
        std::uint8_t* bytes;
        LinkCounts* all;

        [[gnu::always_inline]] inline std::uint32_t increment(std::size_t place) const {
            std::uint8_t& byte = bytes[place];
            if (byte < kLargestInByte) return ++byte;
            return all->increment_large(place);
        }
        [[gnu::always_inline]] inline std::uint32_t decrement(std::size_t place) const {
            std::uint8_t& byte = bytes[place];
            if (byte != kInTable) return byte--;
            return all->decrement_large(place);
        }
    };
    struct SparseCounters {
        SetLinkTable<std::uint32_t>* table;

        std::uint32_t increment(std::size_t place) const { return ++table->at(0, place); }
        std::uint32_t decrement(std::size_t place) const { return table->at(0, place)--; }
    };

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
