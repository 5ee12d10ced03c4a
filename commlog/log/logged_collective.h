#pragma once

#include <cstddef>

#include "collectives/selection.h"
#include "collectives/sized_call.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// What the log states of a collective operation of `members` ranks. The root is left to the caller, who knows them. A
/// barrier stands for what is not known.
collectives::SizedCall sized_call(const LoggedEvent& event, std::size_t members);

/// With the table of the library that the job ran with, unless the user has set one; MPICH's where the log does not
/// name the library. The log of a live program states what was set for its run.
collectives::CollectiveSelection selection_for(const JobLog& job, collectives::CollectiveSelection set);

}  // namespace haichi
