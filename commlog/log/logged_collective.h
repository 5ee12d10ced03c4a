#pragma once

#include <cstddef>

#include "collectives/selection.h"
#include "collectives/sized_call.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// Describes a collective operation of `members` ranks, as far as the log states it. The caller must set the root. An
/// unknown operation is treated as a barrier.
collectives::SizedCall sized_call(const LoggedEvent& event, std::size_t members);

/// Returns the user's choice, or otherwise the table of the library that the job used. If the log does not name the
/// library, the table is MPICH's. The log of a live program states the selection of its run.
collectives::CollectiveSelection selection_for(const JobLog& job, collectives::CollectiveSelection set);

}  // namespace haichi
