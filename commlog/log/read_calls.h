#pragma once

#include <cstddef>
#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// The compressed log in `memory`, loops that were going on ended, and events whose sizes turned out to be too many to
/// tell apart taken together from the beginning. Throws InputError, naming `place`, when an index in it is out of
/// range.
CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place);

/// Which events are taken together: those that differ only in this.
struct JoinedEvents {
    bool sizes = false;
    bool size_groups = false;     ///< sizes, but of groups that lie far apart: those of one group
    bool tags = false;            ///< that count up: there are as many as occurrences of one, or more
    bool recurring_tags = false;  ///< with `tags`: all

    friend bool operator==(const JoinedEvents&, const JoinedEvents&) = default;
};

/// The same log with such events taken together, and its loops found anew. Logs of more than 3e8 events stay as they
/// are.
CallSequence with_events_joined(CallSequence calls, const JoinedEvents& what, const std::string& place);

/// Throws InputError, naming `place`, unless all of `calls` is as CallSequence promises, in a job of `ranks` ranks.
void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place);

}  // namespace haichi
