#pragma once

#include <algorithm>
#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// A size and the number of its occurrences.
struct OccurringSize {
    std::uint64_t bytes, count;
};

/// Groups of sizes of otherwise equal events. Groups are far apart: each is narrower than half of the distance to the
/// next group. Different groups belong to phases of the program that differ only in size. The object has a fixed size,
/// because it is created on the critical path.
class SizeGroups {
  public:
    /// Creates one group that contains all sizes from `bytes` on.
    explicit SizeGroups(std::uint64_t bytes) : from_{bytes}, count_(1) {}

    /// Sorts the sizes and divides them into groups. The first group begins at 0.
    SizeGroups(OccurringSize* begin, OccurringSize* end) : count_(1) {
        std::sort(begin, end, [](const OccurringSize& a, const OccurringSize& b) { return a.bytes < b.bytes; });
        split(begin, end);
    }

    [[nodiscard]] std::uint32_t count() const { return count_; }
    /// Returns the smallest size of a group, which ascends with `group`.
    [[nodiscard]] std::uint64_t from(std::uint32_t group) const { return from_[group]; }
    /// Returns the smallest size of the group that contains `bytes`.
    [[nodiscard]] std::uint64_t from_of(std::uint64_t bytes) const {
        std::uint32_t group = count_ - 1;
        while (group > 0 && from_[group] > bytes) --group;
        return from_[group];
    }

  private:
    void split(const OccurringSize* begin, const OccurringSize* end) {
        constexpr std::uint64_t kFewest = 3;  // fewer occurrences are outliers
        if (end - begin < 2 || count_ == kMostSizeGroups) return;
        const OccurringSize* widest = begin + 1;
        for (const OccurringSize* s = begin + 1; s < end; ++s) {
            if (s->bytes - s[-1].bytes > widest->bytes - widest[-1].bytes) widest = s;
        }
        const std::uint64_t gap = widest->bytes - widest[-1].bytes;
        const std::uint64_t extent = std::max(widest[-1].bytes - begin->bytes, end[-1].bytes - widest->bytes);
        const auto occurrences = [](const OccurringSize* first, const OccurringSize* last) {
            std::uint64_t sum = 0;
            for (; first < last; ++first) sum += first->count;
            return sum;
        };
        if (gap / 2 <= extent || occurrences(begin, widest) < kFewest || occurrences(widest, end) < kFewest) return;
        begin_group(widest[-1].bytes + gap / 2);
        split(begin, widest);
        split(widest, end);
    }

    void begin_group(std::uint64_t from) {
        std::uint32_t at = count_++;
        for (; at > 0 && from_[at - 1] > from; --at) from_[at] = from_[at - 1];
        from_[at] = from;
    }

    std::uint64_t from_[kMostSizeGroups] = {};
    std::uint32_t count_;
};

}  // namespace haichi
