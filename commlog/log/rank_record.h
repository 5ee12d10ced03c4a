#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/log/profile_memory.h"
#include "commlog/log/read_calls.h"

namespace haichi {

/// A communicator as a rank knows it, its members in segments: all ranks of a large job know the large ones.
struct CommunicatorRecord {
    std::uint64_t identity = 0;
    std::vector<RankSegment> members;
    std::vector<RankSegment> remote_members;
};

/// One rank of a job, whether from its part file or from a record of the job's file.
struct RankRecord {
    std::uint64_t job = 0;  ///< the same in all ranks of a job
    std::int32_t ranks = 0;
    bool has_profile = false;
    bool has_calls = false;
    RankLog log;  ///< `communicators` is empty: the events' index is that of `communicators` below
    std::vector<CommunicatorRecord> communicators;
    std::uint64_t lost_requests = 0;
    std::uint64_t uncounted_calls = 0;
    std::uint32_t lost_communicators = 0;
};

/// What a part holds, loops that were going on ended. The memory may be torn (its process was killed while it wrote) or
/// hostile. Throws InputError, naming `place`, when it is no part, was written by another version, or when an index in
/// it is out of range.
RankRecord read_rank(const ProfileMemory& memory, const std::string& place);

/// Counters as a JobLog has them.
MessageStatistics statistics_of(const MessageCounters& counters);

}  // namespace haichi
