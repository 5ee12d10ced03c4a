#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

// Properties of an event for readers of call logs.

/// Returns an index in JobLog::communicators. An unknown communicator is 0, MPI_COMM_WORLD.
inline std::uint32_t communicator_of(const RankLog& rank, std::uint32_t in_log) {
    return in_log < rank.communicators.size() ? rank.communicators[in_log] : 0;
}

inline std::int64_t as_message_bytes(std::uint64_t bytes) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{kLargestMessageBytes}));
}

/// Returns the bytes of a message, or the rank's contribution to a collective. It is the mean over the occurrences.
inline std::int64_t mean_bytes(const LoggedEvent& event) {
    const bool is_mean = (event.key.flags & kVariableSize) != 0 && event.count > 0;
    return as_message_bytes(is_mean ? event.bytes_total / event.count : event.key.bytes);
}

/// Returns the rank's whole contribution to a collective of `members` ranks.
inline std::int64_t contributed_bytes(const LoggedEvent& event, std::size_t members) {
    const std::int64_t bytes = mean_bytes(event);
    if ((event.key.flags & kBlockSize) == 0) return bytes;
    const auto blocks = static_cast<std::int64_t>(members);
    return bytes > 0 && blocks > kLargestMessageBytes / bytes ? kLargestMessageBytes : blocks * bytes;
}

/// Returns the bytes that the rank receives from a collective, or 0 if its sizes were merged.
inline std::int64_t result_bytes(const LoggedEvent& event) {
    return (event.key.flags & kVariableSize) != 0 ? 0 : as_message_bytes(event.key.received_bytes_or_list);
}

/// Returns whether the thread has messages or collectives.
inline bool communicates(const CallSequence& calls) {
    return std::ranges::any_of(calls.events, [](const LoggedEvent& event) {
        return event.key.kind != CallKind::kComplete && event.count > 0;
    });
}

}  // namespace haichi
