#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Regions that the program names itself. MPI_Pcontrol(1, "name") enters one, and MPI_Pcontrol(-1, "name") leaves it
/// (IPM's convention). Regions belong to the calling thread and may be nested.
void enter_region(Thread& t, const char* name);
/// Leaves the innermost region of that name and the regions inside it. Does nothing if there is none.
void leave_region(Thread& t, const char* name);
/// Leaves all regions at the end of the job.
void leave_all_regions(Thread& t);

/// Finds the name that a variadic call may have passed. MPI_Pcontrol(1) passes none, and the word in its position is
/// then arbitrary. Writes the name to `name`, or returns false if there is none.
bool passed_name(std::uintptr_t word, char (&name)[kLongestRegion]);

}  // namespace haichi::profiler
