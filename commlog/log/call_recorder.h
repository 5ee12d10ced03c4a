#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "commlog/log/event_dictionary.h"
#include "commlog/log/loop_finder.h"

namespace haichi {

/// Sorts a list of completions, so that the result does not depend on the order of arrival. In kComplete, the oldest
/// post comes first, and receives of the same event get their messages in ascending order of source and tag.
inline void sort_completions(CallKind kind, std::span<Completion> list) {
    const auto by_event = [](const Completion& a, const Completion& b) {
        return a.event != b.event ? a.event < b.event : what_came(a.source, a.tag) < what_came(b.source, b.tag);
    };
    std::sort(list.begin(), list.end(), by_event);
    if (kind == CallKind::kReceiveAny) return;
    for (auto first = list.begin(); first != list.end();) {
        auto last = first;
        while (last != list.end() && last->event == first->event) ++last;
        // Sorts only the distances, in descending order. The heap sort works in place, because there is no memory for a
        // separate array.
        const auto count = last - first;
        const auto sift = [first](std::ptrdiff_t root, std::ptrdiff_t size) {
            for (std::ptrdiff_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
                if (child + 1 < size && first[child + 1].distance < first[child].distance) ++child;
                if (first[root].distance <= first[child].distance) return;
                std::swap(first[root].distance, first[child].distance);
                root = child;
            }
        };
        for (std::ptrdiff_t root = count / 2; root-- > 0;) sift(root, count);
        for (std::ptrdiff_t size = count; size-- > 1;) {
            std::swap(first[0].distance, first[size].distance);
            sift(0, size);
        }
        first = last;
    }
    std::sort(list.begin(), list.end(),
              [](const Completion& a, const Completion& b) { return a.distance > b.distance; });
}

/// Writes the log of one thread. The profiler calls it on the application's critical path, so it neither allocates nor
/// locks, and takes about ten nanoseconds per call. A recorder is not thread-safe. The log needs no flush: after each
/// call, `memory` is valid input for read_calls() (read_calls.h).
class CallRecorder {
  public:
    /// `memory` must outlive the recorder. The memory must contain zero bytes or the state that another CallRecorder
    /// left.
    explicit CallRecorder(CallLogMemory* memory) : memory_(memory), events_(memory), loops_(memory) {}

    /// Adds ticks outside communication calls. These ticks belong to the next event.
    void add_gap(std::uint64_t ticks) { memory_->gap += ticks; }

    /// Records a send to rank `peer` in MPI_COMM_WORLD, or to kOutside, but not to MPI_PROC_NULL. Returns the ID of the
    /// post, or 0 with kBlocking.
    std::uint64_t send(std::int32_t peer, std::int32_t tag, std::uint32_t communicator, std::uint64_t bytes,
                       std::uint8_t flags) {
        return post({CallKind::kSend, flags, 0, peer, tag, communicator, bytes, 0});
    }

    /// Records a receive from rank `peer` in MPI_COMM_WORLD. With kAnySource `peer` is kNobody, with kAnyTag the tag is
    /// 0. A blocking receive is recorded after it returns, with its message's `source` and `source_tag`. Returns the
    /// number of the post, or 0 with kBlocking.
    std::uint64_t receive(std::int32_t peer, std::int32_t tag, std::uint32_t communicator, std::uint8_t flags,
                          std::int32_t source = kNobody, std::int32_t source_tag = 0) {
        if ((flags & kBlocking) != 0 && (flags & (kAnySource | kAnyTag)) != 0) {
            receive_any(tag, communicator, flags, peer, source, source_tag);
            return 0;
        }
        return post({CallKind::kReceive, flags, 0, peer, tag, communicator, 0, 0});
    }

    /// Records an operation of a communicator. `bytes` and `received_bytes` follow the call's arguments; `detail` is a
    /// CollectiveDetail. Returns the ID of the post, or 0 with kBlocking.
    std::uint64_t collective(CollectiveOperation operation, std::uint32_t communicator, std::int32_t root,
                             std::uint64_t bytes, std::uint64_t received_bytes, std::uint8_t flags,
                             std::int32_t detail = 0) {
        return post({CallKind::kCollective, flags, static_cast<std::uint16_t>(operation), root, detail, communicator,
                     bytes, received_bytes});
    }

