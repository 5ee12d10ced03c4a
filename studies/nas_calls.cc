// Compares the calls of a NAS pattern with the calls of the live program, one by one.
//
//     nas_calls LIVE.haichi-log PATTERN.haichi-log
//
// The pattern covers only the part of the live program that the program times. This part can start after any barrier or
// all-to-all (IS has no barrier). The start with the fewest differences over all ranks is used. The program prints the
// numbers of compared calls and of differing entries. Entries are kind, peer, tag, communicator (by its ranks), bytes
// and the completed requests. In IS the received sizes of messages and of unequal all-to-alls are random, so only their
// sum over the ranks is compared. The file is part of the study nas_patterns.py, which states its date and result.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "commlog/log/call_cursor.h"
#include "commlog/log/logged_events.h"
#include "commlog/readers/log_readers.h"

namespace haichi {
namespace {

struct PlainCall {
    EventKey key{};
    std::vector<std::int32_t> members;
    std::vector<Completion> completed;  ///< distance and source of each completed request

    [[nodiscard]] bool is(CollectiveOperation operation) const {
        return key.kind == CallKind::kCollective && key.operation == static_cast<std::uint16_t>(operation);
    }
};

std::vector<PlainCall> calls_of(const JobLog& log, const RankLog& rank) {
    std::vector<PlainCall> all;
    for (const CallSequence& thread : rank.threads) {
        if (!communicates(thread)) continue;
        CallCursor cursor(thread);
        while (const LoggedEvent* event = cursor.next()) {
            PlainCall call{event->key, {}, {}};
            if ((call.key.flags & kVariableSize) != 0) call.key.bytes = static_cast<std::uint64_t>(mean_bytes(*event));
            if (call.key.kind == CallKind::kComplete) {
                for (std::uint32_t i = 0; i < event->completions; ++i) {
                    Completion one = thread.completions[event->first_completion + i];
                    one.event = 0;
                    call.completed.push_back(one);
                }
            } else {
                call.members = log.communicators[communicator_of(rank, call.key.communicator)].members;
            }
            all.push_back(std::move(call));
        }
    }
    return all;
}

std::uint64_t differences(const PlainCall& a, const PlainCall& b) {
    std::uint64_t count = 0;
    count += a.key.kind != b.key.kind ? 1 : 0;
    count += a.key.operation != b.key.operation ? 1 : 0;
    count += (a.key.flags & ~kVariableSize) != (b.key.flags & ~kVariableSize) ? 1 : 0;
    count += a.key.peer != b.key.peer ? 1 : 0;
    count += a.key.tag != b.key.tag ? 1 : 0;
    count += a.key.bytes != b.key.bytes ? 1 : 0;
    count += a.members != b.members ? 1 : 0;
    count += a.completed.size() != b.completed.size() ? 1 : 0;
    for (std::size_t i = 0; i < std::min(a.completed.size(), b.completed.size()); ++i) {
        const Completion& x = a.completed[i];
        const Completion& y = b.completed[i];
        count += x.distance != y.distance || x.source != y.source ? 1 : 0;
    }
    return count;
}

/// The part of `live` with the fewest differences from `pattern`. All ranks start this part after the same barrier.
struct Found {
    std::uint64_t calls = 0;
    std::uint64_t differ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t received_live = 0, received_pattern = 0;
    std::uint64_t sent_bytes = 0;  ///< bytes that the live program sends in messages and collectives
};

Found compare(const std::vector<std::vector<PlainCall>>& live, const std::vector<std::vector<PlainCall>>& pattern,
              CollectiveOperation mark, std::size_t number) {
    Found found;
    found.differ = 0;
    for (std::size_t r = 0; r < pattern.size(); ++r) {
        std::size_t at = 0;
        std::size_t left = number;
        while (at < live[r].size() && left > 0) left -= live[r][at++].is(mark) ? 1 : 0;
        if (left > 0 || live[r].size() - at < pattern[r].size()) return {};
        for (std::size_t i = 0; i < pattern[r].size(); ++i) {
            const PlainCall& a = live[r][at + i];
            const PlainCall& b = pattern[r][i];
            found.differ += differences(a, b);
            ++found.calls;
            if (a.key.kind == CallKind::kSend || a.key.kind == CallKind::kCollective) found.sent_bytes += a.key.bytes;
            if (a.key.kind != CallKind::kCollective) continue;
            found.received_live += a.key.received_bytes_or_list;
            found.received_pattern += b.key.received_bytes_or_list;
        }
    }
    found.differ += found.received_live != found.received_pattern ? 1 : 0;
    return found;
}

int run(const std::string& live_file, const std::string& pattern_file) {
    const JobLog live_log = read_log(live_file);
    const JobLog pattern_log = read_log(pattern_file);
    if (live_log.rank_count != pattern_log.rank_count) {
        std::fprintf(stderr, "%s has %d ranks, %s %d\n", live_file.c_str(), live_log.rank_count, pattern_file.c_str(),
                     pattern_log.rank_count);
        return 1;
    }
    std::vector<std::vector<PlainCall>> live, pattern;
    for (const RankLog& rank : live_log.ranks) live.push_back(calls_of(live_log, rank));
    for (const RankLog& rank : pattern_log.ranks) pattern.push_back(calls_of(pattern_log, rank));
    Found best;
    for (const CollectiveOperation mark : {CollectiveOperation::kBarrier, CollectiveOperation::kAlltoall}) {
        for (std::size_t number = 1; number <= 64; ++number) {
            const Found found = compare(live, pattern, mark, number);
            if (found.differ < best.differ) best = found;
        }
        if (best.differ == 0) break;
    }
    if (best.calls == 0) {
        std::printf("the pattern is nowhere in the live log\n");
        return 1;
    }
    std::printf("%llu calls, %llu bytes sent, %llu entries differ\n", static_cast<unsigned long long>(best.calls),
                static_cast<unsigned long long>(best.sent_bytes), static_cast<unsigned long long>(best.differ));
    return best.differ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace haichi

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: nas_calls LIVE.haichi-log PATTERN.haichi-log\n");
        return 2;
    }
    try {
        return haichi::run(argv[1], argv[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
