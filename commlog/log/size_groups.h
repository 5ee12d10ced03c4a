#pragma once

#include <algorithm>
#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// A size and how often it occurred.
struct OccurringSize {
    std::uint64_t bytes, count;
};

/// Sizes of what is otherwise the same event in groups that lie far apart, each narrower than half of the way to the
/// next one: phases of the program that are told apart by their sizes only. Of fixed size: made on the call path.
class SizeGroups {
  public:
    /// One group, from `bytes` on.
    explicit SizeGroups(std::uint64_t bytes) : from_{bytes}, count_(1) {}

    /// Sorts the sizes. The first group is from 0 on.
    SizeGroups(OccurringSize* begin, OccurringSize* end) : count_(1) {
        std::sort(begin, end, [](const OccurringSize& a, const OccurringSize& b) { return a.bytes < b.bytes; });
        split(begin, end);
    }

    [[nodiscard]] std::uint32_t count() const { return count_; }
    /// The smallest size that belongs to the group; ascending.
    [[nodiscard]] std::uint64_t from(std::uint32_t group) const { return from_[group]; }
    /// The smallest one of the group of this size.
    [[nodiscard]] std::uint64_t from_of(std::uint64_t bytes) const {
        std::uint32_t group = count_ - 1;
        while (group > 0 && from_[group] > bytes) --group;
        return from_[group];
    }

  private:
    void split(const OccurringSize* begin, const OccurringSize* end) {
        constexpr std::uint64_t kFewest = 3;  // fewer are strays
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
