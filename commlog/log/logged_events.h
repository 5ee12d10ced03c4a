#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

// Properties of events, for code that reads call logs.

/// Converts the communicator index of an event to an index in JobLog::communicators. An unknown communicator becomes 0,
/// MPI_COMM_WORLD.
inline std::uint32_t communicator_of(const RankLog& rank, std::uint32_t in_log) {
    return in_log < rank.communicators.size() ? rank.communicators[in_log] : 0;
}

inline std::int64_t as_message_bytes(std::uint64_t bytes) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{kLargestMessageBytes}));
}

/// Returns the size of a message, or of the rank's contribution to a collective. If occurrences have different sizes,
/// it is their mean.
inline std::int64_t mean_bytes(const LoggedEvent& event) {
    const bool is_mean = (event.key.flags & kVariableSize) != 0 && event.count > 0;
    return as_message_bytes(is_mean ? event.bytes_total / event.count : event.key.bytes);
}

/// Returns the total size of the rank's contribution to a collective of `members` ranks.
inline std::int64_t contributed_bytes(const LoggedEvent& event, std::size_t members) {
    const std::int64_t bytes = mean_bytes(event);
    if ((event.key.flags & kBlockSize) == 0) return bytes;
    const auto blocks = static_cast<std::int64_t>(members);
    return bytes > 0 && blocks > kLargestMessageBytes / bytes ? kLargestMessageBytes : blocks * bytes;
}

/// Returns the bytes that the rank receives from a collective; 0 if different sizes were merged.
inline std::int64_t result_bytes(const LoggedEvent& event) {
    return (event.key.flags & kVariableSize) != 0 ? 0 : as_message_bytes(event.key.received_bytes_or_list);
}

/// Returns true if the thread has messages or collectives.
inline bool communicates(const CallSequence& calls) {
    return std::ranges::any_of(calls.events, [](const LoggedEvent& event) {
        return event.key.kind != CallKind::kComplete && event.count > 0;
    });
}

}  // namespace haichi
