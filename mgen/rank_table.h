#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// A small map from ranks to values, for look-ups only: open addressing, memory of a few entries more than it holds.
/// Pointers are good until the next add or erase. A default-made one holds no memory.
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

    /// `rank` must be there.
    void erase(RankId rank) {
        std::size_t hole = home(rank);
        while (entries_[hole].first != rank) hole = next(hole);
        // What follows moves up, so that no search ends too early.
        for (std::size_t at = next(hole); entries_[at].first.valid(); at = next(at)) {
            const std::size_t wanted = home(entries_[at].first);
            const std::size_t mask = entries_.size() - 1;
            if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
            entries_[hole] = std::move(entries_[at]);
            hole = at;
        }
        entries_[hole] = {};
        --size_;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// In no order that means anything.
    [[nodiscard]] const std::vector<std::pair<RankId, Value>>& entries() const { return entries_; }

  private:
    [[nodiscard]] std::size_t home(RankId rank) const {
        constexpr std::uint32_t kGolden = 0x9E3779B1;  // 2^32 / the golden ratio (Knuth, vol. 3, 6.4)
        const int bits = std::countr_zero(entries_.size());
        return static_cast<std::uint32_t>(rank.value) * kGolden >> (32 - bits);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }

    void grow() {
        constexpr std::size_t kLeast = 4;
        std::vector<std::pair<RankId, Value>> old = std::exchange(entries_, {});
        entries_.resize(old.empty() ? kLeast : 2 * old.size());
        for (auto& entry : old) {
            if (!entry.first.valid()) continue;
            std::size_t at = home(entry.first);
            while (entries_[at].first.valid()) at = next(at);
            entries_[at] = std::move(entry);
        }
    }

    std::vector<std::pair<RankId, Value>> entries_;  ///< a power of two of them; an invalid rank: empty
    std::size_t size_ = 0;
};

}  // namespace haichi
