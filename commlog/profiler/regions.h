#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Regions are parts of the program's run that the program has named. By IPM's convention, MPI_Pcontrol(1, "name")
/// enters a region, and MPI_Pcontrol(-1, "name") leaves it. A region belongs to the calling thread, and regions may be
/// nested.
void enter_region(Thread& t, const char* name);
/// Leaves the innermost region with that name, and the regions inside it. Does nothing if there is no such region.
void leave_region(Thread& t, const char* name);
/// Leaves all open regions of the thread at the end of the job.
void leave_all_regions(Thread& t);

/// Writes the name that a variadic call may have passed to `name`. For MPI_Pcontrol(1), which passes no name, `word` is
/// arbitrary. Returns false if there is no name.
bool passed_name(std::uintptr_t word, char (&name)[kLongestRegion]);

}  // namespace haichi::profiler
