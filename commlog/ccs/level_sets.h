#pragma once

#include <cstdint>
#include <vector>

#include "commlog/ccs/levels.h"
#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

struct LevelSetsOptions {
    std::int32_t sends_per_rank = 1;  ///< maximum number of messages per set that a rank sends, and that it receives
    bool computing = false;           ///< states if the sets get their computation time
};

/// Distributes the messages of each step over sets. Steps without messages are omitted, and their computation time is
/// added to the next set. Stores the set number of each message of `levels` in `set_of_message`.
Workload sets_of(const JobLog& job, const Levels& levels, std::int64_t iterations, const LevelSetsOptions& options,
                 std::vector<std::uint32_t>& set_of_message);

/// Returns the number of steps with messages.
std::int64_t level_count(const Levels& levels);

}  // namespace haichi
