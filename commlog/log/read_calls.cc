#include "commlog/log/read_calls.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "base/errors.h"
#include "commlog/log/call_recorder.h"
#include "commlog/log/profile_memory.h"

namespace haichi {

namespace {

/// Loops in loops that a finder can make: one per level, and those that were going on when it ended.
constexpr int kDeepestLoops = 2 * static_cast<int>(kLevels);

[[noreturn]] void fail(const std::string& place, const std::string& what) {
    throw InputError(place + ": " + what, "the file is damaged, or was not written by this profiler");
}

void check_count(std::uint64_t count, std::uint64_t most, const char* what, const std::string& place) {
    if (count > most) fail(place, std::to_string(count) + " " + what + "; there is room for " + std::to_string(most));
}

/// Reads the log out of its fixed arrays: what has left the levels, then what is still in them, the outermost first.
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
        for (LoggedEvent& event : calls_.events) event.signature = 0;
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
    /// The event without room in the dictionary becomes one of its own.
    Symbol known(Symbol symbol) {
        if (symbol != kLostEvent) return symbol;
        if (!lost_) {
            lost_ = static_cast<Symbol>(calls_.events.size());
            calls_.events.push_back({});
        }
        return *lost_;
    }

    /// A level whose log has ended: what it has begun goes on to be compared with what comes from the level below, but
    /// no new loop is looked for.
    struct EndingLevel {
        bool in_loop = false;
        std::size_t position = 0;
        std::uint64_t repetitions = 0;
        std::vector<Symbol> symbols;  ///< the body, or what is in no loop
    };

