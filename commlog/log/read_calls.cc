#include "commlog/log/read_calls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "commlog/log/call_recorder.h"
#include "commlog/log/fresh_memory.h"
#include "commlog/log/profile_memory.h"
#include "commlog/log/record_checks.h"

namespace haichi {

namespace {

/// Reads a log from its fixed arrays: first the symbols that have left the levels, then the remaining ones, outermost
/// level first.
class CallReader {
  public:
    CallReader(const CallLogMemory& memory, const std::string& place) : memory_(&memory), place_(&place) {}

    CallSequence read(double ticks_per_second) {
        const CallLogMemory& m = *memory_;
        check_count(m.event_count, kLostEvent, "events", *place_);
        check_count(m.body_count, kMostLoops, "loop bodies", *place_);
        check_count(m.loop_count, kMostLoops, "loops", *place_);
        check_count(m.body_symbols, kMostBodySymbols, "symbols of loop bodies", *place_);
        check_count(m.completion_count, kMostCompletions, "completions", *place_);
        check_count(m.top_count, kMostTop, "symbols", *place_);
        check_count(m.open_count, kMostOpen, "completions of one event", *place_);
        calls_.ticks_per_second = ticks_per_second;
        calls_.gap_behind = m.gap;
        calls_.lost_events = m.lost_events;
        calls_.lost_symbols = m.lost_symbols;
        calls_.lost_completions = m.lost_completions;
        calls_.events.assign(m.events, m.events + m.event_count);
        for (LoggedEvent& event : calls_.events) event.joined = event.next = 0;
        calls_.completions.assign(m.completions, m.completions + m.completion_count);
        for (Completion& completion : calls_.completions) completion.event = known(completion.event);
        calls_.bodies.assign(m.bodies, m.bodies + m.body_count);
        calls_.loops.assign(m.loops, m.loops + m.loop_count);
        calls_.body.reserve(m.body_symbols);
        for (std::uint32_t i = 0; i < m.body_symbols; ++i) calls_.body.push_back(known(m.body[i]));
        for (std::uint32_t i = 0; i < m.top_count; ++i) calls_.sequence.push_back(known(m.top[i]));
        for (std::uint32_t l = 0; l < kLevels; ++l) begin_level(l);
        if (m.open_count != 0) push(0, open_list());
        for (std::uint32_t l = 0; l < kLevels; ++l) end_level(l);
        return std::move(calls_);
    }

  private:
    /// Returns `symbol`, except that kLostEvent becomes a separate event.
    Symbol known(Symbol symbol) {
        if (symbol != kLostEvent) return symbol;
        if (!lost_) {
            lost_ = static_cast<Symbol>(calls_.events.size());
            calls_.events.push_back({});
        }
        return *lost_;
    }

    /// A level at the end of the log. Symbols from the level below may still continue an open loop, but no new loops
    /// are searched for.
    struct EndingLevel {
        bool in_loop = false;
        std::size_t position = 0;
        std::uint64_t repetitions = 0;
        std::vector<Symbol> symbols;  ///< the body of the loop, or symbols outside of loops
    };

    void begin_level(std::uint32_t l) {
        const LoopLevel& level = memory_->levels[l];
        check_count(level.size, kWindow, "symbols of a level", *place_);
        EndingLevel& ending = levels_[l];
        ending.in_loop = level.in_loop != 0;
        for (std::uint32_t i = 0; i < level.size; ++i) ending.symbols.push_back(known(level.pending[i]));
        if (!ending.in_loop) return;
        if (level.size == 0 || level.repetitions == 0) fail_record(*place_, "a loop without symbols or iterations");
        if (level.position >= level.size) fail_record(*place_, "a loop that continues after the end of its body");
        ending.position = level.position;
        ending.repetitions = level.repetitions;
    }

    void push(std::uint32_t l, Symbol symbol) {
        if (l == kLevels) {
            calls_.sequence.push_back(symbol);
            return;
        }
        EndingLevel& level = levels_[l];
        if (level.in_loop && level.symbols[level.position] == symbol) {
            if (++level.position == level.symbols.size()) {
                level.position = 0;
                ++level.repetitions;
            }
            return;
        }
        if (level.in_loop) leave_loop(level);
        level.symbols.push_back(symbol);
    }

