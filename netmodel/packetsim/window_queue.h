#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// The events of a partition, window of simulated time by window, and in a window place by place (a place is a router
/// with the nodes that hang on it), there in the order of (time, key, data). What happens at one place is felt at
/// others in the next window at the earliest, so the order between places does not matter; and all that a window does
/// at a place is done while its state is in the caches. push and pop are O(1) amortised, but O(log n) where n events of
/// one window are at one place. Memory is that of the events and 4 bytes per place.
class WindowQueue {
  public:
    struct Event {
        std::int64_t time_ps = 0;
        std::uint32_t data = 0;
        std::uint32_t key = 0;  ///< priority above entity: the order at one instant
        std::uint32_t place = 0;

        [[nodiscard]] std::uint64_t order() const { return std::uint64_t{key} << 32 | data; }
        friend bool operator<(const Event& a, const Event& b) {
            return a.time_ps < b.time_ps || (a.time_ps == b.time_ps && a.order() < b.order());
        }
        friend bool operator>(const Event& a, const Event& b) { return b < a; }
    };
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    WindowQueue(std::int64_t window_ps, std::size_t places) : window_ps_(window_ps), ends_(places, 0) {}

    [[nodiscard]] bool empty() const { return size_ == 0; }

    /// Between begin() and end() what falls into the window is of the place whose turn it is, not before the event
    /// popped last.
    void push(const Event& event) {
        ++size_;
        const std::int64_t ahead_ps = event.time_ps - begin_ps_;
        std::int64_t windows = 1;
        if (ahead_ps < window_ps_) {
            if (is_open_) return push_soon(event);
            windows = 0;
        } else if (ahead_ps >= 2 * window_ps_) {
            windows = ahead_ps / window_ps_;
        }
        if (windows < kSlots) {
            slot(window_ + windows).push_back(event);
        } else {
            later_.push_back(event);
            std::push_heap(later_.begin(), later_.end(), std::greater<>());
        }
    }

    /// Of the next event, when no window is open; kForEver when there is none.
    [[nodiscard]] std::int64_t next_ps() const {
        for (std::int64_t w = window_; size_ > later_.size() && w < window_ + kSlots; ++w) {
            const std::vector<Event>& events = slot(w);
            if (!events.empty()) return std::ranges::min_element(events, {}, &Event::time_ps)->time_ps;
        }
        return later_.empty() ? kForEver : later_.front().time_ps;
    }

    /// Begins with the window of that time, or goes on with it; there are no events in those before.
    void begin(std::int64_t time_ps) {
        window_ = time_ps / window_ps_;
        begin_ps_ = window_ * window_ps_;
        is_open_ = true;
        while (!later_.empty() && later_.front().time_ps / window_ps_ - window_ < kSlots) {
            const Event& first = later_.front();
            slot(first.time_ps / window_ps_).push_back(first);
            std::pop_heap(later_.begin(), later_.end(), std::greater<>());
            later_.pop_back();
        }
        sort_by_place();
        cursor_ = place_end_ = 0;
    }
    /// On to the next place with events; false when there is none.
    bool next_place() {
        if (place_end_ == sorted_.size()) return false;
        cursor_ = place_end_;
        const std::uint32_t place = sorted_[cursor_].place;
        while (place_end_ < sorted_.size() && sorted_[place_end_].place == place) ++place_end_;
        sort_by_time(sorted_.data() + cursor_, sorted_.data() + place_end_);
        return true;
    }
    /// The next event of the place if it is not later than `until_ps`; else what is left waits for the next begin().
    bool pop_until(std::int64_t until_ps, Event& event) {
        const Event* next = next_here();
        if (next == nullptr) return false;
        if (next->time_ps > until_ps) {
            put_back();
            return false;
        }
        event = *next;
        drop(next);
        return true;
    }
    void end() {
        is_open_ = false;
        sorted_.clear();
    }

