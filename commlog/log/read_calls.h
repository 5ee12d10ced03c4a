#pragma once

#include <cstddef>
#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// Returns the compressed log in `memory`; loops that were open are ended. Events with too many distinct sizes are
/// merged for the whole log. Throws InputError that names `place` if an index is out of range.
CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place);

/// Selects the properties in which merged events may differ.
struct JoinedEvents {
    bool sizes = false;
    bool size_groups = false;  ///< only if `sizes` is false: sizes within a group, where groups are far apart
    /// Tags that count up: there are at least as many distinct tags as occurrences of each tag.
    bool tags = false;
    bool recurring_tags = false;  ///< only if `tags` is true: also tags that do not count up

    friend bool operator==(const JoinedEvents&, const JoinedEvents&) = default;
};

/// Returns the log with such events merged and its loops found again. A log of more than 3e8 events is returned
/// unchanged.
CallSequence with_events_joined(CallSequence calls, const JoinedEvents& what, const std::string& place);

/// Throws InputError that names `place` unless `calls` meets all conditions of CallSequence in a job of `ranks` ranks.
void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place);

}  // namespace haichi
