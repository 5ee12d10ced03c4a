#include "commlog/log/rank_record.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/errors.h"
#include "commlog/log/call_recorder.h"

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

template <std::size_t size>
std::string text_of(const char (&field)[size]) {
    return {field, strnlen(field, size)};
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

MessageStatistics statistics_of(const MessageCounters& counters) {
    MessageStatistics statistics{counters.count,     counters.bytes_total, counters.bytes_min,
                                 counters.bytes_max, counters.empty,       {}};
    std::ranges::copy(counters.classes, statistics.classes.begin());
    return statistics;
}

void add(MessageCounters& sum, const MessageCounters& more) {
    if (more.count == 0) return;
    sum.bytes_min = sum.count == 0 ? more.bytes_min : std::min(sum.bytes_min, more.bytes_min);
    sum.bytes_max = std::max(sum.bytes_max, more.bytes_max);
    sum.count += more.count;
    sum.bytes_total += more.bytes_total;
    sum.empty += more.empty;
    for (int k = 0; k < kSizeClasses; ++k) sum.classes[k] += more.classes[k];
}

void add(FunctionCounters& sum, const FunctionCounters& more) {
    if (more.calls != 0) {
        sum.ticks_min = sum.calls == 0 ? more.ticks_min : std::min(sum.ticks_min, more.ticks_min);
        sum.ticks_max = std::max(sum.ticks_max, more.ticks_max);
        sum.calls += more.calls;
        sum.ticks_total += more.ticks_total;
    }
    add(sum.sent, more.sent);
    add(sum.received, more.received);
}

void add(PeerCounters& sum, const PeerCounters& more) {
    sum.sent_messages += more.sent_messages;
    sum.sent_bytes += more.sent_bytes;
    sum.received_messages += more.received_messages;
    sum.received_bytes += more.received_bytes;
}

bool is_empty(const PeerCounters& traffic) { return traffic.sent_messages == 0 && traffic.received_messages == 0; }

void read_functions(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile) {
    const ProfileHeader& header = memory.header;
    for (std::uint32_t f = 0; f < header.function_count; ++f) {
        FunctionCounters sum{};
        for (std::uint32_t t = 0; t < threads; ++t) add(sum, memory.threads[t].functions[f]);
        if (sum.calls == 0 && sum.sent.count == 0 && sum.received.count == 0) continue;
        const double tick = 1.0 / header.ticks_per_second;
        profile.functions.push_back(
            {text_of(header.function_names[f]), sum.calls, static_cast<double>(sum.ticks_total) * tick,
             static_cast<double>(sum.ticks_min) * tick, static_cast<double>(sum.ticks_max) * tick,
             statistics_of(sum.sent), statistics_of(sum.received)});
    }
    std::ranges::sort(profile.functions, {}, &FunctionProfile::name);
}

void read_peers(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place) {
    const std::int32_t ranks = memory.header.ranks;
    std::vector<PeerTraffic> peers;
    for (std::uint32_t t = 0; t < threads; ++t) {
        const ThreadMemory& thread = memory.threads[t];
        profile.lost_messages += thread.lost_peers;
        profile.lost_bytes += thread.lost_bytes;
        if (ranks <= kMostDensePeers) {
            for (std::int32_t r = 0; r < ranks; ++r) {
                if (!is_empty(thread.peers.dense[r])) peers.push_back({r, thread.peers.dense[r]});
            }
            continue;
        }
        for (const PeerSlot& slot : thread.peers.hashed) {
            if (slot.peer_and_1 == 0 || is_empty(slot.traffic)) continue;
            const auto peer = static_cast<std::int32_t>(slot.peer_and_1 - 1);
            if (peer < 0 || peer >= ranks) fail(place, "counters of a peer " + std::to_string(peer));
            peers.push_back({peer, slot.traffic});
        }
    }
    std::ranges::stable_sort(peers, {}, &PeerTraffic::peer);
    for (const PeerTraffic& peer : peers) {
        if (!profile.peers.empty() && profile.peers.back().peer == peer.peer) {
            add(profile.peers.back().traffic, peer.traffic);
        } else {
            profile.peers.push_back(peer);
        }
    }
}

std::vector<RankSegment> segments_of(const ProfileMemory& memory, std::uint64_t first, std::uint64_t count,
                                     const std::string& place) {
    check_count(first + count, memory.header.segment_count, "segments of communicators", place);
    return {memory.segments + first, memory.segments + first + count};
}

void check_header(const ProfileHeader& header, const std::string& place) {
    if (std::memcmp(header.magic, kPartMagic, sizeof(kPartMagic)) != 0) fail(place, "is no part of a profile");
    if (header.byte_order != kByteOrder) fail(place, "was written on a machine of the other byte order");
    if (header.version != kPartVersion || header.size != sizeof(ProfileMemory)) {
        throw InputError(place + ": was written by another version of the profiler (part version " +
                             std::to_string(header.version) + ", this program reads " + std::to_string(kPartVersion) +
                             ")",
                         "read it with the program of that version");
    }
    if (header.ranks < 1 || header.rank < 0 || header.rank >= header.ranks) {
        fail(place, "rank " + std::to_string(header.rank) + " of " + std::to_string(header.ranks));
    }
    if (!(header.ticks_per_second > 0) || header.ticks_per_second > 1e12) fail(place, "a clock without a rate");
    check_count(header.function_count, kMostFunctions, "functions", place);
    check_count(header.communicator_count, kMostCommunicators, "communicators", place);
    check_count(header.segment_count, kMostSegments, "segments of communicators", place);
    if (static_cast<std::uint32_t>(header.state) > static_cast<std::uint32_t>(RankState::kSignalled)) {
        fail(place, "an unknown state " + std::to_string(static_cast<std::uint32_t>(header.state)));
    }
}

}  // namespace

CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place) {
    return CallReader(memory, place).read(ticks_per_second);
}

void check_calls(const CallSequence& calls, std::size_t communicators, const std::string& place) {
    const auto inside = [](std::uint64_t first, std::uint64_t count, std::size_t size) {
        return first <= size && count <= size - first;
    };
    for (const LoggedEvent& event : calls.events) {
        const auto kind = static_cast<std::uint8_t>(event.key.kind);
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

RankRecord read_rank(const ProfileMemory& memory, const std::string& place) {
    const ProfileHeader& header = memory.header;
    check_header(header, place);
    const std::uint32_t threads = std::min(header.threads, kMostThreads);
    RankRecord rank;
    rank.job = header.job;
    rank.ranks = header.ranks;
    rank.has_profile = header.has_profile != 0;
    rank.has_calls = header.has_calls != 0;
    rank.lost_requests = header.lost_requests;
    rank.uncounted_calls = header.uncounted_calls;
    rank.lost_communicators = header.lost_communicators;
    RankLog& log = rank.log;
    log.rank = header.rank;
    log.state = header.state;
    log.signal = header.signal;
    log.host = text_of(header.host);
    log.program = text_of(header.program);
    log.library = text_of(header.library);
    log.own_ns_per_call = header.own_ns_per_call;

    std::uint64_t end = header.end_ticks;
    for (std::uint32_t t = 0; t < threads; ++t) {
        log.profile.mpi_seconds += static_cast<double>(memory.threads[t].mpi_ticks) / header.ticks_per_second;
        if (header.end_ticks == 0) end = std::max(end, memory.threads[t].last_ticks);
    }
    if (end > header.start_ticks) {
        log.profile.wall_seconds = static_cast<double>(end - header.start_ticks) / header.ticks_per_second;
    }
    read_functions(memory, threads, log.profile);
    read_peers(memory, threads, log.profile, place);

    for (std::uint32_t c = 0; c < header.communicator_count; ++c) {
        const CommunicatorEntry& entry = memory.communicators[c];
        rank.communicators.push_back(
            {entry.identity, segments_of(memory, entry.first_segment, entry.segments, place),
             segments_of(memory, std::uint64_t{entry.first_segment} + entry.segments, entry.remote_segments, place)});
    }
    if (rank.has_calls) {
        for (std::uint32_t t = 0; t < threads; ++t) {
            CallSequence calls = read_calls(memory.threads[t].calls, header.ticks_per_second, place);
            check_calls(calls, rank.communicators.size(), place);
            if (!calls.sequence.empty()) log.threads.push_back(std::move(calls));
        }
    }
    return rank;
}

}  // namespace haichi
