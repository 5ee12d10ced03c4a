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

/// A communicator, as one rank sees it. Members are stored in segments, because every rank of a large job has the large
/// communicators.
struct CommunicatorRecord {
    std::uint64_t identity = 0;
    std::vector<RankSegment> members;
    std::vector<RankSegment> remote_members;
};

/// One rank of a job, read from its part file or from a record of a job file.
struct RankRecord {
    std::uint64_t job = 0;  ///< the same in all ranks of a job
    std::int32_t ranks = 0;
    bool has_profile = false;
    bool has_calls = false;
    RankLog log;  ///< its `communicators` is empty: events refer to `communicators` below
    std::vector<CommunicatorRecord> communicators;
    std::uint64_t lost_requests = 0;
    std::uint64_t uncounted_calls = 0;
    std::uint32_t lost_communicators = 0;
};

/// Returns the contents of a part; loops that were open are ended. The memory may be malicious, or inconsistent because
/// its process was killed while it wrote. Throws InputError that names `place` if the memory is not a part, has another
/// version, or contains an index out of range.
RankRecord read_rank(const ProfileMemory& memory, const std::string& place);

/// Converts counters to their form in JobLog.
MessageStatistics statistics_of(const MessageCounters& counters);

}  // namespace haichi