    void end_level(std::uint32_t l) {
        EndingLevel& level = levels_[l];
        if (level.in_loop) leave_loop(level);
        for (const Symbol symbol : level.symbols) push(l + 1, symbol);
    }

    void leave_loop(EndingLevel& level) {
        std::vector<Symbol> outside = {loop_symbol(level.symbols, level.repetitions)};
        outside.insert(outside.end(), level.symbols.begin(),
                       level.symbols.begin() + static_cast<std::ptrdiff_t>(level.position));
        level.symbols = std::move(outside);
        level.in_loop = false;
    }

    /// Returns the symbol of a loop, which may be a known one or a new one. Adds the iterations to the total of the
    /// loop's body.
    Symbol loop_symbol(const std::vector<Symbol>& symbols, std::uint64_t repetitions) {
        const std::uint32_t body = body_of(symbols);
        calls_.bodies[body].repetitions += repetitions;
        for (std::size_t l = 0; l < calls_.loops.size(); ++l) {
            if (calls_.loops[l].body == body && calls_.loops[l].repetitions == repetitions) {
                return kLoopSymbol + static_cast<Symbol>(l);
            }
        }
        calls_.loops.push_back({body, 0, repetitions});
        return kLoopSymbol + static_cast<Symbol>(calls_.loops.size() - 1);
    }

    std::uint32_t body_of(const std::vector<Symbol>& symbols) {
        for (std::size_t b = 0; b < calls_.bodies.size(); ++b) {
            const LoopBody& other = calls_.bodies[b];
            if (other.length != symbols.size() || std::uint64_t{other.first} + other.length > calls_.body.size())
                continue;
            if (std::equal(symbols.begin(), symbols.end(), calls_.body.begin() + other.first)) {
                return static_cast<std::uint32_t>(b);
            }
        }
        calls_.bodies.push_back(
            {0, 0, static_cast<std::uint32_t>(calls_.body.size()), static_cast<std::uint32_t>(symbols.size())});
        calls_.body.insert(calls_.body.end(), symbols.begin(), symbols.end());
        return static_cast<std::uint32_t>(calls_.bodies.size() - 1);
    }

    /// Returns the list that was open when the log ended.
    Symbol open_list() {
        const CallLogMemory& m = *memory_;
        const EventKey key{m.open_kind,         m.open_flags, 0,          kNobody, m.open_tag,
                           m.open_communicator, m.open_count, m.open_hash};
        for (std::size_t e = 0; e < calls_.events.size(); ++e) {
            if (std::memcmp(&calls_.events[e].key, &key, sizeof(key)) != 0) continue;
            ++calls_.events[e].count;
            calls_.events[e].gap_total += m.open_gap;
            return static_cast<Symbol>(e);
        }
        LoggedEvent event{};
        event.key = key;
        event.count = 1;
        event.gap_total = event.gap_min = event.gap_max = m.open_gap;
        std::vector<Completion> list(m.open, m.open + m.open_count);
        sort_completions(m.open_kind, list);
        event.first_completion = static_cast<std::uint32_t>(calls_.completions.size());
        event.completions = m.open_count;
        for (Completion& completion : list) {
            completion.event = known(completion.event);
            calls_.completions.push_back(completion);
        }
        calls_.events.push_back(event);
        return static_cast<Symbol>(calls_.events.size() - 1);
    }

