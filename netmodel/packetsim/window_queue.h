#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// The events of a partition, one lookahead window of simulated time after the other. A turn is a router with its
/// nodes. Within a window, events are ordered by turn, then by (time, key, data). An event of one turn affects others
/// in the next window at the earliest, so the order of turns does not matter. All events of a router in one window are
/// processed together, while its state is in the caches. Complexity of push and pop: O(1) amortised, but O(log n) for n
/// events of one turn and window. Memory: the events and 4 bytes per turn.
class WindowQueue {
  public:
    /// An event is two words, so that it stays in registers.
    struct Event {
        std::uint64_t when = 0;  ///< ps since the window's start (high half), key (low half): the order in one turn
        std::uint64_t what = 0;  ///< turn (high half), data (low half)

        [[nodiscard]] std::int64_t offset_ps() const { return static_cast<std::int64_t>(when >> 32); }
        /// Priority (high bits) and entity (low bits): the order at one instant.
        [[nodiscard]] std::uint32_t key() const { return static_cast<std::uint32_t>(when); }
        [[nodiscard]] std::uint32_t turn() const { return static_cast<std::uint32_t>(what >> 32); }
        [[nodiscard]] std::uint32_t data() const { return static_cast<std::uint32_t>(what); }
        /// Compares the two words as one number, because two comparisons would be two unpredictable branches.
        friend bool operator<(const Event& a, const Event& b) { return a.number() < b.number(); }
        friend bool operator>(const Event& a, const Event& b) { return b < a; }

      private:
        __extension__ using Number = unsigned __int128;
        [[nodiscard]] Number number() const { return static_cast<Number>(when) << 64 | what; }
    };
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t kLongestWindowPs = std::int64_t{1} << 31;

    WindowQueue(std::int64_t window_ps, std::size_t turns) : window_ps_(window_ps), ends_(turns, 0) {
        if (window_ps < 1 || window_ps > kLongestWindowPs) throw InternalError("invalid length of a lookahead window");
        while ((window_ps - 1) >> part_shift_ >= std::int64_t{kParts}) ++part_shift_;
    }

    [[nodiscard]] bool empty() const { return size_ == 0; }

    /// Between begin() and end(), an event of the open window must belong to the current turn, and must not precede the
    /// event popped last.
    [[gnu::always_inline]] inline void push(std::uint32_t turn, std::int64_t time_ps, std::uint32_t key,
                                            std::uint32_t data) {
        ++size_;
        const std::int64_t ahead_ps = time_ps - begin_ps_;
        const std::uint64_t what = std::uint64_t{turn} << 32 | data;
        const std::int64_t into_next_ps = ahead_ps - window_ps_;
        if (into_next_ps < 0) return push_now({when(ahead_ps, key), what});
        if (into_next_ps < window_ps_) {
            next_[static_cast<std::size_t>(into_next_ps >> part_shift_)].push_back({when(into_next_ps, key), what});
        } else {
            push_later(ahead_ps, key, what);
        }
    }

    /// Time of the next event while no window is open; kForEver without events.
    [[nodiscard]] std::int64_t next_ps() const {
        const auto first_of = [this](std::int64_t window, const std::vector<Event>& events) {
            if (events.empty()) return kForEver;
            return window * window_ps_ + std::ranges::min_element(events, std::less<>())->offset_ps();
        };
        if (size_ == later_.size()) {
            return later_.empty() ? kForEver : later_.front().window * window_ps_ + later_.front().event.offset_ps();
        }
        if (const std::int64_t now_ps = first_of(window_, slots_[slot(window_)]); now_ps != kForEver) return now_ps;
        std::int64_t next_ps = first_of(window_ + 1, slots_[slot(window_ + 1)]);
        const auto part = std::ranges::find_if(next_, [](const auto& events) { return !events.empty(); });
        if (part != next_.end()) next_ps = std::min(next_ps, first_of(window_ + 1, *part));
        for (std::int64_t w = window_ + 2; next_ps == kForEver; ++w) next_ps = first_of(w, slots_[slot(w)]);
        return next_ps;
    }