    /// The next event of the place; null when there is none.
    [[nodiscard]] const Event* next_here() const {
        if (cursor_ < place_end_ && (soon_.empty() || sorted_[cursor_] < soon_.front())) return &sorted_[cursor_];
        return soon_.empty() ? nullptr : soon_.data();
    }
    void drop_next() { drop(next_here()); }
    /// The next events of the window, those of this place in order, as far as they are known.
    [[nodiscard]] std::span<const Event> ahead() const { return std::span(sorted_).subspan(cursor_); }

    [[nodiscard]] std::size_t memory_bytes() const {
        std::size_t events = sorted_.capacity() + soon_.capacity() + later_.capacity();
        for (const std::vector<Event>& events_of_slot : slots_) events += events_of_slot.capacity();
        return events * sizeof(Event) + ends_.capacity() * sizeof(std::uint32_t);
    }

  private:
    static constexpr std::int64_t kSlots = 16;
    static constexpr std::ptrdiff_t kFew = 24;

    [[nodiscard]] std::vector<Event>& slot(std::int64_t window) {
        return slots_[static_cast<std::size_t>(window % kSlots)];
    }
    [[nodiscard]] const std::vector<Event>& slot(std::int64_t window) const {
        return slots_[static_cast<std::size_t>(window % kSlots)];
    }

    void push_soon(const Event& event) {
        if (event.place != sorted_[place_end_ - 1].place) {
            throw InternalError("an event at another place comes within a window");
        }
        soon_.push_back(event);
        std::push_heap(soon_.begin(), soon_.end(), std::greater<>());
    }

    void drop(const Event* next) {
        --size_;
        if (next != soon_.data()) {
            ++cursor_;
            return;
        }
        std::pop_heap(soon_.begin(), soon_.end(), std::greater<>());
        soon_.pop_back();
    }

    void put_back() {
        std::vector<Event>& events = slot(window_);
        events.insert(events.end(), sorted_.begin() + static_cast<std::ptrdiff_t>(cursor_),
                      sorted_.begin() + static_cast<std::ptrdiff_t>(place_end_));
        events.insert(events.end(), soon_.begin(), soon_.end());
        soon_.clear();
        cursor_ = place_end_;
    }

    /// The events of the window into sorted_: counted by place, where they are many.
    void sort_by_place() {
        std::vector<Event>& events = slot(window_);
        constexpr std::size_t kSparse = 8;
        if (events.size() < ends_.size() / kSparse) {
            sorted_.swap(events);
            std::ranges::sort(sorted_, {}, &Event::place);
            return;
        }
        std::ranges::fill(ends_, 0);
        for (const Event& event : events) ++ends_[event.place];
        std::uint32_t sum = 0;
        for (std::uint32_t& end : ends_) {
            const std::uint32_t count = end;
            end = sum;
            sum += count;
        }
        sorted_.resize(events.size());
        for (const Event& event : events) sorted_[ends_[event.place]++] = event;
        events.clear();
    }

    static void sort_by_time(Event* begin, Event* end) {
        if (end - begin > kFew) return std::sort(begin, end);
        for (Event* at = begin; at < end; ++at) {
            const Event event = *at;
            Event* hole = at;
            for (; hole > begin && event < hole[-1]; --hole) *hole = hole[-1];
            *hole = event;
        }
    }

    std::int64_t window_ps_;
    std::int64_t window_ = 0;    ///< number of the one that is open, or was
    std::int64_t begin_ps_ = 0;  ///< of it
    bool is_open_ = false;
    std::size_t size_ = 0;
    std::array<std::vector<Event>, kSlots> slots_;  ///< by the window's number mod kSlots, in no order
    std::vector<Event> later_;                      ///< heap: beyond the slots
    std::vector<Event> sorted_;                     ///< of the open window, by place
    std::size_t cursor_ = 0;
    std::size_t place_end_ = 0;        ///< behind the events of the place whose turn it is
    std::vector<Event> soon_;          ///< heap: of this place, added since
    std::vector<std::uint32_t> ends_;  ///< work space, by place
};

}  // namespace haichi
