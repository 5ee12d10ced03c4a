#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// A small map from ranks to values, for look-ups only. It uses open addressing; its memory is a few times the size of
/// its entries. Pointers are valid until the next insertion or erasure. A default-constructed table holds no memory.
template <class Value>
class RankTable {
  public:
    [[nodiscard]] Value* find(RankId rank) {
        if (entries_.empty()) return nullptr;
        for (std::size_t at = home(rank);; at = next(at)) {
            if (entries_[at].first == rank) return &entries_[at].second;
            if (!entries_[at].first.valid()) return nullptr;
        }
    }

    Value& find_or_add(RankId rank) {
        if (Value* value = find(rank)) return *value;
        if (4 * (size_ + 1) > 3 * entries_.size()) grow();
        ++size_;
        std::size_t at = home(rank);
        while (entries_[at].first.valid()) at = next(at);
        entries_[at] = {rank, Value{}};
        return entries_[at].second;
    }

    /// `rank` must be in the table.
    void erase(RankId rank) {
        std::size_t hole = home(rank);
        while (entries_[hole].first != rank) hole = next(hole);
        // Following entries move up, so that no search ends too early.
        for (std::size_t at = next(hole); entries_[at].first.valid(); at = next(at)) {
            const std::size_t wanted = home(entries_[at].first);
            const std::size_t mask = entries_.size() - 1;
            if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
            entries_[hole] = std::move(entries_[at]);
            hole = at;
        }
        entries_[hole] = {};
        --size_;
        if (entries_.size() > kMostKept && 8 * size_ < entries_.size()) rebuild(entries_.size() / 4);
    }

    /// Erases the entries for which is_over(rank, value) is true. Calls it once per entry, in unspecified order.
    template <class IsOver>
    void erase_if(const IsOver& is_over) {
        std::size_t left = 0;
        for (auto& [rank, value] : entries_) {
            if (!rank.valid()) continue;
            if (is_over(rank, value)) {
                rank = RankId();
            } else {
                ++left;
            }
        }
        if (left == size_) return;
        size_ = left;
        rebuild(left == 0 ? 0 : std::bit_ceil(std::max(kLeast, 2 * left)));
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// In unspecified order.
    [[nodiscard]] const std::vector<std::pair<RankId, Value>>& entries() const { return entries_; }
    [[nodiscard]] std::size_t memory_bytes() const { return entries_.capacity() * sizeof(entries_[0]); }

  private:
    static constexpr std::size_t kLeast = 4;
    static constexpr std::size_t kMostKept = 64;  ///< tables up to this capacity do not shrink

    [[nodiscard]] std::size_t home(RankId rank) const {
        constexpr std::uint32_t kGolden = 0x9E3779B1;  // 2^32 / the golden ratio (Knuth, vol. 3, 6.4)
        const int bits = std::countr_zero(entries_.size());
        return static_cast<std::uint32_t>(rank.value) * kGolden >> (32 - bits);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }

    void grow() { rebuild(entries_.empty() ? kLeast : 2 * entries_.size()); }

    /// Moves all entries to a table of `places` slots.
    void rebuild(std::size_t places) {
        std::vector<std::pair<RankId, Value>> old = std::exchange(entries_, {});
        entries_.resize(places);
        for (auto& entry : old) {
            if (!entry.first.valid()) continue;
            std::size_t at = home(entry.first);
            while (entries_[at].first.valid()) at = next(at);
            entries_[at] = std::move(entry);
        }
    }

    std::vector<std::pair<RankId, Value>> entries_;  ///< size is a power of two; invalid ranks mark empty entries
    std::size_t size_ = 0;
};

}  // namespace haichi