    void begin_level(std::uint32_t l) {
        const LoopLevel& level = memory_->levels[l];
        check_count(level.size, kWindow, "symbols of a level", *place_);
        EndingLevel& ending = levels_[l];
        ending.in_loop = level.in_loop != 0;
        for (std::uint32_t i = 0; i < level.size; ++i) ending.symbols.push_back(known(level.pending[i]));
        if (!ending.in_loop) return;
        if (level.size == 0 || level.repetitions == 0) fail(*place_, "a loop without symbols or repetitions");
        if (level.position >= level.size) fail(*place_, "a loop that goes on behind its body");
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

    /// A loop that is known already, or a new one; the repetitions are added to those of its body.
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

    /// What was being completed when the log ended.
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

/// Longer logs stay as they were written: a few seconds.
constexpr double kMostEventsFoldedAgain = 3e8;

/// For each event itself, or the one that stands for all sizes of its kind, which was made when there were too many.
std::vector<Symbol> events_kept(const CallLogMemory& memory, const std::vector<LoggedEvent>& events) {
    std::vector<Symbol> kept(events.size());
    for (Symbol e = 0; e < kept.size(); ++e) {
        kept[e] = e;
        if (e >= memory.event_count) continue;
        const std::uint32_t signature = memory.events[e].signature;
        if (signature >= kMostSignatures || memory.variable_event[signature] == 0) continue;
        const Symbol all = memory.variable_event[signature] - 1;
        if (all < kept.size()) kept[e] = all;
    }
    return kept;
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

using FreshMemory = std::unique_ptr<CallLogMemory, void (*)(void*)>;
FreshMemory fresh_memory() {
    FreshMemory memory(static_cast<CallLogMemory*>(std::calloc(1, sizeof(CallLogMemory))), &std::free);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

/// Loops that only the end of the log has made whole: what the outer levels were still waiting for.
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

/// Finds the loops anew, as if it had been known from the beginning which sizes are not told apart: what was logged
/// before that was known is then a repetition of what came after it, in every rank alike.
CallSequence folded_again(CallSequence calls, const std::vector<Symbol>& kept, const std::string& place) {
    // Its indices are used below.
    check_calls(calls, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::uint32_t>::max(), place);
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
    const std::vector<Symbol> kept = events_kept(memory, calls.events);
    const bool any_joined = std::ranges::any_of(kept, [&](const Symbol& to) { return to != &to - kept.data(); });
    if (!any_joined || unrolled_size(calls) > kMostEventsFoldedAgain) return folded_at_end(std::move(calls), place);
    return folded_again(std::move(calls), kept, place);
}

CallSequence with_sizes_joined(CallSequence calls, const std::string& place) {
    std::vector<Symbol> kept(calls.events.size());
    std::map<std::array<std::uint64_t, 4>, Symbol> first_of;
    bool any_joined = false;
    for (Symbol e = 0; e < kept.size(); ++e) {
        kept[e] = e;
        LoggedEvent& event = calls.events[e];
        if (event.key.kind != CallKind::kSend && event.key.kind != CallKind::kCollective) continue;
        if ((event.key.flags & kVariableSize) == 0) {  // what a job's file leaves out
            event.bytes_total = event.key.bytes * event.count;
            event.bytes_min = event.bytes_max = event.key.bytes;
        }
        EventKey key = event.key;
        key.flags &= static_cast<std::uint8_t>(~kVariableSize);
        key.bytes = key.received_bytes_or_list = 0;
        std::array<std::uint64_t, 4> words{};
        std::memcpy(words.data(), &key, sizeof(key));
        kept[e] = first_of.try_emplace(words, e).first->second;
        if (kept[e] == e) continue;
        any_joined = true;
        calls.events[kept[e]].key.flags |= kVariableSize;
    }
    if (!any_joined || unrolled_size(calls) > kMostEventsFoldedAgain) return calls;
    return folded_again(std::move(calls), kept, place);
}

void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place) {
    const auto check_rank = [&](std::int32_t rank) {
        if (rank < kOutside || rank >= ranks) {
            fail(place, "a peer " + std::to_string(rank) + " among " + std::to_string(ranks) + " ranks");
        }
    };
    const auto inside = [](std::uint64_t first, std::uint64_t count, std::size_t size) {
        return first <= size && count <= size - first;
    };
    for (const LoggedEvent& event : calls.events) {
        const auto kind = static_cast<std::uint8_t>(event.key.kind);
        check_rank(event.key.peer);
        if (kind > static_cast<std::uint8_t>(CallKind::kReceiveAny))
            fail(place, "an event of kind " + std::to_string(kind));
        if (event.key.operation >= static_cast<std::uint16_t>(CollectiveOperation::kCount)) {
            fail(place, "a collective operation " + std::to_string(event.key.operation));
        }
        const bool has_list = event.key.kind == CallKind::kComplete || event.key.kind == CallKind::kReceiveAny;
        if (has_list && !inside(event.first_completion, event.completions, calls.completions.size())) {
            fail(place, "a list of completions that is not there");
        }
        const bool names_communicator = kind != 0 && event.key.kind != CallKind::kComplete;
        if (names_communicator && event.key.communicator >= communicators &&
            event.key.communicator != kUnknownCommunicator) {
            fail(place, "a communicator " + std::to_string(event.key.communicator) + " that is not there");
        }
    }
    for (const Completion& completion : calls.completions) {
        check_rank(completion.source);
        if (completion.event >= calls.events.size()) fail(place, "a completion of an event that is not there");
    }
    for (const LoopBody& body : calls.bodies) {
        if (body.length == 0 || !inside(body.first, body.length, calls.body.size())) {
            fail(place, "a loop body that is not there");
        }
    }
    const auto check_symbol = [&](Symbol symbol, std::size_t loops) {
        if (symbol < kLoopSymbol ? symbol >= calls.events.size() : symbol - kLoopSymbol >= loops) {
            fail(place, "an event or loop that is not there");
        }
    };
    // A body consists of loops before the first loop over it: one look at each will do.
    std::vector<int> depth_of_body(calls.bodies.size(), 0);
    for (std::size_t l = 0; l < calls.loops.size(); ++l) {
        const Loop& loop = calls.loops[l];
        if (loop.body >= calls.bodies.size() || loop.repetitions == 0)
            fail(place, "a loop without body or repetitions");
        int& depth = depth_of_body[loop.body];
        if (depth != 0) continue;
        depth = 1;
        const LoopBody& body = calls.bodies[loop.body];
        for (const Symbol symbol : std::span(calls.body).subspan(body.first, body.length)) {
            check_symbol(symbol, l);
            if (symbol < kLoopSymbol) continue;
            depth = std::max(depth, depth_of_body[calls.loops[symbol - kLoopSymbol].body] + 1);
        }
        if (depth > kDeepestLoops) fail(place, "more than " + std::to_string(kDeepestLoops) + " loops in each other");
    }
    for (const Symbol symbol : calls.sequence) check_symbol(symbol, calls.loops.size());
}

}  // namespace haichi