    /// Opens or continues the window of `time_ps`, for its events up to and including `until_ps`. Earlier windows must
    /// have no events.
    void begin(std::int64_t time_ps, std::int64_t until_ps) {
        const std::int64_t before = std::exchange(window_, time_ps / window_ps_);
        begin_ps_ = window_ * window_ps_;
        last_when_ = when(std::min(until_ps - begin_ps_, window_ps_), std::numeric_limits<std::uint32_t>::max());
        is_open_ = true;
        std::vector<Event>& events = slots_[slot(window_)];
        while (!later_.empty() && later_.front().window - window_ < kSlots) {
            slots_[slot(later_.front().window)].push_back(later_.front().event);
            std::pop_heap(later_.begin(), later_.end(), std::greater<>());
            later_.pop_back();
        }
        if (window_ == before) {
            sort_by_turn({&events, 1}, {});
        } else {
            sort_by_turn(next_, {&events, 1});
        }
        cursor_ = turn_end_ = sorted_.data();
    }
    /// Advances to the next turn with events; false if there is none.
    bool next_turn() {
        const Event* const end = sorted_.data() + sorted_.size();
        if (turn_end_ == end) return false;
        cursor_ = turn_end_;
        const std::uint32_t turn = cursor_->turn();
        do ++turn_end_;
        while (turn_end_ < end && turn_end_->turn() == turn);
        sort_by_time(cursor_, turn_end_);
        return true;
    }
    /// Pops the next event of the turn. Returns false if there is none up to the limit of begin(); later events wait
    /// for the next begin().
    bool pop(Event& event) {
        const Event* next = next_here();
        if (next == nullptr) return false;
        if (next->when > last_when_) {
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

    /// Time of an event of the open window.
    [[nodiscard]] std::int64_t time_ps(const Event& event) const { return begin_ps_ + event.offset_ps(); }
    /// The next event of the turn, or null.
    [[nodiscard]] const Event* next_here() const {
        const Event* next = cursor_ < turn_end_ ? cursor_ : nullptr;
        if (!soon_.empty() && (next == nullptr || soon_.front() < *next)) [[unlikely]] {
            return soon_.data();
        }
        return next;
    }
    void drop_next() { drop(next_here()); }
    /// Events of the open window that belong to later turns, turn by turn.
    [[nodiscard]] std::span<const Event> elsewhere() const {
        return {static_cast<const Event*>(turn_end_), sorted_.data() + sorted_.size()};
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        std::size_t events = sorted_.capacity() + soon_.capacity();
        for (const std::vector<Event>& events_of_slot : slots_) events += events_of_slot.capacity();
        for (const std::vector<Event>& events_of_part : next_) events += events_of_part.capacity();
        return events * sizeof(Event) + later_.capacity() * sizeof(Later) + ends_.capacity() * sizeof(std::uint32_t);
    }

  private:
    static constexpr std::int64_t kSlots = 16;
    static constexpr std::size_t kParts = 8;
    static constexpr std::size_t kFew = 24;

    /// An event in a window too late for the slots.
    struct Later {
        std::int64_t window = 0;
        Event event;
        friend bool operator>(const Later& a, const Later& b) {
            return a.window != b.window ? a.window > b.window : b.event < a.event;
        }
    };

    static std::uint64_t when(std::int64_t offset_ps, std::uint32_t key) {
        return static_cast<std::uint64_t>(offset_ps) << 32 | key;
    }
    [[nodiscard]] static std::size_t slot(std::int64_t window) { return static_cast<std::uint64_t>(window) % kSlots; }

    /// Inserts an event into the open window. The event popped last has left a gap, and most events are due soon, so
    /// few have to move.
    void push_now(const Event& event) {
        if (!is_open_) return slots_[slot(window_)].push_back(event);
        if (event.turn() != turn_end_[-1].turn()) {
            throw InternalError("an event of another turn is inside the open window");
        }
        Event* at = cursor_;
        if (at == sorted_.data() || (turn_end_ - at > static_cast<std::ptrdiff_t>(kFew) && at[kFew] < event)) {
            soon_.push_back(event);
            std::push_heap(soon_.begin(), soon_.end(), std::greater<>());
            return;
        }
        for (--cursor_; at < turn_end_ && *at < event; ++at) at[-1] = *at;
        at[-1] = event;
    }

    void push_later(std::int64_t ahead_ps, std::uint32_t key, std::uint64_t what) {
        const std::int64_t windows = ahead_ps / window_ps_;
        const Event event{when(ahead_ps - windows * window_ps_, key), what};
        if (windows < kSlots) return slots_[slot(window_ + windows)].push_back(event);
        later_.push_back({window_ + windows, event});
        std::push_heap(later_.begin(), later_.end(), std::greater<>());
    }

    void drop(const Event* next) {
        --size_;
        if (next == cursor_) [[likely]] {
            ++cursor_;
            return;
        }
        std::pop_heap(soon_.begin(), soon_.end(), std::greater<>());
        soon_.pop_back();
    }

    void put_back() {
        std::vector<Event>& events = slots_[slot(window_)];
        events.insert(events.end(), cursor_, turn_end_);
        events.insert(events.end(), soon_.begin(), soon_.end());
        soon_.clear();
        cursor_ = turn_end_;
    }

    /// Collects the events of the window in sorted_, stably sorted by turn. Uses counting sort if there are many.
    void sort_by_turn(std::span<std::vector<Event>> first, std::span<std::vector<Event>> then) {
        const auto for_all = [first, then](const auto& visit) {
            for (std::vector<Event>& events : first) visit(events);
            for (std::vector<Event>& events : then) visit(events);
        };
        std::size_t count = 0;
        for_all([&count](const std::vector<Event>& events) { count += events.size(); });
        constexpr std::size_t kSparse = 8;
        if (count < ends_.size() / kSparse) {
            for_all([this](std::vector<Event>& events) {
                sorted_.insert(sorted_.end(), events.begin(), events.end());
                events.clear();
            });
            std::ranges::sort(sorted_, {}, &Event::what);
            return;
        }
        std::ranges::fill(ends_, 0);
        for_all([this](const std::vector<Event>& events) {
            for (const Event& event : events) ++ends_[event.turn()];
        });
        std::uint32_t sum = 0;
        for (std::uint32_t& end : ends_) sum += std::exchange(end, sum);
        sorted_.resize(count);
        for_all([sorted = sorted_.data(), ends = ends_.data()](std::vector<Event>& events) {
            for (const Event& event : events) sorted[ends[event.turn()]++] = event;
            events.clear();
        });
    }

    static void sort_by_time(Event* begin, Event* end) {
        if (end - begin > static_cast<std::ptrdiff_t>(kFew)) return std::sort(begin, end, std::less<>());
        for (Event* at = begin + 1; at < end; ++at) {
            const Event event = *at;
            Event* hole = at;
            for (; hole > begin && event < hole[-1]; --hole) *hole = hole[-1];
            *hole = event;
        }
    }

    std::int64_t window_ps_;
    std::int64_t window_ = 0;    ///< number of the open window, or of the last one
    std::int64_t begin_ps_ = 0;  ///< start of that window
    std::uint64_t last_when_ = 0;
    bool is_open_ = false;
    std::size_t size_ = 0;
    /// Events of the next window, pushed since this one began, by parts of the window. The events of a turn are
    /// therefore almost sorted in time when they are collected.
    std::array<std::vector<Event>, kParts> next_;
    int part_shift_ = 0;  ///< log2 of the length of a part in ps
    /// Events of other windows, by the window's number mod kSlots, unordered.
    std::array<std::vector<Event>, kSlots> slots_;
    std::vector<Later> later_;         ///< heap of events in later windows than the slots hold
    std::vector<Event> sorted_;        ///< events of the open window, by turn
    Event* cursor_ = nullptr;          ///< the next event in sorted_
    Event* turn_end_ = nullptr;        ///< end of the current turn's events
    std::vector<Event> soon_;          ///< heap: events of this turn pushed since it began, if many
    std::vector<std::uint32_t> ends_;  ///< work space, by turn
};

}  // namespace haichi
