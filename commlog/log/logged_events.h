#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

// What readers of call logs ask of an event.

/// In JobLog::communicators; 0, the world, where it is not known.
inline std::uint32_t communicator_of(const RankLog& rank, std::uint32_t in_log) {
    return in_log < rank.communicators.size() ? rank.communicators[in_log] : 0;
}

inline std::int64_t as_message_bytes(std::uint64_t bytes) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{kLargestMessageBytes}));
}

/// Of a message, or what the rank gives to a collective; the mean over the occurrences.
inline std::int64_t mean_bytes(const LoggedEvent& event) {
    const bool is_mean = (event.key.flags & kVariableSize) != 0 && event.count > 0;
    return as_message_bytes(is_mean ? event.bytes_total / event.count : event.key.bytes);
}

/// What the rank contributes in all to a collective of so many members.
inline std::int64_t contributed_bytes(const LoggedEvent& event, std::size_t members) {
    const std::int64_t bytes = mean_bytes(event);
    if ((event.key.flags & kBlockSize) == 0) return bytes;
    const auto blocks = static_cast<std::int64_t>(members);
    return bytes > 0 && blocks > kLargestMessageBytes / bytes ? kLargestMessageBytes : blocks * bytes;
}

/// What the rank gets from a collective; 0 where its sizes are not told apart.
inline std::int64_t result_bytes(const LoggedEvent& event) {
    return (event.key.flags & kVariableSize) != 0 ? 0 : as_message_bytes(event.key.received_bytes_or_list);
}

/// Whether the thread has messages or collectives.
inline bool communicates(const CallSequence& calls) {
    return std::ranges::any_of(calls.events, [](const LoggedEvent& event) {
        return event.key.kind != CallKind::kComplete && event.count > 0;
    });
}

}  // namespace haichi
