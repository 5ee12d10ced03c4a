#pragma once

#include <cstdint>

#include "commlog/ccs/levels.h"
#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

struct LevelSetsOptions {
    std::int32_t sends_per_rank = 1;  ///< messages that a rank sends, and receives, in one set at most
    bool computing = false;           ///< gives the sets their computing time
};

/// The messages of each level in sets. Levels without messages are left out; their computing time belongs to the next
/// set.
Workload sets_of(const JobLog& job, const Levels& levels, std::int64_t repetitions, const LevelSetsOptions& options);

/// Levels with messages.
std::int64_t level_count(const Levels& levels);

}  // namespace haichi
