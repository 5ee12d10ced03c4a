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

/// A communicator as a rank knows it. Members are in segments, because all ranks of a large job know the large
/// communicators.
struct CommunicatorRecord {
    std::uint64_t identity = 0;
    std::vector<RankSegment> members;
    std::vector<RankSegment> remote_members;
};

/// One rank of a job, from its part file or from a record of the job file.
struct RankRecord {
    std::uint64_t job = 0;  ///< equal in all ranks of a job
    std::int32_t ranks = 0;
    bool has_profile = false;
    bool has_calls = false;
    RankLog log;  ///< `communicators` in it is empty: events index `communicators` below
    std::vector<CommunicatorRecord> communicators;
    std::uint64_t lost_requests = 0;
    std::uint64_t uncounted_calls = 0;
    std::uint32_t lost_communicators = 0;
};

/// Returns the contents of a part and ends its open loops. The memory may be hostile, or torn because its process was
/// killed while it wrote. Throws InputError naming `place` if it is not a part, if another version wrote it, or if an
/// index is out of range.
RankRecord read_rank(const ProfileMemory& memory, const std::string& place);

/// Converts counters to the form in JobLog.
MessageStatistics statistics_of(const MessageCounters& counters);

}  // namespace haichi