    const CallLogMemory* memory_;
    const std::string* place_;
    CallSequence calls_;
    std::array<EndingLevel, kLevels> levels_;
    std::optional<Symbol> lost_;
};

/// Longer logs are not searched for loops again. At this limit, the search takes a few seconds.
constexpr double kMostEventsFoldedAgain = 3e8;

/// Returns for each event the index of the event that represents it.
std::vector<Symbol> events_kept(const CallLogMemory& memory, const std::vector<LoggedEvent>& events) {
    std::vector<Symbol> kept(events.size());
    for (Symbol e = 0; e < kept.size(); ++e) {
        kept[e] = e;
        if (e >= memory.event_count) continue;
        const std::uint32_t joined = memory.events[e].joined;
        if (joined != 0 && joined - 1 < memory.event_count && memory.events[joined - 1].joined == 0) {
            kept[e] = joined - 1;
        }
    }
    return kept;
}

/// The identity of a list of completions, in terms of the kept posts.
std::vector<std::uint64_t> identity_of_list(const CallSequence& calls, const LoggedEvent& event,
                                            const std::vector<Symbol>& kept, bool tags) {
    const EventKey& key = event.key;
    const bool any = key.kind == CallKind::kReceiveAny;
    tags &= (key.flags & kVariableTag) == 0;
    std::vector<std::uint64_t> list = {static_cast<std::uint64_t>(key.kind), key.flags, key.communicator,
                                       tags ? what_came(1, key.tag) : 0};
    for (std::uint32_t i = 0; i < event.completions; ++i) {
        const Completion& one = calls.completions[event.first_completion + i];
        const Symbol post = any ? 0 : kept[one.event];
        const bool came = tags && ((any ? key : calls.events[post].key).flags & kAnyTag) != 0;
        list.push_back(one.distance);
        list.push_back(what_came(one.source, came ? one.tag : 0));
        // The post is significant only for messages received from any source.
        if (one.source != kNobody) list.push_back(post);
    }
    return list;
}

/// Merges lists of completions that have become equal because their posts were merged. With `join_tags`, it also merges
/// lists that differ only in the received tags.
void keep_one_of_equal_lists(CallSequence& calls, std::vector<Symbol>& kept, bool join_tags) {
    std::map<std::vector<std::uint64_t>, Symbol> first_of;
    for (Symbol e = 0; e < kept.size(); ++e) {
        EventKey& key = calls.events[e].key;
        if (!has_list(key) || kept[e] != e) continue;
        kept[e] = first_of.try_emplace(identity_of_list(calls, calls.events[e], kept, !join_tags), e).first->second;
        if (kept[e] == e || !join_tags) continue;
        EventKey& one = calls.events[kept[e]].key;
        if (identity_of_list(calls, calls.events[e], kept, true) ==
            identity_of_list(calls, calls.events[kept[e]], kept, true)) {
            continue;
        }
        one.flags |= kVariableTag;
        one.tag = 0;
    }
}

double unrolled_size(const CallSequence& calls) {
    std::vector<double> of_body(calls.bodies.size(), 0);
    const auto size_of = [&](Symbol symbol) {
        if (symbol < kLoopSymbol) return 1.0;
        const Loop& loop = calls.loops[symbol - kLoopSymbol];
        return of_body[loop.body] * static_cast<double>(loop.repetitions);
    };
    for (const Loop& loop : calls.loops) {
        if (of_body[loop.body] > 0) continue;
        const LoopBody& body = calls.bodies[loop.body];
        for (std::uint32_t i = 0; i < body.length; ++i) of_body[loop.body] += size_of(calls.body[body.first + i]);
    }
    double size = 0;
    for (const Symbol symbol : calls.sequence) size += size_of(symbol);
    return size;
}

/// Finds loops that only the end of the log completes, among symbols that were still in the outer levels.
CallSequence folded_at_end(CallSequence calls, const std::string& place) {
    if (calls.sequence.size() < 2 || calls.events.size() >= kLostEvent || calls.bodies.size() > kMostLoops ||
        calls.loops.size() > kMostLoops || calls.body.size() > kMostBodySymbols) {
        return calls;
    }
    check_calls(calls, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::uint32_t>::max(), place);
    const FreshMemory memory = fresh_memory();
    memory->body_count = static_cast<std::uint32_t>(calls.bodies.size());
    memory->loop_count = static_cast<std::uint32_t>(calls.loops.size());
    memory->body_symbols = static_cast<std::uint32_t>(calls.body.size());
    std::ranges::copy(calls.bodies, memory->bodies);
    std::ranges::copy(calls.loops, memory->loops);
    std::ranges::copy(calls.body, memory->body);
    LoopFinder finder(memory.get());
    finder.know_loops();
    for (const Symbol symbol : calls.sequence) finder.push(symbol);
    finder.flush();
    if (memory->lost_symbols > 0) return calls;
    calls.bodies.assign(memory->bodies, memory->bodies + memory->body_count);
    calls.loops.assign(memory->loops, memory->loops + memory->loop_count);
    calls.body.assign(memory->body, memory->body + memory->body_symbols);
    calls.sequence.assign(memory->top, memory->top + memory->top_count);
    return calls;
}

/// Finds the loops again, as if the merged sizes had been known from the beginning. In every rank, events logged before
/// the merge then equal the events logged after it.
CallSequence folded_again(CallSequence calls, std::vector<Symbol> kept, const std::string& place,
                          bool join_tags = false) {
    // The code below uses these indices.
    check_calls(calls, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::uint32_t>::max(), place);
    keep_one_of_equal_lists(calls, kept, join_tags);
    for (Completion& completion : calls.completions) completion.event = kept[completion.event];
    const FreshMemory memory = fresh_memory();
    LoopFinder finder(memory.get());
    const auto push = [&](const auto& self, Symbol symbol) -> void {
        if (symbol < kLoopSymbol) {
            finder.push(kept[symbol] < kLostEvent ? kept[symbol] : kLostEvent);
            return;
        }
        const Loop& loop = calls.loops[symbol - kLoopSymbol];
        const LoopBody& body = calls.bodies[loop.body];
        for (std::uint64_t r = 0; r < loop.repetitions; ++r) {
            for (std::uint32_t i = 0; i < body.length; ++i) self(self, calls.body[body.first + i]);
        }
    };
    for (const Symbol symbol : calls.sequence) push(push, symbol);
    for (std::size_t e = 0; e < calls.events.size(); ++e) {
        if (kept[e] == e) continue;
        LoggedEvent& all = calls.events[kept[e]];
        LoggedEvent& one = calls.events[e];
        if (one.count == 0) continue;
        all.bytes_min = all.count == 0 ? one.bytes_min : std::min(all.bytes_min, one.bytes_min);
        all.gap_min = all.count == 0 ? one.gap_min : std::min(all.gap_min, one.gap_min);
        all.bytes_max = std::max(all.bytes_max, one.bytes_max);
        all.gap_max = std::max(all.gap_max, one.gap_max);
        all.count += one.count;
        all.bytes_total += one.bytes_total;
        all.gap_total += one.gap_total;
        one.count = one.gap_total = one.gap_min = one.gap_max = 0;
    }
    memory->event_count = static_cast<std::uint32_t>(std::min<std::size_t>(calls.events.size(), kLostEvent));
    CallSequence again = folded_at_end(CallReader(*memory, place).read(calls.ticks_per_second), place);
    again.events = std::move(calls.events);
    again.completions = std::move(calls.completions);
    again.gap_behind = calls.gap_behind;
    again.lost_events = calls.lost_events;
    again.lost_symbols += calls.lost_symbols;
    again.lost_completions = calls.lost_completions;
    return again;
}

}  // namespace

CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place) {
    CallSequence calls = CallReader(memory, place).read(ticks_per_second);
    std::vector<Symbol> kept = events_kept(memory, calls.events);
    const bool any_joined = std::ranges::any_of(kept, [&](const Symbol& to) { return to != &to - kept.data(); });
    if (!any_joined || unrolled_size(calls) > kMostEventsFoldedAgain) return folded_at_end(std::move(calls), place);
    return folded_again(std::move(calls), std::move(kept), place);
}

