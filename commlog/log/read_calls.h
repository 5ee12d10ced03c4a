#pragma once

#include <cstddef>
#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// Returns the compressed log in `memory` and ends its open loops. Events with too many sizes are merged from the
/// beginning of the log. Throws InputError naming `place` if an index is out of range.
CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place);

/// The properties in which merged events may differ.
struct JoinedEvents {
    bool sizes = false;
    bool size_groups = false;     ///< with `sizes` false: sizes within a group, where the groups lie far apart
    bool tags = false;            ///< tags that count up: at least as many different tags as occurrences per tag
    bool recurring_tags = false;  ///< with `tags`: all tags

    friend bool operator==(const JoinedEvents&, const JoinedEvents&) = default;
};

/// Returns the same log with such events merged and its loops found again. Logs of more than 3e8 events stay unchanged.
CallSequence with_events_joined(CallSequence calls, const JoinedEvents& what, const std::string& place);

/// Throws InputError naming `place` unless `calls` meets all conditions of CallSequence, in a job of `ranks` ranks.
void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place);

}  // namespace haichi