    /// Records the completion of the request that post `number` made. `event` must be the value of last_event()
    /// directly after the post. For a receive from any source or of any tag, `source` and `tag` must be those of its
    /// message; otherwise kNobody and 0.
    void complete(std::uint64_t number, std::uint32_t event, std::int32_t source = kNobody, std::int32_t tag = 0) {
        CallLogMemory& m = *memory_;
        if (m.open_count != 0 && (m.open_kind != CallKind::kComplete || m.open_count == kMostOpen)) close_list();
        if (m.open_count == 0) open_list(CallKind::kComplete, 0, 0, 0);
        const auto distance = static_cast<std::uint32_t>(m.posts - number + 1);
        m.open[m.open_count++] = {distance, source, tag, event};
        // A message may match a different open receive in each run, so source and tag are hashed independently of the
        // distance.
        m.open_hash += mixed(distance);
        if (source != kNobody) m.open_hash += hash_of_what_came(source, came_tag(m, event, tag), event);
    }

    /// Returns the index of the event of the last post.
    [[nodiscard]] std::uint32_t last_event() const { return last_event_; }

  private:
    std::uint64_t post(const EventKey& key) {
        CallLogMemory& m = *memory_;
        if (m.open_count != 0) close_list();
        last_event_ = events_.occurs(key, m.gap);
        m.gap = 0;
        loops_.push(last_event_);
        return (key.flags & kBlocking) != 0 ? 0 : ++m.posts;
    }

    void receive_any(std::int32_t tag, std::uint32_t communicator, std::uint8_t flags, std::int32_t peer,
                     std::int32_t source, std::int32_t source_tag) {
        CallLogMemory& m = *memory_;
        if ((flags & kAnySource) == 0) source = peer;
        if (m.open_count != 0 && (m.open_kind != CallKind::kReceiveAny || m.open_flags != flags || m.open_tag != tag ||
                                  m.open_communicator != communicator || m.open_count == kMostOpen)) {
            close_list();
        }
        if (m.open_count == 0) open_list(CallKind::kReceiveAny, flags, tag, communicator);
        m.open[m.open_count++] = {0, source, source_tag, 0};
        m.open_hash += hash_of_what_came(source, (flags & kAnyTag) != 0 ? source_tag : 0, 0);
    }

    void open_list(CallKind kind, std::uint8_t flags, std::int32_t tag, std::uint32_t communicator) {
        CallLogMemory& m = *memory_;
        m.open_kind = kind;
        m.open_flags = flags;
        m.open_tag = tag;
        m.open_communicator = communicator;
        m.open_hash = 0;
        m.open_gap = m.gap;
        m.gap = 0;
    }

    void close_list() {
        CallLogMemory& m = *memory_;
        // The time between completions is counted as computation after the last of them.
        const EventKey key{m.open_kind,         m.open_flags, 0,          kNobody, m.open_tag,
                           m.open_communicator, m.open_count, m.open_hash};
        const std::uint32_t events = m.event_count;
        const std::uint32_t event = events_.occurs(key, m.open_gap);
        if (m.event_count != events) keep_list(m.events[event]);
        m.open_count = 0;
        loops_.push(event);
    }

    void keep_list(LoggedEvent& event) {
        CallLogMemory& m = *memory_;
        Completion* const begin = m.open;
        Completion* const end = m.open + m.open_count;
        sort_completions(m.open_kind, {begin, end});
        const std::uint32_t room = kMostCompletions - m.completion_count;
        const std::uint32_t kept = std::min(m.open_count, room);
        m.lost_completions += m.open_count - kept;
        std::memcpy(m.completions + m.completion_count, begin, kept * sizeof(Completion));
        event.first_completion = m.completion_count;
        event.completions = kept;
        m.completion_count += kept;
    }

    CallLogMemory* memory_;
    EventDictionary events_;
    LoopFinder loops_;
    std::uint32_t last_event_ = 0;
};

}  // namespace haichi