namespace {

/// An event key without the properties in which merged events may differ.
struct Unspecific {
    EventKey key;
    std::uint8_t flags = 0;  ///< flags that state the removed properties
};

Unspecific unspecific(const EventKey& key, const JoinedEvents& what) {
    Unspecific result{key};
    const bool sends = key.kind == CallKind::kSend;
    if ((what.sizes || what.size_groups) && (sends || key.kind == CallKind::kCollective)) {
        result.flags |= kVariableSize;
        result.key.bytes = result.key.received_bytes_or_list = 0;
    }
    if (what.tags && (sends || key.kind == CallKind::kReceive) && (key.flags & kAnyTag) == 0) {
        result.flags |= kVariableTag;
        result.key.tag = 0;
    }
    result.key.flags &= static_cast<std::uint8_t>(~result.flags);
    return result;
}

using KeyWords = std::array<std::uint64_t, 4>;

KeyWords words_of(const EventKey& key) {
    KeyWords words{};
    std::memcpy(words.data(), &key, sizeof(key));
    return words;
}

/// Returns the keys, without size and tag, whose tags count up.
std::set<KeyWords> counting_up(const CallSequence& calls) {
    struct Tags {
        std::set<std::int32_t> different;
        std::uint64_t occurrences = 0;
    };
    const JoinedEvents sizes_and_tags{.sizes = true, .tags = true};
    std::map<KeyWords, Tags> tags;
    for (const LoggedEvent& event : calls.events) {
        const Unspecific one = unspecific(event.key, sizes_and_tags);
        if ((one.flags & kVariableTag) == 0 || event.count == 0) continue;
        Tags& of = tags[words_of(one.key)];
        of.different.insert(event.key.tag);
        of.occurrences += event.count;
    }
    std::set<KeyWords> found;
    for (const auto& [key, of] : tags) {
        const std::uint64_t different = of.different.size();
        if (different > 1 && different * different >= of.occurrences) found.insert(key);
    }
    return found;
}

/// Decides which events of a log are to be merged.
class Joining {
  public:
    Joining(const CallSequence& calls, const JoinedEvents& what) : what_(what) {
        if (what.tags && !what.recurring_tags) counting_ = counting_up(calls);
        std::map<KeyWords, std::vector<OccurringSize>> sizes;
        for (const LoggedEvent& event : calls.events) {
            const Unspecific one = without_group(event.key);
            if ((one.flags & kVariableSize) != 0 && event.count > 0) {
                sizes[words_of(one.key)].push_back({event.key.bytes, event.count});
            }
        }
        for (auto& [key, of_key] : sizes) {
            const SizeGroups groups(of_key.data(), of_key.data() + of_key.size());
            groups_.emplace(key, what.size_groups ? groups : SizeGroups(0));
        }
    }

