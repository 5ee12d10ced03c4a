#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace haichi {

/// Events in the order of (time, key, data), for simulations whose events mostly lie a known time ahead. A wheel of
/// buckets holds the near future, a heap what lies beyond; a bucket is sorted when its time comes, so what
/// happens at one instant is worked through entity by entity. Events may be added at the present instant. push and pop
/// are O(log of a bucket) amortised, memory is that of the events, in chunks, plus a constant.
class TimeWheel {
  public:
    struct Event {
        std::int64_t time_ps = 0;
        std::uint32_t key = 0;  ///< priority above entity: the order at one instant
        std::uint32_t data = 0;

        friend auto operator<=>(const Event&, const Event&) = default;
    };

    /// `horizon_ps`: how far ahead most events lie. `sources`: whatever pushes events; more of them make finer buckets.
    explicit TimeWheel(std::int64_t horizon_ps, std::size_t sources = kMostBuckets)
        : buckets_(static_cast<std::int64_t>(std::bit_ceil(std::clamp<std::size_t>(sources, 64, kMostBuckets)))),
          first_chunk_(static_cast<std::size_t>(buckets_), kNone),
          is_filled_(static_cast<std::size_t>(buckets_) / 64, 0) {
        const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(horizon_ps, 0)) /
                               static_cast<std::uint64_t>(buckets_ - 1) +
                           1;
        shift_ = static_cast<int>(std::bit_width(width - 1));
    }

    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Not before the last event popped.
    void push(const Event& event) {
        ++size_;
        const std::int64_t bucket = event.time_ps >> shift_;
        if (bucket <= open_) {
            soon_.push_back(event);
            std::push_heap(soon_.begin(), soon_.end(), std::greater<>());
        } else if (bucket - open_ < buckets_) {
            add_to_bucket(static_cast<std::size_t>(bucket & (buckets_ - 1)), event);
        } else {
            later_.push_back(event);
            std::push_heap(later_.begin(), later_.end(), std::greater<>());
        }
    }

    /// The time of the next event; the wheel must not be empty.
    [[nodiscard]] std::int64_t next_time_ps() {
        prepare();
        if (soon_.empty()) return sorted_[cursor_].time_ps;
        if (cursor_ == sorted_.size()) return soon_.front().time_ps;
        return std::min(sorted_[cursor_].time_ps, soon_.front().time_ps);
    }

    /// The next event if it may be at the instant of the last one; null when it is later for certain.
    [[nodiscard]] const Event* next_at_hand() const {
        if (cursor_ < sorted_.size() && (soon_.empty() || sorted_[cursor_] < soon_.front())) return &sorted_[cursor_];
        return soon_.empty() ? nullptr : &soon_.front();
    }

    /// The next event; the wheel must not be empty.
    Event pop() {
        prepare();
        --size_;
        if (soon_.empty() || (cursor_ < sorted_.size() && sorted_[cursor_] < soon_.front())) return sorted_[cursor_++];
        std::pop_heap(soon_.begin(), soon_.end(), std::greater<>());
        const Event event = soon_.back();
        soon_.pop_back();
        return event;
    }

    /// The event `places` after the next one, as far as is known; null when that is not near.
    [[nodiscard]] const Event* ahead(std::size_t places) const {
        return cursor_ + places < sorted_.size() ? &sorted_[cursor_ + places] : nullptr;
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        return chunks_.capacity() * sizeof(Chunk) +
               (sorted_.capacity() + soon_.capacity() + later_.capacity()) * sizeof(Event) +
               first_chunk_.capacity() * sizeof(std::uint32_t);
    }

  private:
    static constexpr std::size_t kMostBuckets = 4096;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kChunkEvents = 15;
    struct Chunk {
        Event events[kChunkEvents];
        std::uint32_t count = 0;
        std::uint32_t next = kNone;
    };

    void add_to_bucket(std::size_t bucket, const Event& event) {
        std::uint32_t chunk = first_chunk_[bucket];
        if (chunk == kNone || chunks_[chunk].count == kChunkEvents) {
            std::uint32_t fresh = free_chunk_;
            if (fresh == kNone) {
                fresh = static_cast<std::uint32_t>(chunks_.size());
                chunks_.emplace_back();
            } else {
                free_chunk_ = chunks_[fresh].next;
            }
            chunks_[fresh].count = 0;
            chunks_[fresh].next = chunk;
            first_chunk_[bucket] = chunk = fresh;
            is_filled_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
        }
        chunks_[chunk].events[chunks_[chunk].count++] = event;
    }

    /// Opens buckets until there is an event to pop.
    void prepare() {
        if (cursor_ < sorted_.size() || !soon_.empty()) return;
        const std::int64_t in_wheel = next_filled();
        const std::int64_t beyond =
            later_.empty() ? std::numeric_limits<std::int64_t>::max() : later_.front().time_ps >> shift_;
        open_ = std::min(in_wheel, beyond);
        sorted_.clear();
        cursor_ = 0;
        if (in_wheel == open_) take_bucket(static_cast<std::size_t>(open_ & (buckets_ - 1)));
        while (!later_.empty() && later_.front().time_ps >> shift_ == open_) {
            std::pop_heap(later_.begin(), later_.end(), std::greater<>());
            sorted_.push_back(later_.back());
            later_.pop_back();
        }
        std::sort(sorted_.begin(), sorted_.end());
    }

    void take_bucket(std::size_t bucket) {
        for (std::uint32_t chunk = first_chunk_[bucket]; chunk != kNone;) {
            Chunk& full = chunks_[chunk];
            sorted_.insert(sorted_.end(), full.events, full.events + full.count);
            const std::uint32_t next = full.next;
            full.next = free_chunk_;
            free_chunk_ = chunk;
            chunk = next;
        }
        first_chunk_[bucket] = kNone;
        is_filled_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    }

    /// Number of the first bucket after the open one that holds events; the largest number when none does.
    [[nodiscard]] std::int64_t next_filled() const {
        for (std::int64_t at = open_ + 1; at < open_ + buckets_;) {
            const auto bucket = static_cast<std::size_t>(at & (buckets_ - 1));
            const std::uint64_t word = is_filled_[bucket / 64] >> (bucket % 64);
            if (word != 0) return at + std::countr_zero(word);
            at += static_cast<std::int64_t>(64 - bucket % 64);
        }
        return std::numeric_limits<std::int64_t>::max();
    }

    std::int64_t buckets_;  ///< a power of two
    int shift_ = 0;
    std::int64_t open_ = -1;  ///< number of the bucket in sorted_; it and those before it take no more events
    std::size_t size_ = 0;
    std::vector<Event> sorted_;
    std::size_t cursor_ = 0;
    std::vector<Event> soon_;   ///< heap: added to the open bucket
    std::vector<Event> later_;  ///< heap: beyond the wheel
    std::vector<std::uint32_t> first_chunk_;
    std::vector<std::uint64_t> is_filled_;
    std::vector<Chunk> chunks_;
    std::uint32_t free_chunk_ = kNone;
};

}  // namespace haichi
