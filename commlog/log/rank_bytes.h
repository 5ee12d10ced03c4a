#pragma once

#include <span>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/log/profile_memory.h"

namespace haichi {

/// What a part file holds, without its empty room: a record of a job file. The memory may be torn (the process was
/// killed while it wrote) or hostile: every index in it is checked. Loops that were going on are ended, on a copy.
std::vector<std::byte> encode_rank(const ProfileMemory& memory);

/// The compressed log in `memory`, its loops ended, as decode_rank gives it. For readers of traces.
CallSequence finish_calls(CallLogMemory& memory, double ticks_per_second);

/// A record of a job file as a rank, and the communicators it knows, world ranks by their number. Throws InputError with
/// `place` and the offset for what no encode_rank has written.
struct DecodedRank {
    RankLog log;
    std::int32_t ranks = 0;
    std::uint64_t job = 0;
    bool has_profile = false, has_calls = false;
    std::vector<LoggedCommunicator> communicators;  ///< `log.communicators` indexes these
    std::vector<std::string> warnings;
};
DecodedRank decode_rank(std::span<const std::byte> record, const std::string& place);

}  // namespace haichi
