#pragma once

#include <algorithm>
#include <cstring>

#include "commlog/log/call_log_memory.h"
#include "commlog/log/hash_table.h"
#include "commlog/log/size_groups.h"

namespace haichi {

/// Combines source and tag into a number that ascends with both.
constexpr std::uint64_t what_came(std::int32_t source, std::int32_t tag) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(tag);
}

/// The term that a receive from any source or of any tag adds to its list's hash. `event` is the index of the post's
/// event.
constexpr std::uint64_t hash_of_what_came(std::int32_t source, std::int32_t tag, std::uint32_t event) {
    return mixed(what_came(source, tag) ^ mixed(event + 1));
}

/// Returns the received tag if the post `event` accepts any tag, and 0 otherwise.
inline std::int32_t came_tag(const CallLogMemory& memory, std::uint32_t event, std::int32_t tag) {
    return (memory.events[event].key.flags & kAnyTag) != 0 ? tag : 0;
}

/// Returns true if the key belongs to a list of completions; the list then holds the tags.
constexpr bool has_list(const EventKey& key) {
    return key.kind == CallKind::kComplete || key.kind == CallKind::kReceiveAny;
}

/// The dictionary of a log's distinct events, in memory of fixed size. Events with the same signature differ only in
/// size and tag. If there are too many of them, a new event represents them all; the earlier events are then joined to
/// it.
class EventDictionary {
  public:
    explicit EventDictionary(CallLogMemory* memory) : memory_(memory) {}

    /// Returns the index of the event that represents `key`, and adds the event if it is new. If `key` has a list, this
    /// is the list that is being built.
    std::uint32_t occurs(const EventKey& key, std::uint64_t gap) {
        CallLogMemory& m = *memory_;
        const std::uint64_t hash = hash_of(key);
        HashSlot& slot = slot_of(m.event_table, hash);
        std::uint32_t index = slot.hash != 0 ? slot.index : enter(key, hash, slot);
        const std::uint32_t joined = m.events[index].joined;
        if (joined != 0) index = joined - 1;
        LoggedEvent& event = m.events[index];
        if (event.count == 0 || gap < event.gap_min) event.gap_min = gap;
        if (gap > event.gap_max) event.gap_max = gap;
        event.gap_total += gap;
        if (event.count == 0 || key.bytes < event.bytes_min) event.bytes_min = key.bytes;
        if (key.bytes > event.bytes_max) event.bytes_max = key.bytes;
        event.bytes_total += key.bytes;
        ++event.count;
        return index;
    }