    [[nodiscard]] Unspecific operator()(const EventKey& key) const {
        Unspecific one = without_group(key);
        const auto groups = groups_.find(words_of(one.key));
        if (groups != groups_.end()) one.key.bytes = groups->second.from_of(key.bytes);
        return one;
    }
    [[nodiscard]] bool joins_lists() const { return what_.tags && (what_.recurring_tags || !counting_.empty()); }

  private:
    [[nodiscard]] Unspecific without_group(const EventKey& key) const {
        if (!what_.tags || what_.recurring_tags) return unspecific(key, what_);
        JoinedEvents what = what_;
        what.tags = counting_.contains(words_of(unspecific(key, {.sizes = true, .tags = true}).key));
        return unspecific(key, what);
    }

    JoinedEvents what_;
    std::set<KeyWords> counting_;
    std::map<KeyWords, SizeGroups> groups_;  ///< size groups of otherwise equal events
};

}  // namespace

CallSequence with_events_joined(CallSequence calls, const JoinedEvents& what, const std::string& place) {
    if (unrolled_size(calls) > kMostEventsFoldedAgain) return calls;
    std::vector<Symbol> kept(calls.events.size());
    const Joining joining(calls, what);
    std::map<KeyWords, Symbol> first_of;
    bool any_joined = false;
    for (Symbol e = 0; e < kept.size(); ++e) {
        kept[e] = e;
        LoggedEvent& event = calls.events[e];
        const Unspecific joined = joining(event.key);
        if (joined.flags == 0) continue;
        if (event.key.kind != CallKind::kReceive && (event.key.flags & kVariableSize) == 0) {
            // These values are not in job files.
            event.bytes_total = event.key.bytes * event.count;
            event.bytes_min = event.bytes_max = event.key.bytes;
        }
        kept[e] = first_of.try_emplace(words_of(joined.key), e).first->second;
        if (kept[e] == e) continue;
        any_joined = true;
        EventKey& one = calls.events[kept[e]].key;
        one.flags |= joined.flags;
        if ((joined.flags & kVariableTag) != 0) one.tag = 0;
        if ((joined.flags & kVariableSize) == 0) continue;
        one.bytes = joined.key.bytes;
        one.received_bytes_or_list = 0;
    }
    if (joining.joins_lists()) {  // also merges lists of receives from any source
        const auto posts = kept;
        keep_one_of_equal_lists(calls, kept, true);
        any_joined |= kept != posts;
    }
    if (!any_joined) return calls;
    return folded_again(std::move(calls), std::move(kept), place, joining.joins_lists());
}

}  // namespace haichi
