#pragma once

#include <cstddef>

#include "collectives/selection.h"
#include "collectives/sized_call.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// Returns a collective operation of `members` ranks as far as the log states it. The caller sets the root, because it
/// knows the members. An unknown operation becomes a barrier.
collectives::SizedCall sized_call(const LoggedEvent& event, std::size_t members);

/// Returns the user's choice, or else the table of the library that the job ran with. If the log does not name the
/// library, MPICH's table is used. The log of a live program states the choice made for its run.
collectives::CollectiveSelection selection_for(const JobLog& job, collectives::CollectiveSelection set);

}  // namespace haichi