  private:
    static std::uint64_t hash_of(const EventKey& key) {
        std::uint64_t words[4];
        static_assert(sizeof(words) == sizeof(EventKey));
        std::memcpy(words, &key, sizeof(words));
        // Four independent multiplications and one that depends on them form a short chain, because this code is on the
        // critical path.
        const std::uint64_t a = (words[0] ^ 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
        const std::uint64_t b = (words[1] + 0xd6e8feb86659fd93ULL) * 0xc4ceb9fe1a85ec53ULL;
        const std::uint64_t c = (words[2] + 0xa0761d6478bd642fULL) * 0xe7037ed1a0b428dbULL;
        const std::uint64_t d = (words[3] + 0x8ebc6af09c88c6e3ULL) * 0x589965cc75374cc3ULL;
        const std::uint64_t x = (a ^ (a >> 32)) + (b ^ (b >> 29)) * 3 + (c ^ (c >> 31)) * 5 + (d ^ (d >> 30)) * 7;
        return (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL | 1;
    }

    static bool same_size(const EventKey& a, const EventKey& b) {
        return has_list(a) || (a.bytes == b.bytes && a.received_bytes_or_list == b.received_bytes_or_list);
    }
    static bool same_tags(const EventKey& a, const EventKey& b) {
        return a.tag == b.tag && (!has_list(a) || a.received_bytes_or_list == b.received_bytes_or_list);
    }

    /// Returns the key without its size and tag.
    EventKey signature_of(const EventKey& key) const {
        EventKey signature = key;
        signature.tag = 0;
        signature.received_bytes_or_list = has_list(key) ? list_without_tags(key.kind) : 0;
        if (!has_list(key)) signature.bytes = 0;
        return signature;
    }

    /// Returns the hash of the list that is being built, as if all received tags were 0.
    std::uint64_t list_without_tags(CallKind kind) const {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < memory_->open_count; ++i) {
            const Completion& one = memory_->open[i];
            const bool any = kind == CallKind::kReceiveAny;
            if (!any) sum += mixed(one.distance);
            if (any || one.source != kNobody) sum += hash_of_what_came(one.source, 0, any ? 0 : one.event);
        }
        return sum;
    }

    /// Returns true if `event`, which has the same signature as `key`, also represents `key`. Events for size groups
    /// are visited in descending order of their smallest size.
    static bool stands_for(const LoggedEvent& event, const EventKey& key) {
        if ((event.key.flags & (kVariableTag | kVariableSize)) == 0 || event.joined != 0) return false;
        const bool tag = (event.key.flags & kVariableTag) != 0 || same_tags(event.key, key);
        const bool size =
            (event.key.flags & kVariableSize) != 0 ? event.key.bytes <= key.bytes : same_size(event.key, key);
        return tag && size;
    }

    std::uint32_t enter(const EventKey& key, std::uint64_t hash, HashSlot& slot) {
        CallLogMemory& m = *memory_;
        const EventKey of_all = signature_of(key);
        HashSlot& signature = slot_of(m.signature_table, hash_of(of_all));
        std::uint32_t sizes = 1;
        std::uint32_t tags = 1;
        std::uint32_t all = 1;
        for (std::uint32_t i = signature.index; i != 0; i = m.events[i - 1].next) {
            const LoggedEvent& event = m.events[i - 1];
            if (stands_for(event, key)) return i - 1;
            if (event.joined != 0) continue;
            ++all;
            if (same_size(event.key, key)) ++tags;
            if (same_tags(event.key, key)) ++sizes;
        }
        const bool crowded = m.event_count > kMostEvents / 2;
        const std::uint32_t fewer = crowded ? 8 : 1;
        if (m.event_count == kLostEvent) {
            ++m.lost_events;
            return kLostEvent;
        }
        signature.hash = hash_of(of_all);
        const std::uint32_t index = add(signature, key);
        slot = {hash, index};
        std::uint8_t joined = 0;
        if (sizes > kMostSizes / fewer) joined = kVariableSize;
        if (tags > kMostTags / fewer) joined = kVariableTag;
        if (all > kMostVariants / fewer) joined = has_list(key) ? kVariableTag : kVariableTag | kVariableSize;
        if (joined != 0 && m.event_count + kMostSizeGroups <= kLostEvent) join(signature, key, of_all, joined);
        return index;
    }

    std::uint32_t add(HashSlot& signature, const EventKey& key) {
        CallLogMemory& m = *memory_;
        const std::uint32_t index = m.event_count++;
        m.events[index].key = key;
        m.events[index].next = signature.index;
        signature.index = index + 1;
        return index;
    }

    /// Joins the events of a signature that differ from `key` only in the fields that `joined` selects. Creates one
    /// event for all of them, or one for each size group.
    void join(HashSlot& signature, const EventKey& key, const EventKey& of_all, std::uint8_t joined) {
        CallLogMemory& m = *memory_;
        const auto belongs = [&](const LoggedEvent& event) {
            return ((joined & kVariableTag) != 0 || same_tags(event.key, key)) &&
                   ((joined & kVariableSize) != 0 || same_size(event.key, key));
        };
        EventKey one = key;
        one.flags |= joined;
        if ((joined & kVariableTag) != 0) one.tag = 0;
        if ((joined & kVariableSize) != 0 || has_list(key)) one.received_bytes_or_list = of_all.received_bytes_or_list;
        const std::uint32_t first = signature.index;
        const SizeGroups groups = (joined & kVariableSize) != 0 ? group_sizes(first, belongs) : SizeGroups(key.bytes);
        for (std::uint32_t g = 0; g < groups.count(); ++g) {
            one.bytes = groups.from(g);
            add(signature, one);
        }
        for (std::uint32_t i = first; i != 0; i = m.events[i - 1].next) {
            LoggedEvent& event = m.events[i - 1];
            if (!belongs(event)) continue;
            std::uint32_t to = signature.index;  // the event of the group with the largest sizes
            while (groups.count() > 1 && m.events[to - 1].key.bytes > event.key.bytes && m.events[to - 1].next != first)
                to = m.events[to - 1].next;
            event.joined = to;
        }
    }

    /// Returns the size groups of the events from index `first` on.
    template <typename Belongs>
    SizeGroups group_sizes(std::uint32_t first, Belongs belongs) {
        CallLogMemory& m = *memory_;
        OccurringSize sizes[kMostVariants + 1];
        std::uint32_t count = 0;
        for (std::uint32_t i = first; i != 0 && count <= kMostVariants; i = m.events[i - 1].next) {
            const LoggedEvent& event = m.events[i - 1];
            // The newest event has not been counted yet.
            if (belongs(event)) sizes[count++] = {event.key.bytes, std::max<std::uint64_t>(event.count, 1)};
        }
        return SizeGroups(sizes, sizes + count);
    }

    CallLogMemory* memory_;
};

}  // namespace haichi
