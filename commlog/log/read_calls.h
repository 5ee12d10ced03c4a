#pragma once

#include <cstddef>
#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// The compressed log in `memory`, loops that were going on ended, and events whose sizes turned out to be too many to
/// tell apart taken together from the beginning. Throws InputError, naming `place`, when an index in it is out of
/// range.
CallSequence read_calls(const CallLogMemory& memory, double ticks_per_second, const std::string& place);

/// The same log with events that differ only in their sizes taken together, and its loops found anew. Logs of more than
/// 3e8 events stay as they are.
CallSequence with_sizes_joined(CallSequence calls, const std::string& place);

/// Throws InputError, naming `place`, unless all of `calls` is as CallSequence promises, in a job of `ranks` ranks.
void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place);

}  // namespace haichi
